/** Runs a verb in this process, so that a test can count its work. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Context } from '../../src/cli/context.ts';
import { dispatch, reportError } from '../../src/cli/main.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { type Json, parseJson } from '../../src/format/json.ts';
import { tempFolder } from './files.ts';

export interface RanHere {
  readonly code: number;
  readonly text: string;
  readonly err: string;
  json(): Json;
}

const NOW = new Date('2027-01-01T00:00:00Z');

/** `told`: what goes wrong is told as the command does, with its exit code; it is thrown otherwise. */
export async function runHere(
  argv: readonly string[],
  env: Record<string, string>,
  { told = false } = {},
): Promise<RanHere> {
  const { context, out, err } = contextHere(env);
  const code = await dispatch(context, argv).catch((error: unknown) => {
    if (!told) throw error;
    return reportError(context.err, error, argv.includes('--verbose'));
  });
  const text = Buffer.concat(out).toString('utf8');
  return { code, text, err: Buffer.concat(err).toString('utf8'), json: () => parseJson(text) ?? null };
}

/** What a verb is handed, and what it then writes. */
export function contextHere(env: Record<string, string>) {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const terminal = (chunks: Buffer[]) => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(Buffer.from(chunk));
        done();
      },
    });
    return openTerminal(stream, { isTerminal: false, color: 'never', env });
  };
  const context: Context = {
    env,
    home: env.HOME ?? '/nonexistent',
    cwd: env.HOME ?? '/',
    now: () => NOW,
    out: terminal(out),
    err: terminal(err),
    signal: new AbortController().signal,
  };
  return { context, out, err };
}

/** A machine with a home, a config root and an archive of its own. */
export function machine(root: string) {
  const home = tempFolder();
  const env = { HOME: home, CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  const run = (...argv: string[]) => runHere(argv, env);
  return { root, home, env, run };
}
