/** How costs are found: the library's price table, a table of one's own, or what old clients wrote down. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { asObject, asString, type Json, parseJson } from '../../format/json.ts';
import type { Pricing } from '../../views/usage/facts.ts';
import { createPrices, ownModels } from '../../views/usage/prices.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { costMode, type PriceTable, tableOf } from './pricetable.ts';

export interface Priced extends Pricing {
  readonly table: PriceTable;
}

export function openPricing(context: Context, args: Arguments): Priced {
  const own = ownTable(context, args.value('prices'));
  const prices = createPrices(own?.models, context.now().getTime());
  return {
    mode: costMode(args),
    ratesOf: prices.ratesOf,
    table: tableOf(own && { file: own.file, date: own.date }),
  };
}

function ownTable(context: Context, given: string | undefined) {
  if (given === undefined) return null;
  const file = resolve(context.cwd, given);
  const next = 'See docs/usage.md for what it may hold.';
  if (!existsSync(file)) throw new CommandError('There is no such price table.', file, next);
  const json = jsonIn(file);
  if (json === undefined) throw new CommandError('The price table cannot be read as JSON.', file, next);
  const table = asObject(json);
  const models = table === undefined ? 'it is no JSON object' : ownModels(table);
  if (typeof models === 'string')
    throw new CommandError(`The price table is not as it should be: ${models}.`, file, next);
  return { file, models, date: asString(table?.date) ?? null };
}

/** undefined for what is none, and for what cannot be read. */
function jsonIn(file: string): Json | undefined {
  try {
    // Some editors begin a file with a byte order mark.
    return parseJson(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
