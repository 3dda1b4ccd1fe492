/** Programs that have the terminal to themselves, in the place of the screen. */
import { spawn } from 'node:child_process';
import type { Terminal } from '../terminal.ts';
import { type VerbOptions, verbArgs } from './verbs.ts';

export interface Call {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const runAway = {
  verb: (options: VerbOptions, argv: readonly string[]): Promise<number> =>
    command({
      command: process.execPath,
      args: verbArgs(options, argv),
      cwd: options.context.cwd,
      env: options.context.env,
    }),
  command,
  key: anyKey,
};

function command({ command: name, args, cwd, env }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd, env: { ...env }, stdio: 'inherit' });
    const told = ['SIGTERM', 'SIGHUP'] as const;
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of told) process.on(signal, pass);
    const done = () => {
      for (const signal of told) process.off(signal, pass);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('exit', (code) => {
      done();
      resolve(code ?? 1);
    });
  });
}

/** What was said stays to be read until somebody has. */
function anyKey(out: Terminal): Promise<void> {
  out.write(out.style.dim('\nany key: back to the chats '));
  const { stdin } = process;
  return new Promise((resolve) => {
    stdin.setRawMode(true);
    stdin.resume();
    stdin.once('data', () => {
      stdin.setRawMode(false);
      stdin.pause();
      out.write('\n');
      resolve();
    });
  });
}
