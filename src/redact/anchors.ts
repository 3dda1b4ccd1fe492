/** One pass over a text that tells which rules have something to look at, and where. Most texts end here. */
import type { Rule } from './rule.ts';

interface Anchored {
  readonly rule: Rule;
  /** Made when it is needed: of a hundred few ever are. */
  readonly anchor: () => RegExp;
}

interface Pass {
  readonly pattern: RegExp;
  /** By the code of an anchor's first character. */
  readonly byFirst: ReadonlyMap<number, readonly Anchored[]>;
}

export interface AnchorScan {
  places(text: string): ReadonlyMap<Rule, readonly number[]>;
  /** Whether there are any: looks no further than the first. */
  hasAny(text: string): boolean;
}

export function anchorScan(rules: readonly Rule[]): AnchorScan {
  const exact = anchorsOf(rules.filter(({ anyCase }) => !anyCase));
  const isTight = ({ source }: Anchor) => /^[A-Za-z]/.test(source);
  const passes = [
    // Tried only where a word begins: three times as fast.
    passOf(exact.filter(isTight), '(?<![A-Za-z])', ''),
    passOf(
      exact.filter((anchor) => !isTight(anchor)),
      '',
      '',
    ),
    passOf(anchorsOf(rules.filter(({ anyCase }) => anyCase)), '', 'i'),
  ].filter((pass) => pass !== undefined);
  return {
    places(text) {
      const places = new Map<Rule, number[]>();
      for (const pass of passes) collect(text, pass, places);
      for (const each of places.values()) each.sort((a, b) => a - b);
      return places;
    },
    hasAny: (text) => passes.some((pass) => anchorsIn(text, pass).next().done !== true),
  };
}

interface Anchor {
  readonly rule: Rule;
  readonly source: string;
  /** A backslash belongs to it. */
  readonly first: string;
}

function anchorsOf(rules: readonly Rule[]): Anchor[] {
  return rules.flatMap((rule) =>
    rule.anchors.map((source) => ({ rule, source, first: /^\\?./.exec(source)?.[0] ?? '' })),
  );
}

function passOf(anchors: readonly Anchor[], before: string, flags: string): Pass | undefined {
  if (anchors.length === 0) return undefined;
  const byFirst = new Map<number, Anchored[]>();
  for (const { rule, source, first } of anchors) {
    const anchored = { rule, anchor: once(() => new RegExp(`${before}(?:${source})`, `y${flags}`)) };
    for (const code of codesOf(first.slice(-1), flags)) byFirst.set(code, [...(byFirst.get(code) ?? []), anchored]);
  }
  return { pattern: new RegExp(`${before}(?:${together(anchors)})`, `g${flags}`), byFirst };
}

/** `a(?:b|c)` for `ab|ac`: what begins alike is tried together. */
function together(anchors: readonly Anchor[]): string {
  const ends = new Map<string, Set<string>>();
  for (const { source, first } of anchors) {
    ends.set(first, (ends.get(first) ?? new Set()).add(source.slice(first.length)));
  }
  return [...ends].map(([first, rest]) => `${first}(?:${[...rest].join('|')})`).join('|');
}

function codesOf(letter: string, flags: string): number[] {
  const letters = flags === 'i' ? new Set([letter.toLowerCase(), letter.toUpperCase()]) : [letter];
  return [...letters].map((each) => each.charCodeAt(0));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function collect(text: string, pass: Pass, places: Map<Rule, number[]>): void {
  for (const { rule, at } of anchorsIn(text, pass)) {
    const known = places.get(rule);
    if (!known) places.set(rule, [at]);
    else if (known.at(-1) !== at) known.push(at);
  }
}

function* anchorsIn(text: string, { pattern: anyAnchor, byFirst }: Pass): Generator<{ rule: Rule; at: number }> {
  anyAnchor.lastIndex = 0;
  for (let hit = anyAnchor.exec(text); hit; hit = anyAnchor.exec(text)) {
    const at = hit.index;
    for (const { rule, anchor } of byFirst.get(text.charCodeAt(at)) ?? []) {
      const pattern = anchor();
      pattern.lastIndex = at;
      if (pattern.test(text)) yield { rule, at };
    }
    // Another anchor may begin inside this one.
    anyAnchor.lastIndex = at + 1;
  }
}
