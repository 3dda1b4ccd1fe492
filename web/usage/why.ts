/** Why a chat costs what it does, beside the others: many messages, or dear ones. */
import { costText, counted, percentText, shortModel } from './amounts.ts';
import { hitRate, type Sum } from './series.ts';

const MUCH = 1.5;

export function whyDear(chat: Sum, all: readonly Sum[], model: string | undefined): string {
  const priced = all.filter(({ costUSD, messages }) => costUSD !== null && messages > 0);
  const each = ({ costUSD, messages }: Sum) => (costUSD ?? 0) / messages;
  const count = chat.messages / median(priced.map(({ messages }) => messages));
  const price = each(chat) / median(priced.map(each));
  const facts = [
    `${counted(chat.messages, 'message')}${times(count)}`,
    ...(chat.costUSD === null ? [] : [`${costText(each(chat))} each${times(price)}`]),
  ];
  if (price > count) facts.reverse();
  const hits = hitRate(chat);
  if (hits !== undefined && hits < 0.8) facts.push(`only ${percentText(hits)} from the cache`);
  if (model !== undefined) facts.push(shortModel(model));
  return facts.join(' · ');
}

function times(ratio: number): string {
  return Number.isFinite(ratio) && ratio >= MUCH
    ? ` (${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)}× the usual)`
    : '';
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = 0, above = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}
