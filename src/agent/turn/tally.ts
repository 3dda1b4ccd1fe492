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
  /** What it is a part of: an agent's turn of the one that called it, a turn of its session. Counts there too. */
  readonly within?: Tally;
}

export function createTally(within?: Tally): Tally {
  return { rounds: 0, apiMs: 0, costUSD: 0, usage: {}, ...(within && { within }) };
}

/** Of all that it is a part of: what a budget is held against. */
export function wholeCost(tally: Tally): number {
  return tally.within === undefined ? tally.costUSD : wholeCost(tally.within);
}

export function addTime(tally: Tally, ms: number): void {
  tally.apiMs += ms;
  if (tally.within) addTime(tally.within, ms);
}

/** What was used elsewhere and counts there already. */
export function addOther(tally: Tally, { apiMs, costUSD, usage, unpriced }: Tally): void {
  tally.apiMs += apiMs;
  tally.costUSD += costUSD;
  if (unpriced !== undefined) tally.unpriced = unpriced;
  for (const [model, used] of Object.entries(usage)) tally.usage[model] = addUsage(tally.usage[model] ?? {}, used);
}

export function addAnswer(tally: Tally, model: string, usage: JsonObject, cost: Model['cost']): void {
  tally.rounds += 1;
  addUsed(tally, model, usage, cost);
}

/** Also what was asked beside the conversation. */
export function addUsed(tally: Tally, model: string, usage: JsonObject, cost: Model['cost']): void {
  const known = cost(model, usage);
  const price = known ?? 0;
  const used = { ...usage, costUSD: price };
  for (let at: Tally | undefined = tally; at !== undefined; at = at.within) {
    at.costUSD += price;
    at.usage[model] = addUsage(at.usage[model] ?? {}, used);
    if (known === undefined) at.unpriced = model;
  }
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
