/** Runs the bundled ripgrep; what it prints is bounded, and it ends when nobody wants more. */
import { spawn } from 'node:child_process';
import { Refusal } from './place.ts';

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** How many records to take; then it is stopped. */
  readonly most: number;
  /** What a record ends with: a line feed, or NUL for paths. */
  readonly end: '\n' | '\0';
  /** What is made of a record; undefined leaves it out, and it does not count. */
  readonly take?: (record: string) => string | undefined;
  readonly timeoutMs?: number;
}

export interface RipgrepOutput {
  readonly records: readonly string[];
  /** There may be more: it was stopped when it had enough, or took too long. */
  readonly stopped?: 'enough' | 'late';
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 32 << 20;
const MOST_ERROR = 4096;

/** Throws Refusal with what ripgrep said when it could not search at all. */
export async function ripgrep(run: RipgrepRun): Promise<RipgrepOutput> {
  run.signal.throwIfAborted();
  const program = await programPath();
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['--no-config', ...run.args], { cwd: run.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const records: string[] = [];
    const add = (record: string) => {
      const taken = run.take === undefined ? record : run.take(record);
      if (taken !== undefined) records.push(taken);
    };
    let rest = '';
    let bytes = 0;
    let errors = '';
    let stopped: RipgrepOutput['stopped'];
    const stop = (why: RipgrepOutput['stopped']) => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => stop('late'), run.timeoutMs ?? TIMEOUT_MS);
    const onAbort = () => child.kill('SIGKILL');
    run.signal.addEventListener('abort', onAbort, { once: true });
    const decoder = new TextDecoder();
    child.stdout.on('data', (chunk: Buffer) => {
      if (stopped !== undefined) return;
      bytes += chunk.length;
      const parts = (rest + decoder.decode(chunk, { stream: true })).split(run.end);
      rest = parts.pop() ?? '';
      for (const part of parts) add(part);
      if (records.length > run.most || bytes > MOST_BYTES) stop('enough');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < MOST_ERROR) errors += chunk.toString('utf8');
    });
    const settle = (done: () => void) => {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', onAbort);
      done();
    };
    child.on('error', (error) => settle(() => reject(new Refusal(`ripgrep cannot be run: ${error.message}`))));
    child.on('close', (code) =>
      settle(() => {
        if (run.signal.aborted) return reject(new Refusal('The search was interrupted.'));
        if (rest !== '' && stopped === undefined) add(rest);
        // 2 is also said when a single file could not be read: then what was found counts.
        if (code === 2 && records.length === 0 && errors.trim() !== '') return reject(new Refusal(complaint(errors)));
        resolve({ records: records.slice(0, run.most), ...(stopped && { stopped }) });
      }),
    );
  });
}

function complaint(errors: string): string {
  return `The search could not be made. ${errors.trim().replace(/^rg: /, '').slice(0, 1000)}`;
}

async function programPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    throw new Refusal(`ripgrep is missing: ${error instanceof Error ? error.message : String(error)}`);
  }
}
