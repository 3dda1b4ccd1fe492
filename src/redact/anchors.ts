/** One pass over a text that tells which rules have something to look at, and where. Most texts end here. */
import { lazy } from '../format/lazy.ts';
import { type AnchorTable, anchorTables, isLetter, WHOLE } from './anchortables.ts';
import type { Rule } from './rule.ts';
import { wordStarts } from './wordstarts.ts';

interface Pass extends AnchorTable {
  /** The place of the first anchor that has a start. */
  readonly firstStart: number;
  readonly allStarts: ReadonlySet<string>;
  /** All of them together. It takes milliseconds to make, and none to use. */
  readonly pattern: () => RegExp;
  /** By the code of an anchor's first character. */
  readonly byFirst: () => ReadonlyMap<number, readonly number[]>;
  /** Made when it is needed: of a hundred few ever are. */
  readonly made: (RegExp | undefined)[];
}

/** Where an anchor of a rule stands. */
interface Hit {
  readonly rule: number;
  readonly at: number;
}

/** So much text is looked through for each anchor by itself before the patterns of all of them are made: most commands show less. */
const WITHOUT_PATTERNS = 32_000;

export interface AnchorScan {
  places(text: string): ReadonlyMap<Rule, readonly number[]>;
  /** Whether there are any: looks no further than the first. */
  hasAny(text: string): boolean;
}

export function anchorScan(rules: readonly Rule[], tables: readonly AnchorTable[] = anchorTables(rules)): AnchorScan {
  const passes = tables.map(passOf);
  let looked = 0;
  const hitsIn = (text: string) => {
    looked += text.length;
    return looked > WITHOUT_PATTERNS ? hitsByPattern : hitsByHead;
  };
  return {
    places(text) {
      const places = new Map<Rule, number[]>();
      const hits = hitsIn(text);
      for (const pass of passes) for (const { rule, at } of hits(text, pass)) put(rules[rule], at, places);
      for (const each of places.values()) each.sort((a, b) => a - b);
      return places;
    },
    hasAny(text) {
      const hits = hitsIn(text);
      return passes.some((pass) => hits(text, pass).next().done !== true);
    },
  };
}

function passOf(table: AnchorTable): Pass {
  const { anyCase, isTight, sources, starts } = table;
  const known = starts.findIndex((start) => start !== '');
  const firstStart = known < 0 ? starts.length : known;
  const byFirst = lazy(() => {
    const found = new Map<number, number[]>();
    for (const [index, source] of sources.entries()) {
      for (const code of codesOf(firstOf(source).slice(-1), anyCase))
        found.set(code, [...(found.get(code) ?? []), index]);
    }
    return found;
  });
  const before = isTight ? NO_LETTER : '';
  return {
    ...table,
    firstStart,
    allStarts: new Set(starts.slice(firstStart)),
    pattern: lazy(() => new RegExp(`${before}(?:${together(sources)})`, anyCase ? 'gi' : 'g')),
    byFirst,
    made: [],
  };
}

const NO_LETTER = '(?<![A-Za-z])';

/** A backslash belongs to it. */
function firstOf(source: string): string {
  return /^\\?./.exec(source)?.[0] ?? '';
}

/** `a(?:b|c)` for `ab|ac`: what begins alike is tried together. */
function together(sources: readonly string[]): string {
  const ends = new Map<string, Set<string>>();
  for (const source of sources) {
    const first = firstOf(source);
    ends.set(first, (ends.get(first) ?? new Set()).add(source.slice(first.length)));
  }
  return [...ends].map(([first, rest]) => `${first}(?:${[...rest].join('|')})`).join('|');
}

function codesOf(letter: string, anyCase: boolean): number[] {
  const letters = anyCase ? new Set([letter.toLowerCase(), letter.toUpperCase()]) : [letter];
  return [...letters].map((each) => each.charCodeAt(0));
}

function put(rule: Rule | undefined, at: number, places: Map<Rule, number[]>): void {
  if (rule === undefined) return;
  const known = places.get(rule);
  if (!known) places.set(rule, [at]);
  else if (known.at(-1) !== at) known.push(at);
}

function* hitsByPattern(text: string, pass: Pass): Generator<Hit> {
  const anyAnchor = pass.pattern();
  anyAnchor.lastIndex = 0;
  for (let hit = anyAnchor.exec(text); hit; hit = anyAnchor.exec(text)) {
    const at = hit.index;
    for (const anchor of pass.byFirst().get(text.charCodeAt(at)) ?? []) {
      if (standsAt(pass, anchor, text, at)) yield { rule: pass.rules[anchor] ?? 0, at };
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
  const { heads, firstStart, allStarts } = pass;
  for (let anchor = 0; anchor < firstStart; anchor += 1) {
    const at = folded.indexOf(heads[anchor] ?? '');
    if (at >= 0) addHits(pass, anchor, text, folded, at, hits);
  }
  // Of the others only those that words of the text begin like.
  if (allStarts.size > 0)
    for (const start of allStarts.intersection(wordStarts(text))) addStarting(pass, start, text, hits);
  yield* hits.sort((a, b) => a.at - b.at);
}

function addStarting(pass: Pass, start: string, text: string, hits: Hit[]): void {
  const { starts, heads } = pass;
  for (let anchor = starts.indexOf(start); starts[anchor] === start; anchor += 1) {
    const at = text.indexOf(heads[anchor] ?? '');
    if (at >= 0) addHits(pass, anchor, text, text, at, hits);
  }
}

/** `from`: where its head stands first. */
function addHits(pass: Pass, anchor: number, text: string, folded: string, from: number, hits: Hit[]): void {
  const { heads, rules, follows } = pass;
  for (let at = from; at >= 0; at = folded.indexOf(heads[anchor] ?? '', at + 1))
    if (mayStandAt(pass, anchor, text, at) && (follows[anchor] === WHOLE || standsAt(pass, anchor, text, at)))
      hits.push({ rule: rules[anchor] ?? 0, at });
}

/** Most heads are parts of ordinary words, such as `path`: to make a pattern for each of these takes longer than all else. */
function mayStandAt({ heads, follows, afters, isTight }: Pass, anchor: number, text: string, at: number): boolean {
  if (isTight && isLetter(text.charCodeAt(at - 1))) return false;
  const from = at + (heads[anchor] ?? '').length;
  const least = from + (follows[anchor] ?? 0);
  for (let place = from; place < least; place += 1) if (!isOfToken(text.charCodeAt(place))) return false;
  return text.startsWith(afters[anchor] ?? '', least);
}

/** `\w%+/-`; NaN, after the end, is none. */
function isOfToken(code: number): boolean {
  return isLetter(code) || (code >= 47 && code <= 57) || code === 95 || code === 45 || code === 43 || code === 37;
}

function standsAt({ sources, isTight, anyCase, made }: Pass, anchor: number, text: string, at: number): boolean {
  let pattern = made[anchor];
  if (pattern === undefined) {
    pattern = new RegExp(`${isTight ? NO_LETTER : ''}(?:${sources[anchor]})`, anyCase ? 'yi' : 'y');
    made[anchor] = pattern;
  }
  pattern.lastIndex = at;
  return pattern.test(text);
}
