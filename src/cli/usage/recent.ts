/**
 * The cost of the last day and more, from a small file of sums: each call reads only what was added to transcripts since
 * the one before. Never part of a report: those count everything anew.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { asArray, asNumber, asObject, asString, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { type Chain, chainUntil, createPauses } from './recentblocks.ts';
import type { Range, ReadRows, RecentReader } from './recentread.ts';

/** Id, request, time, output, cost (billionths; null is not known), context, 1 for a sub-agent or what was done besides. */
export type RecentRow = readonly [string, string | null, number, number, number | null, number, number];

export interface RecentFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** From here, */
  readonly from: number;
  /** and up to here it was read: lines' starts. */
  readonly at: number;
  /** The first time of what was read. */
  readonly since: number;
  readonly rows: readonly RecentRow[];
}

interface Recent {
  readonly walked: number;
  readonly files: ReadonlyMap<string, RecentFile>;
  readonly rates: JsonObject;
  readonly chain: Chain | undefined;
}

export interface RecentQuery {
  readonly folder: string;
  readonly now: number;
  /** Transcripts to look at besides those known already. */
  readonly find: () => Promise<readonly string[]>;
  readonly transcript: string | undefined;
}

const NAME = 'statusline.json';
/** What was kept otherwise is read again. */
const LAYOUT = 4;
const HOUR = 3_600_000;
/** Enough for today in any time zone, and the block that began before it. */
const HORIZON = 36 * HOUR;
/** As far back rows are kept until all was read once: the chain of blocks is made of them then. */
const FARTHEST = 7 * 24 * HOUR;
const WALK_EVERY = 60_000;
/** At most so much is read in one call; the rest waits for the next. */
const MOST_BYTES = 24 << 20;
/** A longer line is passed over: none that tells of usage is. A shorter one that does not fit into what other files left waits for the next call. */
const LONGEST_LINE = 6 << 20;
/**
 * After so many files what was read is kept, then after twice as many: a client may stop a status line that takes long, and the next
 * goes on from there. All the keeping costs no more than the reading.
 */
const KEEP_AFTER = 256;

/** What is known of one file. */
export interface RecentPart {
  readonly rows: readonly RecentRow[];
  /** More was said in it before. */
  readonly isPart: boolean;
}

export interface RecentSums {
  readonly rows: readonly RecentRow[];
  readonly byFile: ReadonlyMap<string, RecentPart>;
  readonly chain: Chain | undefined;
  readonly partial: boolean;
}

export async function recentUsage({ folder, now, find, transcript }: RecentQuery): Promise<RecentSums> {
  const state = load(join(folder, NAME), now);
  const walk = now - state.walked > WALK_EVERY || now < state.walked;
  const paths = new Set([...(transcript ? [transcript] : []), ...state.files.keys(), ...(walk ? await find() : [])]);
  const reading = createReading(state, (sofar) => save(folder, { ...state, ...sofar }));
  const older: Place[] = [];
  for (const place of placesOf(paths)) {
    if (reading.isKnown(place)) reading.keep(place);
    else if (place.stat.mtimeMs >= now - HORIZON) await reading.read(place);
    else older.push(place);
  }
  for (const path of [...reading.files.keys()]) await reading.readOlder(path, now - HORIZON);
  const isWhole = walk && !reading.isPartial();
  const chain = isWhole ? await takeOn(state.chain, reading, older, now) : state.chain;
  const oldest = chain?.until ?? now - FARTHEST;
  const files = newest(reading.files, oldest);
  // Files that there was no time for are met again by the next call.
  const walked = !walk ? state.walked : reading.isPartial() ? 0 : now;
  if (walk || reading.hasRead()) await save(folder, { walked, files, rates: reading.rates(), chain });
  if (walk) await clear(folder);
  const byFile = new Map(
    [...files].map(([path, { rows, from, since }]) => [path, { rows, isPart: from > 0 || since < oldest }]),
  );
  return { rows: [...files.values()].flatMap(({ rows }) => rows), byFile, chain, partial: reading.isPartial() };
}

interface Place {
  readonly path: string;
  readonly stat: Pick<RecentFile, 'size' | 'mtimeMs'>;
}

function placesOf(paths: Iterable<string>): Place[] {
  return [...paths].flatMap((path) => {
    const stat = quietly(() => statSync(path, { throwIfNoEntry: false }));
    return stat?.isFile() ? [{ path, stat }] : [];
  });
}

/** The files of one call, read as far as it may. `keepSoFar` is told now and then what is known by then. */
function createReading(
  { files: known, rates }: Recent,
  keepSoFar: (sofar: Pick<Recent, 'files' | 'rates'>) => Promise<void>,
) {
  const files = new Map<string, RecentFile>();
  // Mostly nothing was added since the last call: then nothing that reads is loaded.
  let reader: RecentReader | undefined;
  let left = MOST_BYTES;
  let partial = false;
  let count = 0;
  let keepAt = KEEP_AFTER;
  const keep = ({ path }: Place): void => {
    const before = known.get(path);
    if (before) files.set(path, before);
  };
  /** undefined for what cannot be read: it is passed over, as in a report. */
  async function readOr(path: string, range: Range): Promise<ReadRows | undefined> {
    left -= range.to - range.from;
    reader ??= (await import('./recentread.ts')).createRecentReader(rates);
    return reader.read(path, range).catch((error: unknown) => {
      if (error instanceof DiskError) return undefined;
      throw error;
    });
  }
  async function counted(): Promise<void> {
    count += 1;
    if (count < keepAt) return;
    keepAt *= 2;
    await keepSoFar({ files: new Map([...known, ...files]), rates: reader?.rates() ?? rates });
  }
  return {
    files,
    keep,
    isKnown({ path, stat }: Place): boolean {
      const before = known.get(path);
      return before !== undefined && before.size === stat.size && before.mtimeMs === stat.mtimeMs;
    },
    async read(place: Place): Promise<void> {
      const { path, stat } = place;
      if (left <= 0) {
        partial = true;
        keep(place);
        return;
      }
      const before = known.get(path);
      const same = before && before.at <= stat.size ? before : undefined;
      // Of a large file that is met first the end: what is recent stands there.
      const from = same?.at ?? Math.max(0, stat.size - left);
      const range = { from, to: Math.min(stat.size, from + left) };
      const read = await readOr(path, range);
      if (read === undefined) keep(place);
      else if (same === undefined && from > 0 && isTooShort(range, read)) partial = true;
      else {
        const isStuck = read.to <= range.from && range.to < stat.size && !isTooShort(range, read);
        const at = isStuck ? range.to : Math.max(read.to, same?.at ?? 0);
        const isRest = range.to < stat.size;
        const since = Math.min(same?.since ?? Infinity, firstOf(read.rows) ?? Infinity);
        const rows = [...(same?.rows ?? []), ...read.rows];
        if (isRest) partial = true;
        // Of the size it has then, it is not known yet.
        files.set(path, { ...stat, size: isRest ? at : stat.size, from: same?.from ?? read.from, at, since, rows });
      }
      await counted();
    },
    /** What of the horizon stands before the end of a file. */
    async readOlder(path: string, horizon: number): Promise<void> {
      const file = files.get(path);
      if (file === undefined || file.from === 0 || Math.min(file.since, file.mtimeMs) < horizon) return;
      const range = { from: Math.max(0, file.from - left), to: file.from };
      const read = left > 0 ? await readOr(path, range) : undefined;
      if (read === undefined) {
        partial ||= left <= 0;
        return;
      }
      const from = read.from < file.from || isTooShort(range, read) ? read.from : range.from;
      const since = Math.min(file.since, firstOf(read.rows) ?? Infinity);
      files.set(path, { ...file, from, since, rows: [...read.rows, ...file.rows] });
      if (from > 0 && Math.min(since, file.mtimeMs) >= horizon) partial = true;
      await counted();
    },
    rows: () => [...files.values()].flatMap(({ rows }) => rows),
    rowsOf: ({ path }: Place) => files.get(path)?.rows ?? [],
    rates: () => reader?.rates() ?? rates,
    hasRead: () => reader !== undefined,
    mayRead: () => left > 0,
    isPartial: () => partial,
  };
}

/** No line lies in a range as a whole, which may be because others left so little to be read. */
function isTooShort({ from, to }: Range, read: Range): boolean {
  return read.to <= read.from && to - from < LONGEST_LINE;
}

function firstOf(rows: readonly RecentRow[]): number | undefined {
  return rows.reduce<number | undefined>((first, [, , time]) => Math.min(first ?? time, time), undefined);
}

/** Reads older files back to where the chain is known, or to the last pause of five hours; mostly that is none. */
async function takeOn(
  before: Chain | undefined,
  reading: ReturnType<typeof createReading>,
  older: readonly Place[],
  now: number,
): Promise<Chain> {
  const places = older.toSorted((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
  const pauses = createPauses(now);
  pauses.add(reading.rows());
  for (const place of places) {
    // What is not read yet says nothing that is later.
    const unknown = place.stat.mtimeMs;
    const isKnown = before !== undefined && unknown <= before.made;
    if (isKnown || !reading.mayRead() || pauses.isAfter(unknown)) break;
    await reading.read(place);
    pauses.add(reading.rowsOf(place));
  }
  return { ...chainUntil(reading.rows(), now - HORIZON, before), made: now };
}

function newest(files: ReadonlyMap<string, RecentFile>, since: number): Map<string, RecentFile> {
  return new Map(
    [...files]
      .filter(([, { mtimeMs }]) => mtimeMs >= since)
      .map(([path, file]) => [path, { ...file, rows: file.rows.filter(([, , time]) => time >= since) }]),
  );
}

function load(path: string, now: number): Recent {
  const read = asObject(parseJson(readText(path)));
  // What was kept by a clock that has been set back since ends too late.
  const isOfNow = read?.layout === LAYOUT && (asNumber(read.walked) ?? 0) <= now + WALK_EVERY;
  const json = isOfNow ? read : undefined;
  const files = new Map<string, RecentFile>();
  for (const [file, value] of Object.entries(asObject(json?.files) ?? {})) {
    const { size, mtimeMs, from, at, since, rows } = asObject(value) ?? {};
    files.set(file, {
      size: asNumber(size) ?? -1,
      mtimeMs: asNumber(mtimeMs) ?? -1,
      from: asNumber(from) ?? 0,
      at: asNumber(at) ?? 0,
      // Where no time was told JSON has null.
      since: asNumber(since) ?? Infinity,
      rows: (asArray(rows) ?? []).map(toRecentRow),
    });
  }
  const chain = toChain(json?.chain);
  return { walked: asNumber(json?.walked) ?? 0, files, rates: asObject(json?.rates) ?? {}, chain };
}

function toChain(json: Json | undefined): Chain | undefined {
  const { until, made, state } = asObject(json) ?? {};
  const [start, last] = [asNumber(asObject(state)?.start), asNumber(asObject(state)?.last)];
  if (typeof until !== 'number' || typeof made !== 'number') return undefined;
  return { until, made, ...(start !== undefined && last !== undefined && { state: { start, last } }) };
}

function toRecentRow(json: Json): RecentRow {
  const row = asArray(json) ?? [];
  const number = (place: number) => asNumber(row[place]) ?? 0;
  return [
    asString(row[0]) ?? '',
    asString(row[1]) ?? null,
    number(2),
    number(3),
    asNumber(row[4]) ?? null,
    number(5),
    number(6),
  ];
}

function readText(path: string): string {
  return quietly(() => readFileSync(path, 'utf8')) ?? '';
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A client stops a status line at any moment, also while it keeps what it read. */
async function clear(folder: string): Promise<void> {
  const { clearing } = await import('../../disk/killed.ts');
  quietly(() => clearing()(join(folder, NAME)));
}

async function save(folder: string, { walked, files, rates, chain }: Recent): Promise<void> {
  const { writeFileAtomic } = await import('../../disk/durable.ts');
  const json = JSON.stringify({ layout: LAYOUT, walked, rates, chain, files: Object.fromEntries(files) });
  // Where nothing can be written all is read again each time.
  quietly(() => writeFileAtomic(join(folder, NAME), Buffer.from(json), { mode: 0o600 }));
}
