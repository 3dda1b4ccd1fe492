/** One push at a time goes to a target. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
    } catch {
      if (Date.now() >= until || signal.aborted) {
        db.close();
        return undefined;
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }
}
