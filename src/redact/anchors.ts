/** One pass over a text that tells which rules have something to look at, and where. Most texts end here. */
import { lazy } from '../format/lazy.ts';
import type { Rule } from './rule.ts';
import { startOf, wordStarts } from './wordstarts.ts';

interface Anchored {
  /** What it begins with, whatever comes then. */
  readonly head: string;
  /** It is no more than its head. */
  readonly isPlain: boolean;
  /** So many letters, digits and signs of tokens come next at least. */
  readonly follows: number;
  /** What comes after just as many; '' where that is not told. */
  readonly after: string;
  /** Made when it is needed: of a hundred few ever are. */
  readonly anchor: () => RegExp;
}

interface Anchor {
  readonly rule: Rule;
  readonly source: string;
  /** What is looked for: for most never made. */
  made: Anchored | undefined;
}

interface Pass {
  /** All of them together. It takes milliseconds to make, and none to use. */
  readonly pattern: () => RegExp;
  /** Those that may stand in a text. */
  readonly among: (text: string) => readonly Anchor[];
  readonly made: (anchor: Anchor) => Anchored;
  /** By the code of an anchor's first character; made with the pattern. */
  readonly byFirst: () => ReadonlyMap<number, readonly Anchor[]>;
  readonly anyCase: boolean;
  /** Only where no letter stands before. */
  readonly isTight: boolean;
}

interface Hit {
  readonly rule: Rule;
  readonly at: number;
}

/** So much text is looked through for each anchor by itself before the patterns of all of them are made: most commands show less. */
const WITHOUT_PATTERNS = 32_000;

export interface AnchorScan {
  places(text: string): ReadonlyMap<Rule, readonly number[]>;
  /** Whether there are any: looks no further than the first. */
  hasAny(text: string): boolean;
}

export function anchorScan(rules: readonly Rule[]): AnchorScan {
  const passes = passesOf(rules);
  let looked = 0;
  const hitsIn = (text: string) => {
    looked += text.length;
    return looked > WITHOUT_PATTERNS ? hitsByPattern : hitsByHead;
  };
  return {
    places(text) {
      const places = new Map<Rule, number[]>();
      const hits = hitsIn(text);
      for (const pass of passes) for (const hit of hits(text, pass)) put(hit, places);
      for (const each of places.values()) each.sort((a, b) => a - b);
      return places;
    },
    hasAny(text) {
      const hits = hitsIn(text);
      return passes.some((pass) => hits(text, pass).next().done !== true);
    },
  };
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** A backslash belongs to it. */
function firstOf(source: string): string {
  return /^\\?./.exec(source)?.[0] ?? '';
}

/** Those of each in one walk: it is done before anything is shown. */
function passesOf(rules: readonly Rule[]): Pass[] {
  const tight: Anchor[] = [];
  const loose: Anchor[] = [];
  const anyCase: Anchor[] = [];
  for (const rule of rules) {
    for (const source of rule.anchors) {
      const own = rule.anyCase ? anyCase : isLetter(source.charCodeAt(0)) ? tight : loose;
      own.push({ rule, source, made: undefined });
    }
  }
  const passes = [
    // Tried only where a word begins: three times as fast.
    passOf(tight, '(?<![A-Za-z])', ''),
    passOf(loose, '', ''),
    passOf(anyCase, '', 'i'),
  ];
  return passes.filter((pass) => pass !== undefined);
}

function passOf(anchors: readonly Anchor[], before: string, flags: string): Pass | undefined {
  if (anchors.length === 0) return undefined;
  const made = (anchor: Anchor) => (anchor.made ??= anchoredOf(anchor.source, before, flags));
  const byFirst = lazy(() => {
    const found = new Map<number, Anchor[]>();
    for (const anchor of anchors) {
      for (const code of codesOf(firstOf(anchor.source).slice(-1), flags))
        found.set(code, [...(found.get(code) ?? []), anchor]);
    }
    return found;
  });
  const pattern = lazy(() => new RegExp(`${before}(?:${together(anchors)})`, `g${flags}`));
  const isTight = before !== '';
  if (!isTight) for (const anchor of anchors) made(anchor);
  return {
    pattern,
    among: isTight ? amongWords(anchors, made) : () => anchors,
    made,
    byFirst,
    anyCase: flags === 'i',
    isTight,
  };
}

/** Looks only at how its words begin. */
function amongWords(anchors: readonly Anchor[], made: Pass['made']): Pass['among'] {
  const others: Anchor[] = [];
  const byStart = new Map<string, Anchor[]>();
  for (const anchor of anchors) {
    const start = startOf(anchor.source);
    const alike = start === undefined ? others : byStart.get(start);
    if (alike !== undefined) alike.push(anchor);
    else if (start !== undefined) byStart.set(start, [anchor]);
  }
  for (const anchor of others) made(anchor);
  const starts = new Set(byStart.keys());
  return (text) => {
    const found = [...starts.intersection(wordStarts(text))];
    return [...others, ...found.flatMap((start) => byStart.get(start) ?? [])];
  };
}

function anchoredOf(source: string, before: string, flags: string): Anchored {
  const head = headOf(source);
  const isPlain = flags === '' && head === source;
  return {
    head: flags === '' ? head : head.toLowerCase(),
    isPlain,
    ...(isPlain ? NOTHING_FOLLOWS : followsIn(source)),
    anchor: lazy(() => new RegExp(`${before}(?:${source})`, `y${flags}`)),
  };
}

/** Most anchors: told at once, since they are looked at before anything is shown. */
const PLAIN = /^[\w"/:=~-]+$/;

/** The characters a pattern begins with, without one that may be missing. */
function headOf(source: string): string {
  if (PLAIN.test(source)) return source;
  const plain = /^(?:\\\W|[\w"/:=~-])+/.exec(source)?.[0] ?? '';
  const isLoose = /^[?*{]/.test(source.slice(plain.length));
  const head = plain.slice(0, isLoose ? -1 : undefined).replaceAll('\\', '');
  if (head === '') throw new Error(`the anchor ${source} does not begin with a character`);
  return head;
}

const NOTHING_FOLLOWS = { follows: 0, after: '' } as const;

/** `pat[A-Za-z0-9]{14}\\.`: 14, then a dot. */
function followsIn(source: string): Pick<Anchored, 'follows' | 'after'> {
  const [, follows = 0, after = ''] =
    /^(?:\\\W|[\w"/:=~-])+\[[\w\\%+/-]+\]\{(\d+)(?:\}\\(\W)(?![?*{]))?/.exec(source) ?? [];
  return { follows: Number(follows), after };
}

/** `a(?:b|c)` for `ab|ac`: what begins alike is tried together. */
function together(anchors: readonly Anchor[]): string {
  const ends = new Map<string, Set<string>>();
  for (const { source } of anchors) {
    const first = firstOf(source);
    ends.set(first, (ends.get(first) ?? new Set()).add(source.slice(first.length)));
  }
  return [...ends].map(([first, rest]) => `${first}(?:${[...rest].join('|')})`).join('|');
}

function codesOf(letter: string, flags: string): number[] {
  const letters = flags === 'i' ? new Set([letter.toLowerCase(), letter.toUpperCase()]) : [letter];
  return [...letters].map((each) => each.charCodeAt(0));
}

function put({ rule, at }: Hit, places: Map<Rule, number[]>): void {
  const known = places.get(rule);
  if (!known) places.set(rule, [at]);
  else if (known.at(-1) !== at) known.push(at);
}

function* hitsByPattern(text: string, { pattern, byFirst, made }: Pass): Generator<Hit> {
  const anyAnchor = pattern();
  anyAnchor.lastIndex = 0;
  for (let hit = anyAnchor.exec(text); hit; hit = anyAnchor.exec(text)) {
    const at = hit.index;
    for (const anchor of byFirst().get(text.charCodeAt(at)) ?? []) {
      if (standsAt(made(anchor), text, at)) yield { rule: anchor.rule, at };
    }
    // Another anchor may begin inside this one.
    anyAnchor.lastIndex = at + 1;
  }
}

/** The same in the same order. */
function* hitsByHead(text: string, pass: Pass): Generator<Hit> {
  const folded = pass.anyCase ? text.toLowerCase() : text;
  // A letter may become two; no anchor has one of those.
  if (folded.length !== text.length) return yield* hitsByPattern(text, pass);
  const hits: Hit[] = [];
  for (const anchor of pass.among(text)) {
    const { rule } = anchor;
    const anchored = pass.made(anchor);
    for (let at = folded.indexOf(anchored.head); at >= 0; at = folded.indexOf(anchored.head, at + 1)) {
      if (mayStandAt(anchored, pass, text, at) && (anchored.isPlain || standsAt(anchored, text, at)))
        hits.push({ rule, at });
    }
  }
  yield* hits.sort((a, b) => a.at - b.at);
}

/** Most heads are parts of ordinary words, such as `path`: to make a pattern for each of these takes longer than all else. */
function mayStandAt({ head, follows, after }: Anchored, { isTight }: Pass, text: string, at: number): boolean {
  if (isTight && isLetter(text.charCodeAt(at - 1))) return false;
  const from = at + head.length;
  const least = from + follows;
  for (let place = from; place < least; place += 1) if (!isOfToken(text.charCodeAt(place))) return false;
  return text.startsWith(after, least);
}

/** `\w%+/-`; NaN, after the end, is none. */
function isOfToken(code: number): boolean {
  return isLetter(code) || (code >= 47 && code <= 57) || code === 95 || code === 45 || code === 43 || code === 37;
}

function standsAt({ anchor }: Anchored, text: string, at: number): boolean {
  const pattern = anchor();
  pattern.lastIndex = at;
  return pattern.test(text);
}
