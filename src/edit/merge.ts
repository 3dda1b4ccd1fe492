/** One session that lies in two places: which of the two has all of it. */

/** same: equal bytes · behind: the first is the beginning of the second · ahead: the other way round · apart: each has its own. */
export type Relation = 'same' | 'behind' | 'ahead' | 'apart';

/** Transcripts are only ever appended to (L5), so whole lines in common from the start tell everything. */
export function relationOf(first: Iterable<Uint8Array>, second: Iterable<Uint8Array>): Relation {
  const [a, b] = [first[Symbol.iterator](), second[Symbol.iterator]()];
  for (;;) {
    const [one, other] = [a.next(), b.next()];
    if (one.done && other.done) return 'same';
    if (one.done) return 'behind';
    if (other.done) return 'ahead';
    if (!isEqual(one.value, other.value)) return 'apart';
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
