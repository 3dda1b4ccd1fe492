/** Columns of very many messages, outside the JavaScript heap. */
import { createNumbers } from '../../format/numbers.ts';

/** Whole numbers from 0 on, or nothing. */
export interface Counts {
  get(row: number): number | undefined;
  set(row: number, count: number | undefined): void;
  dropBefore(row: number): void;
}

const NONE = -1;
const LARGE = -2;
/** What is larger is kept apart: hardly any count is. */
const MOST = 2 ** 31 - 3;

export function createCounts(): Counts {
  const small = createNumbers(NONE);
  const large = new Map<number, number>();
  return {
    get(row) {
      const count = small.get(row);
      return count === LARGE ? large.get(row) : count === NONE ? undefined : count;
    },
    set(row, count = NONE) {
      if (count === NONE && small.get(row) === NONE) return;
      if (count > MOST) large.set(row, count);
      small.set(row, count > MOST ? LARGE : count);
    },
    dropBefore: small.dropBefore,
  };
}

/** Things that repeat from row to row: each once, by its number. */
export interface Repeats<T> {
  numberOf(value: T): number;
  at(number: number): T | undefined;
}

/** `fields`: what tells two apart. Mostly it is the same as the last time. */
export function createRepeats<T>(fields: (value: T) => readonly unknown[]): Repeats<T> {
  const all: T[] = [];
  const places = new Map<string, number>();
  let last: readonly unknown[] = [];
  let place = NONE;
  return {
    numberOf(value) {
      const now = fields(value);
      if (place >= 0 && now.every((each, at) => each === last[at])) return place;
      last = now;
      const name = JSON.stringify(now.map((each) => each ?? null));
      place = places.get(name) ?? all.push(value) - 1;
      places.set(name, place);
      return place;
    },
    at: (number) => all[number],
  };
}
