/** The way to a server that is a process of ours: JSON lines on its standard input and output. It ends with all it started. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Told of every line on its standard error. */
  readonly onStderr?: (line: string) => void;
  /** Told of what it says that is no message. */
  readonly onNoise?: (line: string) => void;
}

export interface ProcessTransport extends Transport {
  /** Its last lines on standard error. */
  readonly stderr: string;
  readonly pid: number | undefined;
  /** How it ended, in words; undefined while it runs. */
  readonly ended: string | undefined;
}

/** A longer line is no message of a server that means well. */
export const MOST_LINE_BYTES = 20 * 1024 * 1024;
export const ENDED_BY_US = 'it was ended by us';
const MOST_STDERR_CHARS = 4000;
/** How long it may take to end by itself, and then when told to. */
const LEAVE_MS = 300;
const TERM_MS = 700;
/** How long it may live on when nothing can come from it any more. */
const MUTE_MS = 500;

export function createProcessTransport(options: ProcessOptions): ProcessTransport {
  let child: ChildProcessWithoutNullStreams | undefined;
  let ended: string | undefined;
  let stderr = '';
  let gone: Promise<void> = Promise.resolve();
  const end = (how: string) => {
    ended ??= how;
  };
  const transport: ProcessTransport = {
    get stderr() {
      return stderr.trim();
    },
    get pid() {
      return child?.pid;
    },
    get ended() {
      return ended;
    },
    start: () =>
      new Promise<void>((resolve, reject) => {
        // A group of its own: what it starts can be ended with it, and Ctrl-C in the terminal is not for it.
        const { command, args, cwd } = options;
        try {
          child = spawn(command, [...args], { cwd, env: definedIn(options.env), detached: true, windowsHide: true });
        } catch (error) {
          end(wordsOf(error));
          reject(error);
          return;
        }
        const running = child;
        running.once('spawn', () => {
          remember(running.pid);
          resolve();
        });
        running.once('error', (error) => {
          end(wordsOf(error));
          reject(error);
          transport.onerror?.(error);
        });
        gone = new Promise((done) => {
          running.once('exit', (code, signal) => {
            end(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
            endGroup(running.pid, 'SIGKILL');
            forget(running.pid);
            done();
          });
        });
        // What still holds its pipes does not keep us waiting.
        running.once('exit', () => setImmediate(() => setTimeout(() => transport.onclose?.(), 20)));
        running.stdin.on('error', (error) => transport.onerror?.(error));
        const tooLong = () => {
          end(`it sent a line of more than ${MOST_LINE_BYTES / 1024 / 1024} MB`);
          endGroup(running.pid, 'SIGKILL');
        };
        running.stdout.on(
          'data',
          splitLines(MOST_LINE_BYTES, (line) => take(line), tooLong),
        );
        running.stdout.on('error', (error) => transport.onerror?.(error));
        running.stdout.once('end', () => {
          if (ended !== undefined) return;
          const mute = setTimeout(() => {
            end('it closed its output');
            endGroup(running.pid, 'SIGKILL');
          }, MUTE_MS);
          running.once('exit', () => clearTimeout(mute));
        });
        running.stderr.on('error', () => {});
        running.stderr.setEncoding('utf8').on('data', (text: string) => {
          stderr = `${stderr}${text}`.slice(-MOST_STDERR_CHARS);
          for (const line of text.split('\n')) if (line.trim() !== '') options.onStderr?.(line.slice(0, 2000));
        });
      }),
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        if (child === undefined || ended !== undefined || !child.stdin.writable) {
          reject(new Error(`the server does not run: ${ended ?? 'it was not started'}`));
          return;
        }
        child.stdin.write(serializeMessage(message), async (error) => {
          if (!error) return resolve();
          // That it ended says more than that nothing can be written to it.
          await within(gone, LEAVE_MS);
          reject(ended === undefined ? error : new Error(`the server does not run: ${ended}`));
        });
      }),
    close: async () => {
      const running = child;
      if (running?.pid === undefined) return;
      end(ENDED_BY_US);
      running.stdin.end();
      if (!(await within(gone, LEAVE_MS))) {
        endGroup(running.pid, 'SIGTERM');
        if (!(await within(gone, TERM_MS))) {
          endGroup(running.pid, 'SIGKILL');
          await within(gone, TERM_MS);
        }
      }
      running.stdout.destroy();
      running.stderr.destroy();
    },
  };
  function take(line: string): void {
    if (line.trim() === '' || ended !== undefined) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      options.onNoise?.(line.slice(0, 2000));
      return;
    }
    transport.onmessage?.(message);
  }
  return transport;
}

/** Bytes come in any pieces; a line that never ends is not kept. */
export function splitLines(most: number, take: (line: string) => void, tooLong: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  return (chunk) => {
    if (isOver) return;
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, at));
      const line = Buffer.concat(parts).toString('utf8');
      [parts, size, start] = [[], 0, at + 1];
      take(line);
    }
    const rest = chunk.subarray(start);
    parts.push(rest);
    size += rest.length;
    if (size > most) {
      isOver = true;
      parts = [];
      tooLong();
    }
  };
}

/** Processes that run: should we end without a word, they do too. */
const running = new Set<number>();

function remember(pid: number | undefined): void {
  if (pid === undefined) return;
  if (running.size === 0) process.on('exit', endAll);
  running.add(pid);
}

function forget(pid: number | undefined): void {
  if (pid !== undefined) running.delete(pid);
  if (running.size === 0) process.off('exit', endAll);
}

function endAll(): void {
  for (const pid of running) endGroup(pid, 'SIGKILL');
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left there.
  }
}

async function within(done: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const isDone = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}

function definedIn(env: ProcessOptions['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function wordsOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'there is no such command';
  return error instanceof Error ? error.message : String(error);
}
