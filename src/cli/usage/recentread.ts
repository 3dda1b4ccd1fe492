/** Reading what was added to a transcript: the usage of its new lines, priced. */
import { linesHolding } from '../../disk/needle.ts';
import { fileSource } from '../../disk/source.ts';
import type { JsonObject } from '../../format/json.ts';
import { valuesOf } from '../../format/values.ts';
import { besidesOf } from '../../graph/usage/fold.ts';
import { type LineUsage, USAGE_KEEP, USAGE_NEEDLE, usageInLine, uuidInLine } from '../../graph/usage/line.ts';
import { costOf, PER_DOLLAR } from '../../views/usage/rates.ts';
import { createRates, type RateCache } from './ratecache.ts';
import type { RecentRow } from './recent.ts';

const NEEDLE = Buffer.from(USAGE_NEEDLE);

export interface RecentReader {
  /** The rows of some bytes of a file, and which whole lines they were: at most those asked for. */
  read(file: string, range: Range): Promise<ReadRows>;
  /** The prices that were looked up, to be kept. */
  rates(): JsonObject;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface ReadRows extends Range {
  readonly rows: readonly RecentRow[];
}

export function createRecentReader(kept: JsonObject): RecentReader {
  const rates = createRates(kept);
  return { read: (file, range) => readRows(file, range, rates), rates: rates.known };
}

async function readRows(file: string, range: Range, rates: RateCache): Promise<ReadRows> {
  const from = lineFrom(file, range);
  const rows: RecentRow[] = [];
  let to = from;
  for (const { line, bytes } of linesHolding(file, NEEDLE, { from, to: range.to })) {
    const json = valuesOf(line, bytes, USAGE_KEEP) ?? {};
    const usage = usageInLine(json, { file, line: 0, start: line.start, end: line.end });
    // A line without its end may still be written.
    if (line.terminated) to = line.end + 1;
    if (usage?.time === undefined || usage.synthetic || !line.terminated) continue;
    // As the report tells messages apart that have no id.
    const told = { ...usage, key: usage.key ?? uuidInLine(json) };
    rows.push(await toRow(told, rates));
    for (const each of besidesOf(told))
      rows.push(await toRow({ ...each, origin: { ...each.origin, isSidechain: true } }, rates));
  }
  return { from, to: to < range.to ? lastEnd(file, { from: to, to: range.to }) : to, rows };
}

const CHUNK = 64 << 10;

/** Where the first line begins in a range; its end where none does. */
function lineFrom(file: string, { from, to }: Range): number {
  if (from === 0) return 0;
  const source = fileSource(file);
  try {
    // The end of the line before may be the last byte before it.
    for (let [at, size] = [from - 1, 1]; at < to; at += size, size = CHUNK) {
      const newline = source.read(at, Math.min(to, at + size)).indexOf(NEWLINE);
      if (newline >= 0) return at + newline + 1;
    }
    return to;
  } finally {
    source.close();
  }
}

/** Where the last line ends in a range; its beginning where none does. */
function lastEnd(file: string, { from, to }: Range): number {
  const source = fileSource(file);
  try {
    for (let [at, size] = [to, 1]; at > from; at -= size, size = CHUNK) {
      const start = Math.max(from, at - size);
      const newline = source.read(start, at).lastIndexOf(NEWLINE);
      if (newline >= 0) return start + newline + 1;
    }
    return from;
  } finally {
    source.close();
  }
}

const NEWLINE = 10;

async function toRow({ key = '', requestId, time = 0, usage, model, costUSD, origin }: LineUsage, rates: RateCache) {
  const known = model === undefined ? undefined : await rates.of(model, time);
  const cost = costUSD === undefined ? known && costOf(usage, known) : Math.round(costUSD * PER_DOLLAR);
  const context = usage.input + usage.cacheCreation + usage.cacheRead;
  const side = origin.isSidechain || origin.agentId !== undefined ? 1 : 0;
  const row: RecentRow = [key, requestId ?? null, time, usage.output, cost ?? null, context, side];
  return row;
}
