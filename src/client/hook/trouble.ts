/** Was there trouble with sending a moment ago? Then the client is not kept waiting for it at every turn. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, '', { mode: 0o600 });
    }
  } catch {
    // It only makes the next run longer.
  }
}
