/** Numbers of the usage page for people. */
import { costText as costOfSums, dollars, shortModel, tokenText } from '../../src/views/usage/amounts.ts';
import { PER_DOLLAR } from '../../src/views/usage/rates.ts';

export { shortModel, tokenText };

export interface Costed {
  readonly costUSD: number | null;
  readonly unpriced: number;
  readonly messages: number;
}

export function costText(costUSD: number): string {
  return dollars(costUSD * PER_DOLLAR);
}

/** "?" where no cost is known, "+?" where not all of it is. */
export function costOfRow({ costUSD, unpriced, messages }: Costed): string {
  return costOfSums({ cost: (costUSD ?? 0) * PER_DOLLAR, unpriced, messages });
}

export function percentText(share: number): string {
  const percent = share * 100;
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** Of one thing "1 message", of others "1,234 messages". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
