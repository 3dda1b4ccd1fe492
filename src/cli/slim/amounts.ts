/** Numbers as people type them. */
import { UsageError } from '../errors.ts';

const SCALES: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 };

/** `80k`, `1.5m`, `120000`; at least `least`. */
export function amountOf(text: string, where: string, least = 0): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(text.replace(/_/g, '')) ?? [];
  if (digits === undefined)
    throw new UsageError(`"${text}" is not an amount.`, where, 'Give a number such as 80k, 1.5m or 120000.');
  const amount = Math.round(Number(digits) * (SCALES[unit.toLowerCase()] ?? 1));
  if (amount < least) throw new UsageError(`"${text}" is too little.`, where, `Give at least ${least}, such as 80k.`);
  return amount;
}

/** `3`, at least `least`. */
export function countOf(text: string, where: string, least = 0): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (count < least) throw new UsageError(`"${text}" is not a count.`, where, `Give a whole number from ${least}.`);
  return count;
}
