/** One hook as a process of its own group: the event on its standard input, what it says on the other two kept apart. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from '../tools/shell/atexit.ts';
import { shellOf } from '../tools/shell/script.ts';
import { endFamily, killNow, MARK_NAME } from '../tools/shell/tree.ts';

export interface HookCommand {
  readonly command: string;
  readonly input: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HookRan {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** As a shell would tell it. */
  readonly code: number;
  readonly why: 'exit' | 'timeout' | 'interrupt' | 'failed';
  readonly durationMs: number;
  readonly timeoutMs: number;
  /** No process: a function of the program that drives us. */
  readonly isCall?: boolean;
}

/** Of each stream; a hook that says more has nothing to say. */
const MOST_CHARS = 1_000_000;
/** What it left running may hold its output open: that is not waited for. */
const DRAIN_MS = 200;
const GRACE_MS = 500;
const NOT_STARTED = 127;

/** Never throws. */
export async function runHook(request: HookCommand): Promise<HookRan> {
  const { command, cwd, env, signal, timeoutMs } = request;
  const began = performance.now();
  const mark = randomBytes(9).toString('base64url');
  const said = { stdout: '', stderr: '' };
  const end = (code: number, why: HookRan['why']): HookRan => {
    return { command, ...said, code, why, timeoutMs, durationMs: Math.round(performance.now() - began) };
  };
  if (signal.aborted) return end(NOT_STARTED, 'interrupt');
  const child = spawn(shellOf({}), ['-c', command], { cwd, env: { ...env, [MARK_NAME]: mark }, detached: true });
  const { promise: failure, resolve: fail } = Promise.withResolvers<'failed'>();
  child.once('error', (error) => {
    said.stderr = error.message;
    fail('failed');
  });
  const family = { mark, leaders: child.pid === undefined ? [] : [child.pid] };
  const release = atExit(() => killNow(family));
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (text: string) => {
      said[name] = (said[name] + text).slice(0, MOST_CHARS);
    });
    child[name].on('error', () => {});
  }
  // It need not read what it is told.
  child.stdin.on('error', () => {});
  child.stdin.end(request.input);
  const exited = new Promise<'exit'>((resolve) => child.once('exit', () => resolve('exit')));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const why = await Promise.race([exited, failure, timeout(timeoutMs, exited), aborted(signal, exited)]);
  if (why === 'timeout' || why === 'interrupt') await endFamily(family, GRACE_MS);
  if (why === 'exit') await Promise.race([closed, sleep(DRAIN_MS)]);
  release();
  for (const name of ['stdout', 'stderr'] as const) child[name].destroy();
  return end(why === 'failed' ? NOT_STARTED : (child.exitCode ?? 1), why);
}

async function timeout(ms: number, ended: Promise<unknown>): Promise<'timeout'> {
  const stop = new AbortController();
  ended.then(() => stop.abort());
  // A timer holds 32 bits: more is for ever.
  await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal: stop.signal }).catch(() => new Promise(() => {}));
  return 'timeout';
}

function aborted(signal: AbortSignal, ended: Promise<unknown>): Promise<'interrupt'> {
  return new Promise((resolve) => {
    const onAbort = () => resolve('interrupt');
    signal.addEventListener('abort', onAbort, { once: true });
    ended.then(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Started and left alone. */
export function startHook({ command, cwd, env, input }: Omit<HookCommand, 'signal' | 'timeoutMs'>): void {
  const child = spawn(shellOf({}), ['-c', command], { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.once('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  child.unref();
}
