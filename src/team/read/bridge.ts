/** Asks the server and waits: reading is synchronous everywhere (format/entry.ts), the client is not. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { DiskError } from '../../disk/errors.ts';
import type { TeamTarget } from '../connect.ts';
import type { Ask } from './ask.ts';
import { ANSWERED, type Answer, type Asked, CAME, type Piece, type Request, type Start } from './thread.ts';

export interface Bridge {
  readonly ask: Ask;
  /** In the order they are asked for. Throws DiskError. */
  lines(files: readonly Asked[]): Piece[];
  close(): Promise<void>;
}

/** Without anything that came for so long, it is given up. */
const PATIENCE = 60_000;
/** The client gives up first, and knows why. */
const GRACE = 5_000;

/** The thread is started with the first question. */
export function openBridge(target: TeamTarget): Bridge {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const patience = (target.timeoutMs ?? PATIENCE) + GRACE;
  let started: { readonly worker: Worker; readonly port: MessagePort } | undefined;

  function call(request: Request): Exclude<Answer, { kind: 'failed' }> {
    started ??= startThread({ target, signal: state.buffer });
    Atomics.store(state, ANSWERED, 0);
    Atomics.store(state, CAME, 0);
    started.port.postMessage(request);
    for (let seen = 0; Atomics.wait(state, ANSWERED, 0, patience) === 'timed-out'; ) {
      const came = Atomics.load(state, CAME);
      if (came === seen) throw tooLate();
      seen = came;
    }
    const answer: Answer | undefined = receiveMessageOnPort(started.port)?.message;
    if (answer === undefined) throw tooLate();
    if (answer.kind === 'failed') throw new DiskError(answer);
    return answer;
  }

  function tooLate(): DiskError {
    void started?.worker.terminate();
    started = undefined;
    const next = 'Check the network, then run it again; SKEIN_TEAM_TIMEOUT says how many seconds to wait.';
    return new DiskError({ what: 'the team does not answer', where: target.name, next });
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

function startThread(start: Start): { readonly worker: Worker; readonly port: MessagePort } {
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
