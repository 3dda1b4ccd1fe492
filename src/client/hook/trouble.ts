/** Was there trouble with sending a moment ago? Then the client is not kept waiting for it at every turn. */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../../disk/durable.ts';

const LASTS_MS = 5 * 60_000;

export function hadTrouble(file: string, now = Date.now()): boolean {
  const noted = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return noted !== undefined && now - noted < LASTS_MS;
}

/** Noted or forgotten; where nothing can be written, neither. */
export function noteTrouble(file: string, isTrouble: boolean): void {
  try {
    if (!isTrouble) rmSync(file, { force: true });
    else {
      makeFolders(dirname(file), false);
      writeFileSync(file, '', { mode: 0o600 });
    }
  } catch {
    // It only makes the next run longer.
  }
}
