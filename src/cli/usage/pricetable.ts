/** What is said about prices, without loading them. */
import type { CostMode } from '../../views/usage/facts.ts';
import { TABLE } from '../../views/usage/pricetable.ts';
import type { Arguments } from '../command.ts';

export interface PriceTable {
  readonly name: string;
  readonly date: string;
  /** A table of one's own, which comes first. */
  readonly own: { readonly file: string; readonly date: string | null } | null;
}

export function tableOf(own: PriceTable['own'] = null): PriceTable {
  return { name: TABLE.name, date: TABLE.date, own };
}

export function costMode(args: Arguments): CostMode {
  const mode = args.value('cost');
  return mode === 'recorded' || mode === 'computed' ? mode : 'auto';
}
