/** Which versions were scrubbed, and what their sources looked like then. */
import type { Version } from '../files.ts';
import { blobOf, type Database, get, maybeText, numberOf, run } from '../sqlite.ts';

/** The bytes a version was taken from, as far as they must be known to see whether they changed. */
export interface SourceState {
  readonly size: number;
  readonly chain: Buffer;
  readonly digest: Buffer;
  /** Length of the torn line at its end. */
  readonly tail: number;
}

/** Unless a version was scrubbed, its source had the same bytes. */
export function sourceOf(db: Database, version: Version): SourceState & { readonly scrubbed: boolean } {
  const row = get(db, 'SELECT size, chain, digest, tail FROM scrub WHERE version = ?', version.id);
  if (row === undefined) return { ...version, tail: version.tail.length, scrubbed: false };
  const { chain, digest } = { chain: blobOf(row, 'chain'), digest: blobOf(row, 'digest') };
  return { size: numberOf(row, 'size'), chain, digest, tail: numberOf(row, 'tail'), scrubbed: true };
}

/** When it was scrubbed. */
export function scrubbedAt(db: Database, version: number): string | undefined {
  return maybeText(get(db, 'SELECT at FROM scrub WHERE version = ?', version), 'at');
}

/** Whether secrets were masked in it; lines that were forgotten may be missing from others. */
export function isMasked(db: Database, version: number): boolean {
  const sql = 'SELECT 1 FROM scrub WHERE version = ? AND version NOT IN (SELECT version FROM cut)';
  return get(db, sql, version) !== undefined;
}

/** Of one that saveScrub noted: no secret was masked in it. */
export function saveCut(db: Database, version: number): void {
  run(db, 'INSERT OR IGNORE INTO cut (version) VALUES (?)', version);
}

/** Versions without lines that were forgotten are what they are: a sync then sees that their sources have more. */
export function dropCuts(db: Database): void {
  run(db, 'DELETE FROM scrub WHERE version IN (SELECT version FROM cut)');
  run(db, 'DELETE FROM cut');
}

/** What was noted by saveScrub is a version in which secrets are masked, unless saveCut says otherwise. */
export function saveScrub(db: Database, version: number, at: string, { size, chain, digest, tail }: SourceState): void {
  const sql = 'INSERT OR REPLACE INTO scrub (version, at, size, chain, digest, tail) VALUES (?, ?, ?, ?, ?, ?)';
  run(db, sql, version, at, size, chain, digest, tail);
  run(db, 'DELETE FROM cut WHERE version = ?', version);
}

export function countScrubbed(db: Database): number {
  return numberOf(get(db, 'SELECT count(*) AS n FROM scrub WHERE version NOT IN (SELECT version FROM cut)'), 'n');
}
