/** The verbs that the screen is made of, each as a process of its own: the screen goes on meanwhile, and can stop them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { safeLine } from '../../views/safe.ts';
import { wrapped } from '../../views/width.ts';
import type { Context } from '../context.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** More than this of what a verb says is not kept. */
const MOST_OUT = 64 << 20;
const MOST_ERR = 16 << 10;

export interface VerbOptions {
  readonly context: Context;
  /** `--root` as it was given. */
  readonly roots: readonly string[];
  /** `--team` as it was given. */
  readonly team?: readonly string[];
  readonly reveals: boolean;
}

/** Verbs that print secrets only when they are told to. */
const REVEALING = new Set(['show', 'tree', 'search']);

/** Options stand right after the verb: what was typed may begin with a minus, after `--`. */
export function verbArgs(
  { roots, team = [], reveals }: Pick<VerbOptions, 'roots' | 'team' | 'reveals'>,
  [verb = '', ...argv]: readonly string[],
  color: 'auto' | 'always' | 'never' = 'auto',
): string[] {
  const given = [...roots.map((root) => `--root=${root}`), ...team];
  const shown = reveals && REVEALING.has(verb) ? ['--reveal'] : [];
  return [process.argv[1] ?? '', verb, ...given, ...shown, `--color=${color}`, ...argv];
}

function start(options: VerbOptions, argv: readonly string[], width: number, isColored: boolean): ChildProcess {
  const { context } = options;
  const args = verbArgs(options, argv, isColored ? 'always' : 'never');
  return spawn(process.execPath, args, {
    cwd: context.cwd,
    env: { ...context.env, COLUMNS: String(width) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface Job {
  stop(): void;
}

/** All of what a verb says, when it is done. */
export function runVerb(options: VerbOptions, argv: readonly string[], done: (ran: Ran) => void): Job {
  const child = start(options, argv, 80, false);
  let out = '';
  listen(
    child,
    (text) => {
      if (out.length < MOST_OUT) out += text;
    },
    (code, err) => done({ code, out, err }),
  );
  return { stop: () => void child.kill() };
}

/** So many lines are kept of what is read. */
const MOST_LINES = 100_000;

/** What a verb says, as lines of a width, as they come. */
export function readVerb(
  options: VerbOptions & { readonly width: number; readonly isColored: boolean },
  argv: readonly string[],
  each: (lines: readonly string[], isCut: boolean) => void,
  done: (code: number, err: string) => void,
): Job {
  const child = start(options, argv, options.width, options.isColored);
  let rest = '';
  let count = 0;
  const take = (text: string, isEnd: boolean) => {
    const parts = (rest + text).split('\n');
    rest = isEnd ? '' : (parts.pop() ?? '');
    if (isEnd && parts.at(-1) === '') parts.pop();
    const lines = parts.flatMap((line) => brokenLine(line, options.width));
    const isCut = count + lines.length > MOST_LINES;
    const kept = isCut ? lines.slice(0, MOST_LINES - count) : lines;
    count += kept.length;
    if (kept.length > 0) each(kept, isCut);
    if (isCut) child.kill();
  };
  listen(
    child,
    (text) => take(text, false),
    (code, err) => {
      take('', true);
      done(code, err);
    },
  );
  return { stop: () => void child.kill() };
}

/** Of a line that has no end more is not laid out: it would take seconds. */
const LONGEST = 1 << 20;

export function brokenLine(line: string, width: number, longest = LONGEST): string[] {
  const kept = line.length > longest ? `${safeLine(line.slice(0, longest))} … (cut)` : line;
  const text = kept.replaceAll('\t', '    ');
  return wrapped(text, width, { hard: true, trim: false, wordWrap: false }).split('\n');
}

function listen(child: ChildProcess, each: (text: string) => void, done: (code: number, err: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => each(decoder.write(chunk)));
  child.stderr?.on('data', (chunk: Buffer) => {
    if (err.length < MOST_ERR) err += chunk.toString('utf8');
  });
  let isDone = false;
  const end = (code: number, words: string) => {
    if (!isDone) done(code, words);
    isDone = true;
  };
  child.on('error', (error) => end(2, `skein: ${error.message}`));
  child.on('close', (code) => end(code ?? 1, err));
}

/** What went wrong, and what to do: as the verb said it. */
export function failureOf(err: string): string {
  const words = stripVTControlCharacters(err);
  const what = /^skein: (.*)$/m.exec(words)?.[1] ?? 'That did not work.';
  const next = /^ *next: (.*)$/m.exec(words)?.[1];
  return next === undefined ? what : `${what} ${next}`;
}
