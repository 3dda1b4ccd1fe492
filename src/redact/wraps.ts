/** Tokens that the end of a line breaks in two: where a terminal wrapped it, or a backslash says that it goes on. */
import type { Found } from './rule.ts';
import { type Unescaped, viewOf } from './unescape.ts';

export interface Unwrapped extends Unescaped {
  /** Where two lines were joined, in the text. */
  readonly joints: readonly number[];
}

/** Nothing is wrapped to less. */
const LEAST_WIDTH = 30;
/** A shorter word over two lines is no token. */
const LEAST_WORD = 20;
/** So much of it is looked at. */
const FARTHEST = 40;
const MOST_INDENT = 40;

/** The text with such lines joined; undefined when there are none. */
export function unwrapped(text: string): Unwrapped | undefined {
  const cuts: [from: number, to: number][] = [];
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', lineStart)) {
    const cut = cutAt(text, lineStart, end);
    if (cut) cuts.push(cut);
    lineStart = end + 1;
  }
  if (cuts.length === 0) return undefined;
  const view = viewOf(
    text,
    cuts.map(([from, to]) => ({ from, to, meant: '' })),
  );
  let gone = 0;
  const joints = cuts.map(([from, to]) => {
    const joint = from - gone;
    gone += to - from;
    return joint;
  });
  return { ...view, joints };
}

function cutAt(text: string, lineStart: number, end: number): [from: number, to: number] | undefined {
  let from = text[end - 1] === '\r' ? end - 1 : end;
  const goesOn = text[from - 1] === '\\';
  if (goesOn) from -= 1;
  if (from <= lineStart || (!goesOn && from - lineStart < LEAST_WIDTH)) return undefined;
  if (!isOfWord(text.charCodeAt(from - 1))) return undefined;
  let to = end + 1;
  while (to <= end + MOST_INDENT && (text[to] === ' ' || text[to] === '\t')) to += 1;
  if (!isOfToken(text.charCodeAt(to))) return undefined;
  // `https:`
  if (text[from - 1] === ':' && !text.startsWith('//', to)) return undefined;
  let first = from;
  while (first > lineStart && first > from - FARTHEST && isOfWord(text.charCodeAt(first - 1))) first -= 1;
  let last = to;
  while (last < to + FARTHEST && isOfWord(text.charCodeAt(last))) last += 1;
  const word = text.slice(first, from) + text.slice(to, last);
  if (word.length < LEAST_WORD || !/\d|[a-z][A-Z]/.test(word) || !/[A-Za-z]/.test(word)) return undefined;
  // One of its own: `NAME=…`, `NAME = …`, `name: …`.
  const named = /[A-Za-z_][\w.-]{0,60}(?:[ \t]{1,3}=|[ \t]{0,3}:(?!\/\/|:)|=(?!=?\\{0,3}["']?(?:[\s,;)}\]]|$)))/y;
  named.lastIndex = to;
  return named.test(text) ? undefined : [from, to];
}

/** In the middle of it also a colon. */
function isOfWord(code: number): boolean {
  return code === 58 || isOfToken(code);
}

/** `\w.~+/=%-` */
function isOfToken(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 45 && code <= 57) ||
    code === 95 ||
    code === 61 ||
    code === 43 ||
    code === 126 ||
    code === 37
  );
}

/**
 * What goes over a joint of those found in the joined text, at its place in the original. A part at the end that could be a word counts only when
 * nothing was found without it. So does what gives a secret away before the joint. `isKnown`: whether something that begins there was found as the text is.
 */
export function overJoints(
  found: readonly Found[],
  { text, joints, placeOf }: Unwrapped,
  isKnown: (start: number) => boolean,
): Found[] {
  return found.flatMap((each) => {
    if (each.guessable || each.kind === 'private-key') return [];
    const start = placeOf(each.start);
    const inside = jointsIn(joints, each);
    let { end } = each;
    for (let joint = inside.pop(); joint !== undefined; joint = inside.pop()) {
      // Before it, as in the address of a webhook.
      if (joint <= each.start) return isKnown(start) ? [] : [{ ...each, start, end: placeOf(end - 1) + 1 }];
      if (!isKnown(placeOf(joint)) && (!isKnown(start) || isMixed(text.slice(joint, end))))
        return [{ ...each, start, end: placeOf(end - 1) + 1 }];
      end = joint;
    }
    return [];
  });
}

function isMixed(part: string): boolean {
  return part.length >= 8 && /\d/.test(part) && /[A-Za-z]/.test(part);
}

function jointsIn(joints: readonly number[], { start, from = start, end }: Found): number[] {
  let low = 0;
  let high = joints.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((joints[middle] ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  const inside: number[] = [];
  for (let at = low; at < joints.length && (joints[at] ?? end) < end; at += 1) inside.push(joints[at] ?? end);
  return inside;
}
