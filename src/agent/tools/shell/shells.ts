/** The commands of one session: run to their end, or left running and asked about later; none outlives the session. */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './atexit.ts';
import { type Child, type Exit, startChild } from './child.ts';
import { makeShellFolder } from './leftovers.ts';
import { createCollector, createUnread } from './printed.ts';
import { endFamily, type Family, isGroupAlive, killNow } from './tree.ts';
import type { BackgroundShell, ShellEnd, ShellFailure, ShellRan, ShellRequest, Shells } from './types.ts';

export interface ShellsOptions {
  /** How long those that are asked to end may take. */
  readonly graceMs?: number;
  readonly progressMs?: number;
}

const TAIL_BYTES = 10_000;
const MAX_ENDED = 50;

export function createShells(options: ShellsOptions = {}): Shells {
  const { graceMs = 1000, progressMs = 1000 } = options;
  // Everything we start carries it, whatever becomes of its parents.
  const nonce = randomBytes(9).toString('base64url');
  const background = new Map<string, BackgroundShell>();
  /** Process groups with somebody in them: commands that run, and those that ended and left something running. */
  const groups = new Set<number>();
  const everything = (): Family => ({ leaders: [...groups], mark: nonce });
  let folder: string | undefined;
  let release: (() => void) | undefined;
  let calls = 0;

  const clear = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  };
  const keep = ({ pid, exited }: Child): void => {
    groups.add(pid);
    void exited.then(() => isGroupAlive(pid) || groups.delete(pid));
  };
  const launch = async (request: ShellRequest, onBytes: (bytes: Buffer) => void) => {
    try {
      folder ??= makeShellFolder();
    } catch (error) {
      return { mark: '', child: { failure: `no temporary folder: ${error instanceof Error ? error.message : error}` } };
    }
    release ??= atExit(() => {
      killNow(everything());
      clear();
    });
    const mark = `${nonce}.${++calls}.`;
    const child = await startChild(request, { folder, name: String(calls), mark }, onBytes);
    if (child.failure === undefined) keep(child);
    return { mark, child };
  };

  const run = async (request: ShellRequest): Promise<ShellEnd> => {
    const started = performance.now();
    const elapsed = (): number => performance.now() - started;
    const collector = createCollector();
    if (request.signal?.aborted) return NEVER_BEGUN;
    const { child, mark } = await launch(request, collector.push);
    if (child.failure !== undefined) return child;
    const ticking = setInterval(() => {
      request.onProgress?.({ tail: collector.tail(TAIL_BYTES), lines: collector.lines, elapsedMs: elapsed() });
    }, progressMs);
    const why = await endOf(child, request);
    clearInterval(ticking);
    const survivors = why === 'exit' ? [] : await endFamily({ leaders: [child.pid], mark }, graceMs);
    // One that cannot be ended is not waited for.
    const exit = why === 'exit' ? await child.exited : await Promise.race([child.exited, stuck(graceMs)]);
    await child.drain();
    return {
      output: collector.printed(),
      code: codeOf(exit),
      signal: exit.signal,
      why,
      cwd: takeFolder(child.cwdFile),
      survivors,
      durationMs: Math.round(elapsed()),
    } satisfies ShellRan;
  };

  const start = async (request: ShellRequest): Promise<BackgroundShell | ShellFailure> => {
    const unread = createUnread();
    const { child, mark } = await launch(request, unread.push);
    if (child.failure !== undefined) return child;
    child.unref();
    const shell = watchBackground(`b${randomBytes(4).toString('hex')}`, request.command, child, {
      take: unread.take,
      end: () => endFamily({ leaders: [child.pid], mark }, graceMs),
    });
    forgetEnded(background);
    background.set(shell.id, shell);
    return shell;
  };

  return {
    run,
    start,
    get: (id) => background.get(id),
    list: () => [...background.values()],
    close: async () => {
      await Promise.all([...background.values()].map((shell) => shell.kill()));
      // What commands left behind carries the mark too.
      if (release !== undefined) await endFamily(everything(), graceMs);
      release?.();
      release = undefined;
      clear();
    },
  };
}

function stuck(afterMs: number): Promise<Exit> {
  return sleep(afterMs, { code: null, signal: 'SIGKILL' }, { ref: false });
}

const NEVER_BEGUN: ShellRan = {
  output: { head: '', tail: '', lost: 0, bytes: 0 },
  code: 130,
  signal: null,
  why: 'interrupt',
  cwd: undefined,
  survivors: [],
  durationMs: 0,
};

/** Waits for the first of: its end, the end of its time, an interrupt. */
async function endOf(child: Child, { signal, timeoutMs }: ShellRequest): Promise<ShellRan['why']> {
  if (signal?.aborted) return 'interrupt';
  const done = new AbortController();
  const waits: Promise<ShellRan['why']>[] = [child.exited.then(() => 'exit')];
  if (timeoutMs !== undefined) {
    waits.push(sleep(timeoutMs, 'timeout' as const, { signal: done.signal }).catch(() => 'exit' as const));
  }
  if (signal) {
    waits.push(
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve('interrupt'), { once: true, signal: done.signal }),
      ),
    );
  }
  const why = await Promise.race(waits);
  done.abort();
  return why;
}

function codeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function takeFolder(cwdFile: string): string | undefined {
  try {
    const folder = readFileSync(cwdFile, 'utf8').replace(/\n$/, '');
    rmSync(cwdFile);
    return folder === '' ? undefined : folder;
  } catch {
    return undefined;
  }
}

function watchBackground(
  id: string,
  command: string,
  child: Child,
  { take, end }: Pick<BackgroundShell, 'take'> & { end: () => Promise<number[]> },
): BackgroundShell {
  let status: BackgroundShell['status'] = 'running';
  let code: number | undefined;
  void child.exited.then(async (exit) => {
    await child.drain();
    code = codeOf(exit);
    if (status === 'running') status = code === 0 ? 'completed' : 'failed';
  });
  return {
    id,
    command,
    get status() {
      return status;
    },
    get code() {
      return code;
    },
    take,
    kill: async () => {
      if (status !== 'running') return [];
      status = 'killed';
      return end();
    },
  };
}

/** Those that have ended are remembered for a while, so that their last words can be asked for. */
function forgetEnded(shells: Map<string, BackgroundShell>): void {
  for (const [id, shell] of shells) {
    if (shells.size < MAX_ENDED) return;
    if (shell.status !== 'running') shells.delete(id);
  }
}
