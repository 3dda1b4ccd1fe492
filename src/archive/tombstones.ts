/** What a person had forgotten: a session with all that belongs to it, or one file that belongs to none. */
import { all, type Database, run, textOf } from './sqlite.ts';

interface Named {
  readonly name: string;
  session(): string | undefined;
}

export function tombstonesOf(db: Database): string[] {
  return all(db, 'SELECT what FROM tombstone ORDER BY what').map((row) => textOf(row, 'what'));
}

/** Without any, no file is asked for its session. */
export function forgottenNames(db: Database): (file: Named) => boolean {
  const stones = new Set(tombstonesOf(db));
  if (stones.size === 0) return () => false;
  return (file) => stones.has(`file:${file.name}`) || stones.has(`session:${file.session() ?? ''}`);
}

export function tombstoneOf(file: { readonly name: string; readonly session: string | undefined }): string {
  return file.session === undefined ? `file:${file.name}` : `session:${file.session}`;
}

export function addTombstone(db: Database, what: string, at: Date): void {
  run(db, 'INSERT OR IGNORE INTO tombstone (what, at) VALUES (?, ?)', what, at.toISOString());
}
