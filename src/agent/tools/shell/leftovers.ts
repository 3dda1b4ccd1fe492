/** The folder in which commands leave what they tell us, named for our process: one that was killed leaves it behind, and the next sweeps it up. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../../disk/live.ts';

const NAME = /^skein-shell-(\d+)-/;

export function makeShellFolder(): string {
  sweep(tmpdir());
  return mkdtempSync(join(tmpdir(), `skein-shell-${process.pid}-`));
}

function sweep(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = Number(NAME.exec(name)?.[1]);
      if (pid > 0 && !isRunning(pid)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // Somebody else's, or gone meanwhile: it lies there a while longer.
  }
}
