/** One command as a process of its own session, whose output comes through a real pipe in the order it was written. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTooLongForArgument, scriptOf, shellOf } from './script.ts';
import { MARK_NAME } from './tree.ts';
import type { ShellFailure, ShellRequest } from './types.ts';

export interface Child {
  readonly failure?: undefined;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** After the exit: all that the command itself printed has come. What it left running may print on, into nothing. */
  drain(): Promise<void>;
  /** Where the shell writes the folder it ended in. */
  readonly cwdFile: string;
  /** The event loop need not wait for it. */
  unref(): void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildPlace {
  /** A private folder for what passes between us and the shell. */
  readonly folder: string;
  /** Unique in that folder. */
  readonly name: string;
  readonly mark: string;
}

export async function startChild(
  request: ShellRequest,
  place: ChildPlace,
  onBytes: (bytes: Buffer) => void,
): Promise<Child | ShellFailure> {
  const { command, cwd, env } = request;
  if (command.includes('\0')) return { failure: 'the command holds a NUL character, which no shell takes' };
  const cwdFile = join(place.folder, `${place.name}.cwd`);
  const long = isTooLongForArgument(command) ? join(place.folder, `${place.name}.command`) : undefined;
  let pipe: Pipe | undefined;
  try {
    if (long !== undefined) writeFileSync(long, command, { mode: 0o600 });
    pipe = await openPipe(join(place.folder, `${place.name}.pipe`));
    const line: readonly [string, ...string[]] = [shellOf(env), '-c', scriptOf(command, cwdFile, long)];
    const [program, ...args] = request.sandbox?.wrap(line[0], line.slice(1), place.folder) ?? line;
    const child = spawn(program, args, {
      cwd,
      // An editor would wait for a terminal that is not there.
      env: { ...env, GIT_EDITOR: 'true', [MARK_NAME]: place.mark },
      detached: true,
      stdio: ['ignore', pipe.input, pipe.input],
    });
    return await watched(child, pipe, cwdFile, onBytes);
  } catch (error) {
    pipe?.output.destroy();
    return { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    if (pipe) closeSync(pipe.input);
  }
}

async function watched(
  child: ChildProcess,
  pipe: Pipe,
  cwdFile: string,
  onBytes: (bytes: Buffer) => void,
): Promise<Child> {
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  // Listened to before anything is awaited: no byte and no end is missed.
  const drain = listen(pipe.output, onBytes);
  if (child.pid === undefined) await once(child, 'error').then(([error]) => Promise.reject(error));
  return {
    pid: child.pid ?? 0,
    exited,
    drain,
    cwdFile,
    unref: () => {
      child.unref();
      pipe.output.unref();
    },
  };
}

const QUIET_MS = 40;
const DRAIN_MS = 300;

function listen(output: Socket, onBytes: (bytes: Buffer) => void): () => Promise<void> {
  let heard = false;
  let ended = false;
  let listening = true;
  output.on('data', (bytes: Buffer) => {
    heard = true;
    if (listening) onBytes(bytes);
  });
  const closed = new Promise<void>((resolve) =>
    output.once('close', () => {
      ended = true;
      resolve();
    }),
  );
  output.on('error', () => output.destroy());
  return async () => {
    const until = performance.now() + DRAIN_MS;
    do {
      heard = false;
      await Promise.race([closed, sleep(QUIET_MS)]);
    } while (!ended && heard && performance.now() < until);
    // Whoever still holds the other end must neither block us nor die of a broken pipe: it is read and forgotten.
    listening = false;
    output.unref();
  };
}

interface Pipe {
  /** The end that the command writes to. */
  readonly input: number;
  readonly output: Socket;
}

/**
 * Node gives its children sockets, on which `echo > /dev/stderr` fails, and one for each stream, so that their order is lost.
 * A named pipe, opened at both ends and unlinked, is the pipe that a shell would have made.
 */
async function openPipe(path: string): Promise<Pipe> {
  await new Promise<void>((resolve, reject) =>
    execFile('mkfifo', ['-m', '600', path], (error) =>
      error ? reject(new Error(`the output cannot be read: mkfifo does not run (${error.message.trim()})`)) : resolve(),
    ),
  );
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const input = openSync(path, constants.O_WRONLY);
  rmSync(path);
  return { input, output: new Socket({ fd: reading, readable: true, writable: false }) };
}
