/** Prices that were looked up before: the table itself takes longer to load than a hook with little to send may take. */
import { readFileSync } from 'node:fs';
import { writeFileAtomic } from '../../disk/durable.ts';
import { parseJson } from '../../format/json.ts';
import type { Pricing } from '../../views/usage/facts.ts';
import { fromKnownRates, priceDay, toKnownRates } from '../../views/usage/keptrates.ts';

/** Thrown while spans are made, before anything is sent: load the table and make them again. */
export class PriceMissing extends Error {}

export interface HookRates {
  readonly of: Pricing['ratesOf'];
  load(): Promise<void>;
  save(): void;
}

export function openRates(file: string, now = Date.now()): HookRates {
  const today = priceDay(now);
  const known = toKnownRates(parseJson(textOf(file)), today);
  let table: Pricing['ratesOf'] | undefined;
  let isNew = false;
  return {
    of(model, time = now) {
      // What is kept are the prices of today.
      const isOfToday = priceDay(time) === today;
      if (isOfToday && known.has(model)) return known.get(model);
      if (table === undefined) throw new PriceMissing(model);
      const rates = table(model, time);
      if (isOfToday && rates?.isOfHour !== true) {
        known.set(model, rates);
        isNew = true;
      }
      return rates;
    },
    async load() {
      const { createPrices } = await import('../../views/usage/prices.ts');
      table = createPrices([], now).ratesOf;
    },
    save() {
      if (!isNew) return;
      isNew = false;
      try {
        writeFileAtomic(file, Buffer.from(JSON.stringify(fromKnownRates(known, today))), { mode: 0o600 });
      } catch {
        // They are looked up again.
      }
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
