/** What a message used and cost, counted as `skein usage` counts it. */
import { jsonOf } from '../../format/entry.ts';
import type { Message } from '../../graph/types.ts';
import { besidesOf, createUsageFold, type MessageUsage } from '../../graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin, usageInLine } from '../../graph/usage/line.ts';
import { costOfMessage, type Pricing } from '../usage/facts.ts';
import { type CostPart, costParts, PER_DOLLAR } from '../usage/rates.ts';
import type { Cost } from './types.ts';

export function costIn(message: Message, pricing: Pricing): Cost | null {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin);
  for (const entry of message.entries) {
    const { number, start, end } = entry.line;
    const told = usageInLine(jsonOf(entry) ?? {}, { file: entry.source.name, line: number, start, end });
    if (told === undefined) continue;
    const own = { ...told, key: 'it', requestId: undefined };
    for (const each of [own, ...besidesOf(own)]) fold.add(each);
  }
  const counted = fold.messages();
  const costs = counted.flatMap((each) => costOfMessage(each, pricing) ?? []);
  if (counted.length === 0 || costs.length < counted.length) return null;
  const parts: { [K in CostPart['what']]?: number } = {};
  for (const { what, costUSD } of counted.flatMap((each) => partsIn(each, pricing)))
    parts[what] = (parts[what] ?? 0) + costUSD;
  return { totalUSD: costs.reduce((sum, cost) => sum + cost, 0) / PER_DOLLAR, parts };
}

/** What was computed; nothing where a cost was recorded. */
function partsIn({ costUSD, model, time, usage }: MessageUsage<LineOrigin>, { mode, ratesOf }: Pricing): CostPart[] {
  const isRecorded = mode !== 'computed' && costUSD !== undefined;
  const rates = isRecorded || model === undefined ? undefined : ratesOf(model, time);
  return rates === undefined ? [] : costParts(usage, rates);
}
