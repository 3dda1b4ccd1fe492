/** What a turn used, by model, and what that costs. */
import { isObject, type JsonObject } from '../../format/json.ts';
import type { Model } from '../ports.ts';

export interface Tally {
  rounds: number;
  apiMs: number;
  costUSD: number;
  /** A model that answered and whose price is not known. */
  unpriced?: string;
  readonly usage: Record<string, JsonObject>;
}

export function createTally(): Tally {
  return { rounds: 0, apiMs: 0, costUSD: 0, usage: {} };
}

export function addAnswer(tally: Tally, model: string, usage: JsonObject, cost: Model['cost']): void {
  const known = cost(model, usage);
  if (known === undefined) tally.unpriced = model;
  const price = known ?? 0;
  tally.rounds += 1;
  tally.costUSD += price;
  tally.usage[model] = addUsage(tally.usage[model] ?? {}, { ...usage, costUSD: price });
}

/** Counts add up, also those within; of anything else the newest stands. */
export function addUsage(a: JsonObject, b: JsonObject): JsonObject {
  const made: JsonObject = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = a[key];
    if (typeof value === 'number' && typeof before === 'number') made[key] = before + value;
    else if (isObject(value) && isObject(before)) made[key] = addUsage(before, value);
    else if (value !== null || before === undefined) made[key] = value;
  }
  return made;
}
