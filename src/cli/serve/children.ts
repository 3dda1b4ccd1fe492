/** Verbs run in processes of their own: long work that the pages do not wait for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { CommandError } from '../errors.ts';

export interface Children {
  /** `rest` stands where nothing is taken for an option. */
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** What a verb prints with --json. Throws what it told instead. */
  json(argv: readonly string[], options?: RunOptions): Promise<JsonObject | Json[]>;
  close(): void;
}

export interface RunOptions {
  readonly rest?: readonly string[];
  /** Nobody waits for it any more. */
  readonly signal?: AbortSignal;
  /** Nobody waits for it at all: what is asked meanwhile goes first. */
  readonly aside?: boolean;
}

export interface Ran {
  readonly code: number | null;
  readonly out: Buffer<ArrayBuffer>;
  readonly err: string;
}

export interface ChildrenOptions {
  /** The launcher of this command. */
  readonly launcher: string;
  /** What tells each where to look. */
  readonly places: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const MOST_RUNNING = 3;

export function createChildren({ launcher, places, env, cwd }: ChildrenOptions): Children {
  const running = new Set<ChildProcess>();
  const enter = createTurnstile(MOST_RUNNING);

  const run: Children['run'] = async (argv, options = {}) => {
    const leave = await enter();
    try {
      return await start(argv, options);
    } finally {
      leave();
    }
  };

  const start: Children['run'] = (argv, { rest = [], signal, aside = false } = {}) =>
    new Promise((resolve, reject) => {
      const args = [launcher, ...argv, ...places, '--color=never', '--', ...rest];
      const child = spawn(process.execPath, args, { env: { ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
      running.add(child);
      if (aside) yieldTo(child);
      const stop = () => child.kill();
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.once('error', reject);
      child.once('close', (code) => {
        running.delete(child);
        signal?.removeEventListener('abort', stop);
        resolve({ code, out: Buffer.concat(out), err: Buffer.concat(err).toString('utf8') });
      });
    });

  return {
    run,
    async json(argv, options) {
      const { out, err, code } = await run([...argv, '--json'], options);
      const json = parseJson(out.toString('utf8'));
      if (isAnswer(json)) return json;
      throw toldIn(err, code ?? 1);
    },
    close() {
      // An archive that is being added to stops between two steps; what is in it is safe whenever that is.
      for (const child of running) child.kill('SIGTERM');
    },
  };
}

/** It may be over already, or the system may not let us. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It runs as fast as all else.
  }
}

/** So many at a time; the others wait in the order they came. */
function createTurnstile(most: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  const leave = () => {
    inside -= 1;
    waiting.shift()?.();
  };
  return async () => {
    if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    inside += 1;
    return leave;
  };
}

function isAnswer(json: Json | undefined): json is JsonObject | Json[] {
  return typeof json === 'object' && json !== null;
}

/** `skein: what`, `  at: where`, `  next: what next`, as every verb tells its errors. */
export function toldIn(err: string, code: number): CommandError {
  const line = (name: string) => new RegExp(`^ *${name}: (.*)$`, 'm').exec(err)?.[1] ?? '';
  return new CommandError(line('skein') || 'It cannot be done.', line('at'), line('next'), code);
}
