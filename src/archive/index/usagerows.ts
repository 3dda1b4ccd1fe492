/** The usage of archived transcripts, kept by what they hold, and the sums a report is made of. */
import { join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { mountFile } from '../../disk/mounts.ts';
import { projectOfCwds } from '../../disk/project.ts';
import { createIdsOnce, type FileUsage, ofAgent, usageOfFile } from '../../disk/usage.ts';
import { createUsageFold } from '../../graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin } from '../../graph/usage/line.ts';
import { createLineOrigins } from '../../graph/usage/origins.ts';
import { cellsToJson, toCells } from '../../views/usage/cells.ts';
import { dayCellsToJson, toDayCells } from '../../views/usage/daycells.ts';
import { toFact } from '../../views/usage/facts.ts';
import { createPrices } from '../../views/usage/prices.ts';
import { nodeZlib } from '../builtins.ts';
import { toArchiveError } from '../errors.ts';
import { type ArchivedState, allStates } from '../files.ts';
import { agentIdOf, createMounter, slugOf } from '../mount/mountfiles.ts';
import { all, blobOf, type Database, get, numberOf, run, transaction } from '../sqlite.ts';
import { type Archive, changesOf } from '../store.ts';
import { createOnDisk } from '../sync/ondisk.ts';
import { collectGarbage, inTurns, type Work } from '../turns.ts';
import { INDEX_NAME, openIndex, settle } from './derived.ts';
import { isStillGrowing } from './outlinemaker.ts';
import { USAGE_LAYOUT, usageToJson } from './usagejson.ts';
import { findUsage, isOfLayout, PRICED_BY } from './usagekept.ts';

export interface UsageOptions {
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** Reads what is not known yet; stopped by the signal between two files. How many were read. */
export async function updateUsageInTurns(archive: Archive, options: UsageOptions = {}): Promise<number> {
  try {
    return await inTurns(update(archive, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot keep the usage', join(archive.folder, INDEX_NAME));
  }
}

function* update(archive: Archive, options: UsageOptions): Work<number> {
  const index = openIndex(archive);
  try {
    const changes = changesOf(archive.db);
    dropOlder(index.db);
    const states = allStates(archive.db).filter(({ kind }) => kind === 'session' || kind === 'agent');
    const dropped = dropOthers(index.db, states);
    const made = yield* readNew(archive, index.db, states, options);
    if (options.signal?.aborted) return made;
    if (made + dropped > 0 || !areCellsKept(index.db, states.length)) yield* keepCells(index.db, states, changes);
    else run(index.db, 'UPDATE usage_cells SET changes = ?', changes);
    settle(index.db);
    return made;
  } finally {
    index.close();
  }
}

function* readNew(
  archive: Archive,
  db: Database,
  states: readonly ArchivedState[],
  { signal, now = Date.now }: UsageOptions,
): Work<number> {
  const kept = all(db, 'SELECT digest, file, size FROM usage');
  const digests = new Set(kept.map((row) => keyOf(blobOf(row, 'digest'))));
  const sizes = new Map(kept.map((row) => [numberOf(row, 'file'), numberOf(row, 'size')]));
  const mount = createMounter(archive);
  const disk = createOnDisk(archive.db);
  let made = 0;
  let bytes = 0;
  for (const state of states) {
    if (signal?.aborted) break;
    if (digests.has(keyOf(state.digest)) || isStillGrowing(state, sizes.get(state.id), now())) continue;
    // One that grew is read from the archive: a sync reads of its source only what was added.
    const path = sizes.has(state.id) ? undefined : disk.pathOf(state);
    const read = path === undefined ? undefined : usageOnDisk(path, () => disk.pathOf(state) === path);
    save(db, state, read ?? usageArchived(archive, state, mount));
    digests.add(keyOf(state.digest));
    made += 1;
    bytes += state.size;
    if (bytes >= COLLECT_BYTES) {
      bytes = 0;
      collectGarbage();
    }
    yield;
  }
  return made;
}

const COLLECT_BYTES = 32 << 20;

/** Nothing when the file was touched meanwhile. */
function usageOnDisk(path: string, isUntouched: () => boolean): FileUsage[] | undefined {
  try {
    const usage = usageOfFile(path, { onPart: collectGarbage });
    return isUntouched() ? usage : undefined;
  } catch (error) {
    if (error instanceof DiskError) return undefined;
    throw error;
  }
}

function usageArchived(archive: Archive, state: ArchivedState, mount: ReturnType<typeof createMounter>): FileUsage[] {
  const path = `archive:${archive.folder}:${state.version}`;
  mountFile(path, mount({ path, state }));
  return usageOfFile(path, { onPart: collectGarbage });
}

function keyOf(digest: Buffer): string {
  return digest.toString('latin1');
}

function save(db: Database, { id, size, digest }: ArchivedState, messages: readonly FileUsage[]): void {
  const body = nodeZlib().zstdCompressSync(JSON.stringify(usageToJson(messages)));
  run(db, 'INSERT OR REPLACE INTO usage (digest, file, size, body) VALUES (?, ?, ?, ?)', digest, id, size, body);
}

/** What was kept by other rules. */
function dropOlder(db: Database): void {
  if (isOfLayout(db)) return;
  transaction(db, () => {
    run(db, 'DELETE FROM usage');
    run(db, 'DELETE FROM usage_cells');
    run(db, "INSERT OR REPLACE INTO meta VALUES ('usage', ?)", USAGE_LAYOUT);
  });
}

/** What no transcript holds any more. */
function dropOthers(db: Database, states: readonly ArchivedState[]): number {
  const digests = new Set(states.map(({ digest }) => keyOf(digest)));
  let dropped = 0;
  for (const row of all(db, 'SELECT digest FROM usage')) {
    const digest = blobOf(row, 'digest');
    if (!digests.has(keyOf(digest))) dropped += run(db, 'DELETE FROM usage WHERE digest = ?', digest);
  }
  return dropped;
}

/** Of so many files: a copy has no messages of its own, and is one more. */
function areCellsKept(db: Database, files: number): boolean {
  return get(db, 'SELECT 1 FROM usage_cells WHERE prices = ? AND files = ?', PRICED_BY, files) !== undefined;
}

/** Beyond so many they are kept as numbers. */
const MOST_AT_HAND = 32_768;

/** All messages once, in the order of the files, at today's prices. Without any while a file is not read yet. */
function* keepCells(db: Database, states: readonly ArchivedState[], changes: number): Work<void> {
  run(db, 'DELETE FROM usage_cells');
  const room = { most: () => MOST_AT_HAND, ids: createIdsOnce(), origins: createLineOrigins };
  const fold = createUsageFold<LineOrigin>(isBetterOrigin, room);
  const projects = new Map<string, string>();
  for (const state of states) {
    const messages = findUsage(db, state.digest, String(state.id));
    if (messages === undefined) return;
    projects.set(String(state.id), projectOf(state, messages));
    const agentId = state.kind === 'agent' ? agentIdOf(state) : undefined;
    for (const message of messages) fold.add(agentId === undefined ? message : ofAgent(message, agentId));
    yield;
  }
  const pricing = { mode: 'auto' as const, ratesOf: createPrices().ratesOf };
  function* facts() {
    for (const each of fold) yield toFact(each, projects.get(each.origin.file) ?? '', pricing);
  }
  const cells = toCells(facts());
  const days = toDayCells(cells);
  const sql = 'INSERT INTO usage_cells (prices, changes, files, days, body) VALUES (?, ?, ?, ?, ?)';
  const byDay = days === undefined ? null : JSON.stringify(dayCellsToJson(days));
  run(db, sql, PRICED_BY, changes, states.length, byDay, JSON.stringify(cellsToJson(cells)));
}

function projectOf(state: ArchivedState, messages: readonly FileUsage[]): string {
  const cwds = messages.map(({ origin }) => origin.cwd);
  return projectOfCwds(cwds, slugOf(state)).path;
}
