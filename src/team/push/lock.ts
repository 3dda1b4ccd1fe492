/** One push at a time goes to a target. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiveError } from '../../archive/errors.ts';
import { openDatabase } from '../../archive/sqlite.ts';
import { makeFolders } from '../../disk/durable.ts';
import { closeFile, openFile } from '../../disk/io.ts';

const LOOK_MS = 100;

/** Held until it is called; a process that ends, however it ends, lets go. undefined: another one has it. */
export async function lockTarget(
  path: string,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<(() => void) | undefined> {
  const lock = path.replace(/\.sqlite$/, '.lock');
  makeFolders(join(path, '..'), true);
  closeFile(openFile(lock, 'a', 0o600));
  const db = openDatabase(lock, { waits: false });
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      db.exec('BEGIN EXCLUSIVE');
      return () => db.close();
    } catch (error) {
      const isHeld = HELD.has(sqliteCode(error) & 0xff);
      if (!isHeld || Date.now() >= until || signal.aborted) {
        db.close();
        if (isHeld) return undefined;
        // To wait would be of no use.
        throw unusable(error, lock);
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** SQLite's busy and locked: another one has it. */
const HELD: ReadonlySet<number> = new Set([5, 6]);
/** Corrupt, and not a database. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

function sqliteCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
}

function unusable(error: unknown, where: string): ArchiveError {
  const why = error instanceof Error ? error.message : String(error);
  const next = DAMAGED.has(sqliteCode(error) & 0xff)
    ? 'Nothing is kept in this file: when no other push is running, delete it and run it again.'
    : 'Check that the file may be written to and that the disk has room, then run it again.';
  return new ArchiveError({ what: `cannot see whether another push is running: ${why}`, where, next, cause: error });
}
