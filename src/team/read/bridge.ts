/** Asks the server and waits: reading is synchronous everywhere (format/entry.ts), the client is not. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { PlaceError } from '../../disk/errors.ts';
import type { TeamTarget } from '../connect.ts';
import type { Ask } from './ask.ts';
import { ANSWERED, type Answer, type Asked, CAME, type Piece, type Request, type Start } from './thread.ts';

export interface Bridge {
  readonly ask: Ask;
  /** In the order they are asked for. Throws PlaceError. */
  lines(files: readonly Asked[]): Piece[];
  close(): Promise<void>;
}

/** Without anything that came for so long, it is given up. */
const PATIENCE = 60_000;
/** The client gives up first, and knows why. */
const GRACE = 5_000;

/** Longer than most answers take. */
const PROMPT = 500;

export interface Thread {
  readonly worker: Pick<Worker, 'terminate'>;
  readonly port: MessagePort;
}

export interface BridgeOptions {
  /** Tests have others. */
  readonly start?: (start: Start) => Thread;
  readonly patience?: number;
}

/** The thread is started with the first question. */
export function openBridge(target: TeamTarget, options: BridgeOptions = {}): Bridge {
  const { start = startThread, patience = (target.timeoutMs ?? PATIENCE) + GRACE } = options;
  let started: (Thread & { readonly state: Int32Array<SharedArrayBuffer> }) | undefined;

  /** Each has memory of its own: one that was given up may still write to it. */
  function startOne() {
    const signal = new SharedArrayBuffer(8);
    return { ...start({ target, signal }), state: new Int32Array(signal) };
  }

  function call(request: Request): Exclude<Answer, { kind: 'failed' }> {
    started ??= startOne();
    const { port, state } = started;
    Atomics.store(state, ANSWERED, 0);
    Atomics.store(state, CAME, 0);
    port.postMessage(request);
    const isPrompt = Atomics.wait(state, ANSWERED, 0, Math.min(PROMPT, patience)) !== 'timed-out';
    if (!isPrompt && !leavingSignals(() => isAnswered(state, patience))) throw tooLate();
    const answer: Answer | undefined = receiveMessageOnPort(port)?.message;
    if (answer === undefined) throw tooLate();
    if (answer.kind === 'failed') throw new PlaceError(answer);
    return answer;
  }

  function tooLate(): PlaceError {
    void started?.worker.terminate();
    started = undefined;
    const next = 'Check the network, then run it again; SKEIN_TEAM_TIMEOUT says how many seconds to wait.';
    return new PlaceError({ what: 'the team does not answer', where: target.name, next });
  }

  return {
    ask(sql, params = {}) {
      const answer = call({ kind: 'rows', sql, params });
      return answer.kind === 'rows' ? answer.rows : [];
    },
    lines(files) {
      const answer = call({ kind: 'lines', files, temp: tmpdir() });
      return answer.kind === 'lines' ? answer.pieces : [];
    },
    async close() {
      const { worker } = started ?? {};
      started = undefined;
      await worker?.terminate();
    },
  };
}

/** false when nothing came for so long. */
function isAnswered(state: Int32Array<SharedArrayBuffer>, patience: number): boolean {
  for (let seen = 0; Atomics.wait(state, ANSWERED, 0, patience) === 'timed-out'; ) {
    const came = Atomics.load(state, CAME);
    if (came === seen) return false;
    seen = came;
  }
  return true;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Nothing that listens for Ctrl-C hears it while this thread stands still: meanwhile it is left to the system, which ends the process at
 * once. Not so where SIGHUP is listened for, too: there a screen has to be put back, or programs be ended.
 */
function leavingSignals<T>(wait: () => T): T {
  if (!isMainThread || process.listenerCount('SIGHUP') > 0) return wait();
  const heard = SIGNALS.map((name) => [name, process.rawListeners(name)] as const);
  for (const name of SIGNALS) process.removeAllListeners(name);
  try {
    return wait();
  } finally {
    // The same functions, those for once in their wrapping: whoever takes his away again finds it.
    for (const [name, all] of heard) for (const each of all) Reflect.apply(process.on, process, [name, each]);
  }
}

function startThread(start: Start): Thread {
  const { port1, port2 } = new MessageChannel();
  // Files it opened are read here after it ended.
  const worker = new Worker(threadFile(), { workerData: start, trackUnmanagedFds: false });
  worker.postMessage({ port: port2 }, [port2]);
  worker.unref();
  port1.unref();
  return { worker, port: port1 };
}

/** Beside the command in dist/; in a clone it runs from its source. */
function threadFile(): string {
  const candidates = ['./teamworker.cjs', './worker.ts'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((path) => existsSync(path)) ?? candidates[0] ?? '';
}
