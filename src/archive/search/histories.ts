/** Histories of prompts (L4) beside the index: chats of which nothing else is left are not in it. */
import { join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { realPathOr } from '../../disk/io.ts';
import { isOnDisk, statOnDisk } from '../../disk/mounts.ts';
import { linesHolding } from '../../disk/needle.ts';
import type { Root } from '../../disk/roots.ts';
import { asObject, asString, parseJson } from '../../format/json.ts';
import { projectSlug } from '../../format/slug.ts';
import type { Query } from '../../views/search/query.ts';
import { versionsOf } from '../files.ts';
import { createPieceReader } from '../pieces/packs.ts';
import { storedLines } from '../pieces/storedlines.ts';
import { all, type Database, maybeNumber, maybeText, numberOf, type Row, textOf } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';
import { pathOf } from '../sync/sources.ts';
import { createFinder, type LineFinder } from './finder.ts';

/**
 * Whether a prompt may match that no session has. It may say so of one that a session has after all: which chats are left in
 * histories alone is known when all sessions were looked at, and that is worth it only where something may be found.
 */
export function mayBeInHistory(db: Database, roots: readonly Root[], query: Query): boolean {
  if (!asksForPrompts(query)) return false;
  const live = roots.flatMap(({ kind, config }) =>
    config !== undefined && (kind === 'config' || kind === 'projects')
      ? [join(realPathOr(config), 'history.jsonl')]
      : [],
  );
  const sizes = new Map(live.map((path) => [path, statOnDisk(path)?.size ?? -1]));
  const kept = all(db, KEPT);
  // Mostly found without making what looks through lines.
  if (kept.length === 0 && [...sizes.values()].every((size) => size <= 0)) return false;
  const finder = createFinder(query, false);
  const isHeld = heldBy(db, roots);
  const mayBeLeft = (line: Buffer) => finder.mayMatch(line) && !isHeld(line);
  for (const line of linesOnDisk(sizes, finder)) if (mayBeLeft(line)) return true;
  for (const line of linesKept(db, kept, sizes)) if (mayBeLeft(line)) return true;
  return false;
}

/** A prompt is a person's, about no tool, and by no model. */
function asksForPrompts({ filters }: Query): boolean {
  const { role, tool, file, model, is } = filters;
  const isTold = [tool, file, model, filters['git-branch'], is].some(({ any }) => any.length > 0);
  return !isTold && (role.any.length === 0 || role.any.includes('user'));
}

/** Whatever machine it was taken from. By name in each root: SQLite would look at every file. */
const KEPT = `SELECT file.id, file.name, file.current, root.path AS root FROM root
  CROSS JOIN file ON file.root = root.id AND file.name = 'history.jsonl'`;

function* linesKept(db: Database, rows: readonly Row[], sizes: ReadonlyMap<string, number>): Generator<Buffer> {
  for (const row of rows) {
    const [name, current] = [textOf(row, 'name'), maybeNumber(row, 'current')];
    const size = sizes.get(pathOf({ root: textOf(row, 'root'), name })) ?? -1;
    for (const version of versionsOf(db, numberOf(row, 'id'))) {
      // One that grew begins with what was archived (L5).
      if (version.id === current && size >= version.size) continue;
      for (const { raw } of storedLines(db, version, name, createPieceReader(db))) yield raw;
      yield version.tail;
    }
  }
}

function* linesOnDisk(sizes: ReadonlyMap<string, number>, { find }: LineFinder): Generator<Buffer> {
  for (const [path, size] of sizes) {
    try {
      if (size > 0) for (const { bytes } of linesHolding(path, find)) yield Buffer.from(bytes);
    } catch (error) {
      // The sessions can be searched all the same.
      if (!(error instanceof DiskError)) throw error;
    }
  }
}

/** What names a session that is archived, or lies where it should. Lines of old clients name none. */
function heldBy(db: Database, roots: readonly Root[]): (line: Buffer) => boolean {
  let archived: ReadonlySet<string | undefined> | undefined;
  const isThere = (session: string, project: string) =>
    roots.some(({ config = '' }) => isOnDisk(join(config, 'projects', projectSlug(project), `${session}.jsonl`)));
  return (line) => {
    const json = asObject(parseJson(line.toString()));
    // No prompt.
    if (json?.display === undefined) return true;
    const session = asString(json.sessionId);
    if (session === undefined || session === '') return false;
    archived ??= sessionsOf(db, roots);
    return archived.has(session) || isThere(session, asString(json.project) ?? '');
  };
}

function sessionsOf(db: Database, roots: readonly Root[]): Set<string | undefined> {
  const own = ownRoots(db);
  const ids = roots.flatMap(({ config, path }) => own.get(realPathOr(config ?? path)) ?? []);
  const rows = all(db, `SELECT session FROM file WHERE kind = 'session' AND root IN (${ids.join()})`);
  return new Set(rows.map((row) => maybeText(row, 'session')));
}
