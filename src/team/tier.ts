/**
 * How a request was sold, as one word of a row: its service tier, another speed than the usual one and where it had to be answered:
 * `standard+fast@us`. Whoever knows only tiers reads one it has no price for, and counts it at the usual price.
 */
import type { Usage } from '../format/usage.ts';

type Sold = Pick<Usage, 'serviceTier' | 'speed' | 'inferenceGeo'>;

/** `shape`: a word as it may be sent. */
export function tierText({ serviceTier = '', speed, inferenceGeo }: Sold, shape = (word: string) => word): string {
  const plain = (word: string) => shape(word).replace(/[+@]/g, '-');
  const at = inferenceGeo === undefined ? '' : `@${plain(inferenceGeo)}`;
  return `${plain(serviceTier)}${speed === undefined ? '' : `+${plain(speed)}`}${at}`;
}

export function tierOf(text: string): Sold {
  const [, serviceTier, speed, inferenceGeo] = /^([^+@]*)(?:\+([^@]*))?(?:@(.*))?$/s.exec(text) ?? [];
  return { serviceTier: serviceTier || undefined, speed, inferenceGeo };
}

/** The same in SQL: how many times the usual price it costs, 0 where that is not known. `fast` and `us` are what the model's prices say. */
export const TIER_FACTOR = `if(extract(tier, '^[^+@]*') = 'batch', 0.5, 1)
  * multiIf(position(tier, '+') = 0, 1, extract(tier, '\\\\+([^@]*)') = 'fast', fast, 0)
  * if(extract(tier, '@(.*)') = 'us', us, 1)`;
