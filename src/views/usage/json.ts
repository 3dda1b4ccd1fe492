/** A report as JSON (docs/json.md). */
import type { Sums } from './facts.ts';
import { PER_DOLLAR } from './rates.ts';
import type { Report } from './rows.ts';

/** null where no cost is known: never a silent 0. */
export function sumsJson(sums: Sums) {
  const { messages, input, output, cacheCreation, cacheRead, cacheCreation1h, webSearches } = sums;
  const { cost, unpriced, incomplete, estimatedOutput } = sums;
  return {
    messages,
    input,
    output,
    cacheCreation,
    cacheRead,
    cacheCreation1h,
    webSearches,
    costUSD: unpriced > 0 && unpriced === messages ? null : cost / PER_DOLLAR,
    unpriced,
    incomplete,
    estimatedOutput,
  };
}

export function reportJson({ by, totals, rows, unknownModels, activeMs }: Report, labels: ReadonlyMap<string, string>) {
  return {
    by,
    totals: sumsJson(totals),
    rows: rows.map((row) => {
      const title = row.key.flatMap((value, place) => (by[place] === 'chat' ? (labels.get(value) ?? []) : []))[0];
      return {
        key: Object.fromEntries(row.key.map((value, place) => [by[place] ?? '', value])),
        ...(title === undefined ? {} : { title }),
        ...sumsJson(row),
      };
    }),
    unknownModels,
    activeMs,
  };
}
