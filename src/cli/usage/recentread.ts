/** Reading what was added to a transcript: the usage of its new lines, priced. */
import { linesHolding } from '../../disk/needle.ts';
import { fileSource } from '../../disk/source.ts';
import type { JsonObject } from '../../format/json.ts';
import { valuesOf } from '../../format/values.ts';
import { besidesOf } from '../../graph/usage/fold.ts';
import { type LineUsage, USAGE_KEEP, USAGE_NEEDLE, usageInLine, uuidInLine } from '../../graph/usage/line.ts';
import { costOf, PER_DOLLAR } from '../../views/usage/rates.ts';
import { createRates, type RateCache } from './ratecache.ts';
import type { RecentFile, RecentRow } from './recent.ts';

const NEEDLE = Buffer.from(USAGE_NEEDLE);

export interface RecentReader {
  /** A file's rows, read from a place on. */
  readOn(file: string, stat: Stat, from: number, before: readonly RecentRow[]): Promise<RecentFile>;
  /** The prices that were looked up, to be kept. */
  rates(): JsonObject;
}

type Stat = Pick<RecentFile, 'size' | 'mtimeMs'>;

export function createRecentReader(kept: JsonObject): RecentReader {
  const rates = createRates(kept);
  return {
    readOn: (file, stat, from, before) => readOn({ file, stat, from }, [...before], rates),
    rates: rates.known,
  };
}

interface Reading {
  readonly file: string;
  readonly stat: Stat;
  readonly from: number;
}

async function readOn({ file, stat, from }: Reading, rows: RecentRow[], rates: RateCache): Promise<RecentFile> {
  let at = from;
  for (const { line, bytes } of linesHolding(file, NEEDLE, { from })) {
    const json = valuesOf(line, bytes, USAGE_KEEP) ?? {};
    const usage = usageInLine(json, { file, line: 0, start: line.start, end: line.end });
    // A line without its end may still be written.
    if (line.terminated) at = line.end + 1;
    if (usage?.time === undefined || usage.synthetic || !line.terminated) continue;
    // As the report tells messages apart that have no id.
    const told = { ...usage, key: usage.key ?? uuidInLine(json) };
    rows.push(await toRow(told, rates));
    for (const each of besidesOf(told))
      rows.push(await toRow({ ...each, origin: { ...each.origin, isSidechain: true } }, rates));
  }
  if (at < stat.size && endsLine(file, stat.size)) at = stat.size;
  return { size: stat.size, mtimeMs: stat.mtimeMs, at, rows };
}

/** Whether a line ends where the file did: then nothing before has to be looked at again. */
function endsLine(file: string, size: number): boolean {
  const source = fileSource(file);
  try {
    return source.read(size - 1, size)[0] === 10;
  } finally {
    source.close();
  }
}

async function toRow({ key = '', requestId, time = 0, usage, model, costUSD, origin }: LineUsage, rates: RateCache) {
  const known = model === undefined ? undefined : await rates.of(model);
  const cost = costUSD === undefined ? known && costOf(usage, known) : Math.round(costUSD * PER_DOLLAR);
  const context = usage.input + usage.cacheCreation + usage.cacheRead;
  const side = origin.isSidechain || origin.agentId !== undefined ? 1 : 0;
  const row: RecentRow = [key, requestId ?? null, time, usage.output, cost ?? null, context, side];
  return row;
}
