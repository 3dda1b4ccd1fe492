/** Numbers of a report for people. */
import type { Sums } from './facts.ts';
import { PER_DOLLAR } from './rates.ts';

/** 950, 12.3k, 4.56M. */
export function tokenText(count: number): string {
  if (count < 1000) return String(count);
  for (const [unit, size] of UNITS) {
    // What would be written as 1000k is 1.00M.
    if (count < size * 999.5) return `${short(count / size)}${unit}`;
  }
  return `${short(count / 1e12)}T`;
}

const UNITS = [
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
] as const;

function short(value: number): string {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : String(Math.round(value));
}

export type Spent = Pick<Sums, 'cost' | 'unpriced' | 'messages'>;

export function messagesText(count: number): string {
  return count === 1 ? 'one message' : `${count} messages`;
}

/** Dollars to the cent, small sums to more; "?" where nothing of it is known, "+?" where not all is. */
export function costText({ cost, unpriced, messages }: Spent): string {
  if (unpriced > 0 && unpriced === messages) return '?';
  return `${dollars(cost)}${unpriced > 0 ? '+?' : ''}`;
}

export function dollars(cost: number): string {
  const value = cost / PER_DOLLAR;
  return `$${value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)}`;
}

/** `claude-opus-4-5-20251101` is opus-4-5 to a person, as long as it is not told beside another that is called so. */
export function shortModel(model: string | undefined): string {
  return (model ?? '').replace(/^claude-/, '').replace(/-\d{8}$/, '');
}

/** What to call models that are told beside each other: by their whole ids where short names would be alike. */
export function modelNames(models: Iterable<string>): (model: string) => string {
  const byName = Map.groupBy(new Set(models), shortModel);
  return (model) => ((byName.get(shortModel(model))?.length ?? 0) > 1 ? model : shortModel(model));
}
