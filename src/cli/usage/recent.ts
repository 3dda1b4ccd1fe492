/**
 * The cost of the last day and more, from a small file of sums: each call reads only what was added to transcripts since
 * the one before. Never part of a report: those count everything anew.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asArray, asNumber, asObject, asString, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import type { RecentReader } from './recentread.ts';

/** Id, request, time, output, cost (billionths; null is not known), context, 1 for a sub-agent. */
export type RecentRow = readonly [string, string | null, number, number, number | null, number, number];

export interface RecentFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** Up to here it was read: a line's start. */
  readonly at: number;
  readonly rows: readonly RecentRow[];
}

interface Recent {
  readonly walked: number;
  readonly files: ReadonlyMap<string, RecentFile>;
  readonly rates: JsonObject;
}

export interface RecentQuery {
  readonly folder: string;
  readonly now: number;
  /** Transcripts to look at besides those known already. */
  readonly find: () => Promise<readonly string[]>;
  readonly transcript: string | undefined;
}

const NAME = 'statusline.json';
/** Enough for today in any time zone, and the block that began before it. */
const HORIZON = 36 * 3_600_000;
const WALK_EVERY = 60_000;
/** At most so much is read in one call; the rest waits for the next. */
const MOST_BYTES = 24 << 20;

export interface RecentSums {
  readonly rows: readonly RecentRow[];
  readonly byFile: ReadonlyMap<string, readonly RecentRow[]>;
  readonly partial: boolean;
}

export async function recentUsage({ folder, now, find, transcript }: RecentQuery): Promise<RecentSums> {
  const state = load(join(folder, NAME));
  const walk = now - state.walked > WALK_EVERY || now < state.walked;
  const paths = new Set([...(transcript ? [transcript] : []), ...state.files.keys(), ...(walk ? await find() : [])]);
  // Mostly nothing was added since the last call: then nothing that reads is loaded.
  let reader: RecentReader | undefined;
  const files = new Map<string, RecentFile>();
  let left = MOST_BYTES;
  let partial = false;
  let changed = walk;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.mtimeMs < now - HORIZON) continue;
    const before = state.files.get(path);
    if (before && before.size === stat.size && before.mtimeMs === stat.mtimeMs) files.set(path, before);
    else if (left <= 0) {
      partial = true;
      if (before) files.set(path, before);
    } else {
      const known = before && before.at <= stat.size ? before : undefined;
      // Of a large file that is met first only the end: what is recent stands there. The line it begins in is no JSON.
      const from = known ? known.at : Math.max(0, stat.size - left);
      left -= stat.size - from;
      reader ??= (await import('./recentread.ts')).createRecentReader(state.rates, now - HORIZON);
      files.set(path, await reader.readOn(path, stat, from, known?.rows ?? []));
      changed = true;
    }
  }
  const rates = reader?.rates() ?? state.rates;
  if (changed) await save(folder, { walked: walk ? now : state.walked, files, rates });
  const byFile = new Map([...files].map(([path, { rows }]) => [path, rows]));
  return { rows: [...byFile.values()].flat(), byFile, partial };
}

function load(path: string): Recent {
  const json = asObject(parseJson(readText(path)));
  const files = new Map<string, RecentFile>();
  for (const [file, value] of Object.entries(asObject(json?.files) ?? {})) {
    const { size, mtimeMs, at, rows } = asObject(value) ?? {};
    files.set(file, {
      size: asNumber(size) ?? -1,
      mtimeMs: asNumber(mtimeMs) ?? -1,
      at: asNumber(at) ?? 0,
      rows: (asArray(rows) ?? []).map(toRecentRow),
    });
  }
  return { walked: asNumber(json?.walked) ?? 0, files, rates: asObject(json?.rates) ?? {} };
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
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function save(folder: string, { walked, files, rates }: Recent): Promise<void> {
  const { writeFileAtomic } = await import('../../disk/durable.ts');
  const json = JSON.stringify({ walked, rates, files: Object.fromEntries(files) });
  writeFileAtomic(join(folder, NAME), Buffer.from(json), { mode: 0o600 });
}
