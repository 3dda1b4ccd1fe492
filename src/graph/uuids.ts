/**
 * The uuids that a list of entries names, as numbers. Branches and context both ask which entry hangs on which: of one map of
 * strings the answers are made once, and all that follows works on numbers.
 */
import type { Entry } from '../format/entry.ts';

export const NONE = -1;

export interface Uuids {
  /** Numbers are below it. */
  readonly count: number;
  /** By place in the list: the number of the entry's uuid, or NONE. */
  readonly own: Int32Array;
  /** By place: the number of its parent's uuid, which no entry may have; NONE without one. */
  readonly parent: Int32Array;
  /** No two entries have one uuid, and none has an empty one. */
  readonly distinct: boolean;
  /** NONE for what no entry names. */
  find(uuid: string): number;
}

/** Links and chain ask for the same list, one after the other. */
const made = new WeakMap<readonly Entry[], Uuids>();

/** `identity` as in LinkOptions: uuids that it maps to one have one number. */
export function uuidsOf(entries: readonly Entry[], identity?: (uuid: string) => string): Uuids {
  if (identity !== undefined) return numberUuids(entries, identity);
  const known = made.get(entries);
  // A list that has grown is another.
  if (known?.own.length === entries.length) return known;
  const uuids = numberUuids(entries, (uuid) => uuid);
  made.set(entries, uuids);
  return uuids;
}

/** Lists in which no uuid comes twice, with their length: parts of such as were numbered. */
const distinct = new WeakMap<readonly Entry[], number>();

/** Notes what is known of a part of a list, so that nobody looks again. */
export function notePart(part: readonly Entry[], whole: Pick<Uuids, 'distinct'>): void {
  if (whole.distinct) distinct.set(part, part.length);
}

/** Whether it is known that no uuid comes twice in a list. */
export function isKnownDistinct(entries: readonly Entry[]): boolean {
  return distinct.get(entries) === entries.length;
}

function numberUuids(entries: readonly Entry[], identity: (uuid: string) => string): Uuids {
  const numbers = new Map<string, number>();
  const own = new Int32Array(entries.length).fill(NONE);
  const parent = new Int32Array(entries.length).fill(NONE);
  const numberOf = (uuid: string): number => {
    const id = identity(uuid);
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, numbers.size);
    return numbers.size - 1;
  };
  for (let place = 0; place < entries.length; place += 1) {
    const head = entries[place]?.head;
    if (head?.uuid !== undefined) own[place] = numberOf(head.uuid);
    if (head?.parentUuid) parent[place] = numberOf(head.parentUuid);
  }
  const find = (uuid: string) => numbers.get(identity(uuid)) ?? NONE;
  return { count: numbers.size, own, parent, distinct: find('') === NONE && isDistinct(own, numbers.size), find };
}

function isDistinct(own: Int32Array, count: number): boolean {
  const seen = new Uint8Array(count);
  for (const number of own) {
    if (seen[number] === 1) return false;
    if (number !== NONE) seen[number] = 1;
  }
  return true;
}
