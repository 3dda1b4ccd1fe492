/** Commands shut in by bubblewrap: everything can be read, only the folders of the work can be written. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Sandbox } from '../tools/shell/types.ts';

export interface Shut {
  /** May be written; all else is as it is on disk, and cannot be changed. */
  readonly folders: readonly string[];
  readonly network: boolean;
}

/** What decides which programs run outside, so that it stays as it is. */
const KEPT = ['.claude', '.mcp.json', '.git/hooks', '.git/config', '.vscode', '.idea', '.envrc'];

/** Of /run: names of hosts, and programs where systems keep them there. */
const NEEDED = ['/run/systemd/resolve', '/run/current-system'];

export function bwrapArgs({ folders, network }: Shut, exchange?: string): string[] {
  const own = [...folders, ...(exchange === undefined ? [] : [exchange])].flatMap((folder) => real(folder));
  return [
    // Root would keep the power to mount.
    ...[
      '--die-with-parent',
      '--cap-drop',
      'ALL',
      '--unshare-pid',
      '--unshare-ipc',
      ...(network ? [] : ['--unshare-net']),
    ],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    // Sockets of services lie there, and who may talk to them may do what they do.
    ...['--tmpfs', '/run', ...NEEDED.flatMap((path) => ['--ro-bind-try', path, path])],
    // After the empty folders, as they may lie there.
    ...own.flatMap((folder) => ['--bind', folder, folder]),
    ...own
      .flatMap((folder) => KEPT.map((name) => join(folder, name)))
      .filter((path) => existsSync(path))
      .flatMap((path) => ['--ro-bind', path, path]),
  ];
}

export function createSandbox(program: string, shut: Shut): Sandbox {
  const network = shut.network ? '' : ', there is no network';
  return {
    words: `Commands run in a sandbox: only the working folder and the further folders can be written, /tmp is empty and gone with each command${network}.`,
    wrap: (shell, args, exchange) => [program, ...bwrapArgs(shut, exchange), '--', shell, ...args],
  };
}

/** The program, where it is there and this machine lets it work; else why not. */
export async function findBwrap(path: string): Promise<{ readonly program: string } | { readonly why: string }> {
  if (process.platform !== 'linux') return { why: `there is no bubblewrap for ${process.platform}` };
  const program = path
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'bwrap'))
    .find((file) => existsSync(file));
  if (program === undefined) return { why: 'bubblewrap (bwrap) is not installed' };
  const args = [...bwrapArgs({ folders: [], network: false }), '--', '/bin/sh', '-c', ':'];
  return new Promise((resolve) =>
    execFile(program, args, { timeout: 5000 }, (error, _out, said) =>
      resolve(error === null ? { program } : { why: `bwrap does not work here: ${said.trim() || error.message}` }),
    ),
  );
}

function real(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}
