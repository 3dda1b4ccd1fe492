/** How the folders of archived roots listed when the index was made: kept in it, so that a search and usage mostly need not list them. */

import type { FolderStamp } from '../../disk/filestate.ts';
import { findSessions } from '../../disk/find.ts';
import { folderFs } from '../../disk/io.ts';
import { type KeptListing, noteListings } from '../../disk/listings.ts';
import { asArray, type Json, parseJson } from '../../format/json.ts';
import { type Database, get, run } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';

const KEPT = 'listings:';

/** `now`: milliseconds. */
export function keepListings(index: Database, db: Database, now = Date.now): void {
  run(index, `DELETE FROM meta WHERE key GLOB '${KEPT}*'`);
  for (const [path, id] of ownRoots(db)) {
    const kept = listingsOf(path, now).map((each) => [each.path, each.stamp, each.files, each.folders]);
    if (kept.length > 0) run(index, 'INSERT INTO meta VALUES (?, ?)', KEPT + id, JSON.stringify(kept));
  }
}

function listingsOf(root: string, now: () => number): KeptListing[] {
  const listed = noteListings(root, now);
  if (listed === undefined) return [];
  const config = { path: root, kind: 'config', from: 'option', what: '' } as const;
  findSessions([config], { fs: { ...folderFs, listed }, unknownIn: () => [] });
  return listed.kept();
}

export function keptListings(index: Database, root: number): KeptListing[] {
  const text = get(index, 'SELECT value FROM meta WHERE key = ?', KEPT + root)?.value;
  const rows = typeof text === 'string' ? parseJson(text) : undefined;
  return (asArray(rows) ?? []).flatMap((row) => toListing(row) ?? []);
}

/** Of the names in it, which are most of it, only the first is looked at. */
function toListing(row: Json): KeptListing | undefined {
  const [path, stamp, files, folders] = asArray(row) ?? [];
  if (typeof path !== 'string' || !isStamp(stamp) || !isTexts(files) || !isTexts(folders)) return undefined;
  return { path, stamp, files, folders };
}

function isStamp(value: unknown): value is FolderStamp {
  return Array.isArray(value) && value.length === 4 && value.every((each) => typeof each === 'number');
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && (value.length === 0 || typeof value[0] === 'string');
}
