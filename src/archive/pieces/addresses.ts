/**
 * The addresses of pieces that a first sync takes. The archive has none but those that were given since it was made, so a few bytes of
 * each tell that a piece is new without looking into the table, and the rows are written together, in the order of the table:
 * one by one, each would be looked for and put somewhere else in it.
 */
import { type Database, get, numberOf, run } from '../sqlite.ts';

export interface FreshAddresses {
  /** Notes a piece that was not archived before. False where it may have been: then whoever asks looks into the table. */
  add(address: Buffer, id: number): boolean;
  /** Writes what was noted; `next` is the id that the next new piece gets. */
  save(next: number): void;
}

interface Known {
  readonly marks: Marks;
  /** The piece after the last that is known, and the state of the file: somebody else may have added some. */
  next: number;
  readonly version: number;
}

const knownOf = new WeakMap<Database, Known>();

/** For one transaction. undefined where not all addresses are known here. */
export function freshAddresses(db: Database, next: number): FreshAddresses | undefined {
  // Other for this connection as soon as another one has written.
  const version = numberOf(get(db, 'PRAGMA data_version'), 'data_version');
  const known = next === 1 ? { marks: createMarks(), next, version } : knownOf.get(db);
  if (known === undefined || known.next !== next || known.version !== version || known.marks.isFull()) {
    knownOf.delete(db);
    return undefined;
  }
  knownOf.set(db, known);
  const { marks } = known;
  let addresses: Buffer[] = [];
  let ids: number[] = [];

  function write(): void {
    const sorted = inOrder(addresses);
    for (let at = 0; at < sorted.length; ) {
      const rows = sorted.length - at < ROWS ? 1 : ROWS;
      const values = sorted.slice(at, at + rows).flatMap((place) => [addresses[place] ?? null, ids[place] ?? null]);
      run(db, rows === 1 ? INSERT_ONE : INSERT_MANY, ...values);
      at += rows;
    }
    addresses = [];
    ids = [];
  }

  return {
    add(address, id) {
      if (!marks.isFull() && marks.add(address.readUInt32BE(0))) {
        addresses.push(address);
        ids.push(id);
        if (addresses.length === MOST_WAITING) write();
        return true;
      }
      // It may be one of those that wait.
      write();
      return false;
    },
    save(end) {
      write();
      known.next = end;
    },
  };
}

/** Of very short lines: a step has very many of them. */
const MOST_WAITING = 1 << 16;
const ROWS = 64;
/** OR FAIL: of what a statement of several rows may have to undo SQLite copies every page to a file first. Whoever fails here drops the whole transaction. */
const INSERT_ONE = 'INSERT OR FAIL INTO piece (hash, id) VALUES (?, ?)';
const INSERT_MANY = `${INSERT_ONE}${', (?, ?)'.repeat(ROWS - 1)}`;

/** Their places, as the table has them in order: by the first four bytes, which is enough for rows to lie near each other. */
function inOrder(addresses: readonly Buffer[]): number[] {
  const keys = Float64Array.from(addresses, (address, place) => address.readUInt32BE(0) * MOST_WAITING + place);
  return Array.from(keys.sort(), (key) => key % MOST_WAITING);
}

interface Marks {
  /** False where it was there, or another that begins alike. */
  add(mark: number): boolean;
  isFull(): boolean;
}

const MOST_MARKS = 1 << 20;

/** A set of numbers of 32 bits, in a few bytes each. */
function createMarks(): Marks {
  let slots = new Uint32Array(1 << 14);
  let size = 0;

  /** 0 is an empty slot. */
  function put(value: number): boolean {
    const mask = slots.length - 1;
    for (let at = value & mask; ; at = (at + 1) & mask) {
      const there = slots[at];
      if (there === value) return false;
      if (there !== 0) continue;
      slots[at] = value;
      return true;
    }
  }

  function grow(): void {
    const before = slots;
    slots = new Uint32Array(2 * before.length);
    for (const value of before) if (value !== 0) put(value);
  }

  return {
    add(mark) {
      if (!put(mark === 0 ? 1 : mark)) return false;
      size += 1;
      if (2 * size > slots.length) grow();
      return true;
    },
    isFull: () => size >= MOST_MARKS,
  };
}
