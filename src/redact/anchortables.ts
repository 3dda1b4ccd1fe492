/** What is known of the anchors of rules before any text is looked at: the build works it out once (scripts/anchor-tables.ts). */
import type { Rule } from './rule.ts';
import { startOf } from './wordstarts.ts';

/** Anchors that are looked for alike, one below the other in columns. Those with a start come last, the same starts together. */
export interface AnchorTable {
  readonly anyCase: boolean;
  /** Only where no letter stands before: tried where a word begins, three times as fast. */
  readonly isTight: boolean;
  /** Which rule each belongs to. */
  readonly rules: readonly number[];
  readonly sources: readonly string[];
  /** What it begins with, whatever comes then. */
  readonly heads: readonly string[];
  /** So many letters, digits and signs of tokens come next at least; `WHOLE` where the head is all there is. */
  readonly follows: readonly number[];
  /** What comes after just as many; '' where that is not told. */
  readonly afters: readonly string[];
  /** How every word begins that begins with it; '' where that is not in one way, and it is looked for itself. */
  readonly starts: readonly string[];
}

export const WHOLE = -1;

export function anchorTables(rules: readonly Rule[]): AnchorTable[] {
  return [tableOf(rules, false, true), tableOf(rules, false, false), tableOf(rules, true, false)].filter(
    ({ sources }) => sources.length > 0,
  );
}

function tableOf(rules: readonly Rule[], anyCase: boolean, isTight: boolean): AnchorTable {
  const anchors = rules.flatMap((rule, index) =>
    (rule.anyCase ?? false) === anyCase
      ? rule.anchors
          .filter((source) => anyCase || isLetter(source.charCodeAt(0)) === isTight)
          .map((source) => ({ index, source, ...anchorOf(source, anyCase), start: (isTight && startOf(source)) || '' }))
      : [],
  );
  const inOrder = anchors.toSorted((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)));
  return {
    anyCase,
    isTight,
    rules: inOrder.map(({ index }) => index),
    sources: inOrder.map(({ source }) => source),
    heads: inOrder.map(({ head }) => head),
    follows: inOrder.map(({ follows }) => follows),
    afters: inOrder.map(({ after }) => after),
    starts: inOrder.map(({ start }) => start),
  };
}

function anchorOf(source: string, anyCase: boolean) {
  const head = headOf(source);
  if (!anyCase && head === source) return { head, follows: WHOLE, after: '' };
  return { head: anyCase ? head.toLowerCase() : head, ...followsIn(source) };
}

/** The characters a pattern begins with, without one that may be missing. */
function headOf(source: string): string {
  const plain = /^(?:\\\W|[\w"/:=~-])+/.exec(source)?.[0] ?? '';
  const isLoose = /^[?*{]/.test(source.slice(plain.length));
  const head = plain.slice(0, isLoose ? -1 : undefined).replaceAll('\\', '');
  if (head === '') throw new Error(`the anchor ${source} does not begin with a character`);
  return head;
}

/** `pat[A-Za-z0-9]{14}\\.`: 14, then a dot. */
function followsIn(source: string): { follows: number; after: string } {
  const [, follows = 0, after = ''] =
    /^(?:\\\W|[\w"/:=~-])+\[[\w\\%+/-]+\]\{(\d+)(?:\}\\(\W)(?![?*{]))?/.exec(source) ?? [];
  return { follows: Number(follows), after };
}

export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
