/** The browser and the file manager of the desktop: started and left alone. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { CommandError } from '../errors.ts';

type Platform = NodeJS.Platform;

/** false where there is nothing to open it with. */
export async function openInBrowser(url: string, platform: Platform = process.platform): Promise<boolean> {
  if (platform === 'win32') return starts('cmd', ['/c', 'start', '""', url.replaceAll('&', '^&')]);
  return starts(platform === 'darwin' ? 'open' : 'xdg-open', [url]);
}

/** Throws with the path where there is no file manager, so that a person can go there. */
export async function showInFolder(file: string, platform: Platform = process.platform): Promise<void> {
  const shown =
    platform === 'darwin'
      ? await starts('open', ['-R', file])
      : platform === 'win32'
        ? await starts('explorer', [`/select,${file}`])
        : await starts('xdg-open', [dirname(file)]);
  if (!shown)
    throw new CommandError('There is no file manager to show it.', file, 'Copy the path and open it yourself.');
}

/** How long a program that fails takes to say so. */
const SETTLED_MS = 1500;

/** A program of the desktop may run on as long as its window is open. */
function starts(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    const settle = (fine: boolean) => {
      clearTimeout(timer);
      resolve(fine);
    };
    const timer = setTimeout(() => settle(true), SETTLED_MS);
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
  });
}
