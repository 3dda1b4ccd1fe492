/** Runs the real command as a user would, with a home folder of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Json, parseJson } from '../../src/format/json.ts';
import { tempFolder } from './files.ts';

export const BIN = fileURLToPath(new URL('../../bin/skein', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: Buffer;
  readonly text: string;
  readonly err: string;
  json(): Json;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly home?: string;
  /** Where folders say that nothing may be made in them, root may not either. */
  readonly obeys?: boolean;
}

/** Nothing of this machine's settings: only PATH, and a home of its own. */
function environment({ env, home }: RunOptions): Record<string, string> {
  const own = home ?? tempFolder();
  mkdirSync(own, { recursive: true });
  return { PATH: process.env.PATH ?? '', HOME: own, TZ: 'UTC', ...env };
}

/** Root gives up what lets it write anywhere. */
const OBEYING = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'] : [];

export function skein(args: readonly string[], options: RunOptions = {}): Ran {
  const [command = '', ...words] = [...(options.obeys ? OBEYING : []), process.execPath, BIN, ...args];
  const { status, stdout, stderr } = spawnSync(command, words, {
    env: environment(options),
    cwd: options.cwd,
    maxBuffer: 1 << 30,
  });
  const text = stdout.toString('utf8');
  return { code: status, out: stdout, text, err: stderr.toString('utf8'), json: () => parseJson(text) ?? null };
}

export function startSkein(args: readonly string[], options: RunOptions = {}): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], {
    env: environment(options),
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A config root with one project folder holding the given sessions. */
export function rootWith(
  sessions: Record<string, string | Uint8Array>,
  write: (path: string, bytes: string | Uint8Array) => void,
): string {
  const root = tempFolder();
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  for (const [name, bytes] of Object.entries(sessions)) write(join(project, name), bytes);
  return root;
}
