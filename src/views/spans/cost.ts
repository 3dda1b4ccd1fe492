/** What a message used and cost, counted as `skein usage` counts it. */
import { jsonOf } from '../../format/entry.ts';
import type { Message } from '../../graph/types.ts';
import { createUsageFold } from '../../graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin, usageInLine } from '../../graph/usage/line.ts';
import { costOfMessage, type Pricing } from '../usage/facts.ts';
import { costParts, PER_DOLLAR } from '../usage/rates.ts';
import type { Cost } from './types.ts';

export function costIn(message: Message, pricing: Pricing): Cost | null {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin);
  for (const entry of message.entries) {
    const { number, start, end } = entry.line;
    const told = usageInLine(jsonOf(entry) ?? {}, { file: entry.source.name, line: number, start, end });
    if (told !== undefined) fold.add({ ...told, key: 'it', requestId: undefined });
  }
  const [whole] = fold.messages();
  const cost = whole && costOfMessage(whole, pricing);
  if (whole === undefined || cost === undefined) return null;
  const totalUSD = cost / PER_DOLLAR;
  const isRecorded = pricing.mode !== 'computed' && whole.costUSD !== undefined;
  const rates = isRecorded || whole.model === undefined ? undefined : pricing.ratesOf(whole.model, whole.time);
  const parts = rates === undefined ? [] : costParts(whole.usage, rates);
  return { totalUSD, parts: Object.fromEntries(parts.map(({ what, costUSD }) => [what, costUSD])) };
}
