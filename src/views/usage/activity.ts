/** In how many quarters of an hour there was a message. */
import { QUARTER } from './days.ts';
import type { Fact } from './facts.ts';

/** Quarters of a day are bits of numbers, so many in each: four make the longest day there is. */
export const BITS = 25;

export interface Activity {
  add(fact: Pick<Fact, 'time' | 'quarters'>): void;
  /** Each quarter once, as milliseconds. */
  ms(): number;
}

export function createActivity(): Activity {
  const quarters = new Set<number>();
  /** By the beginning of a day. */
  const days = new Map<number, number[]>();
  return {
    add({ time, quarters: own }) {
      if (time === undefined) return;
      if (own === undefined) {
        quarters.add(Math.floor(time / QUARTER));
        return;
      }
      const known = days.get(time);
      if (known === undefined) days.set(time, [...own]);
      else for (let place = 0; place < own.length; place += 1) known[place] = (known[place] ?? 0) | (own[place] ?? 0);
    },
    ms() {
      let count = quarters.size;
      for (const day of days.values()) for (const bits of day) count += ones(bits);
      return count * QUARTER;
    },
  };
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
