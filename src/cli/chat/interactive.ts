/** `skein chat` for a person: the console where the terminal can show it, line by line elsewhere. */
import { execFile } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../agent/agenttypes.ts';
import { readMemory } from '../../agent/prompt/memory.ts';
import { gitBranchOf } from '../../agent/transcript/gitbranch.ts';
import { asObject, asString, parseJson } from '../../format/json.ts';
import type { Arguments } from '../command.ts';
import type { ConsoleHost, ConsoleParts, VerbRan } from '../console/host.ts';
import type { Context } from '../context.ts';
import { homePath } from '../layout.ts';
import { version } from '../mcp/version.ts';
import { joinPrompt } from './input.ts';
import type { Choice } from './options.ts';
import type { Chosen, Place } from './session.ts';
import type { Signals } from './signals.ts';

export interface Interactive {
  readonly context: Context;
  readonly args: Arguments;
  readonly choice: Choice;
  readonly place: Place;
  readonly signals: Signals;
  /** `chosen`: instead of what the options say. */
  open(parts: ConsoleParts, chosen?: Chosen): Promise<Agent>;
}

export async function runInteractive(session: Interactive): Promise<number> {
  const { context, args, choice, signals, open } = session;
  const { maxTurns, maxBudgetUSD } = choice;
  const limits = { ...(maxTurns !== undefined && { maxTurns }), ...(maxBudgetUSD !== undefined && { maxBudgetUSD }) };
  const prompt = joinPrompt(args.positionals, '');
  if (isScreen(context, args)) {
    const { runScreen } = await import('../console/run.ts');
    return runScreen({ ...hostOf(session), limits, prompt });
  }
  const { runConsole } = await import('./console.ts');
  const openLines = (parts: ConsoleParts, again: boolean) => open(parts, again ? { kind: 'new' } : undefined);
  return runConsole({ out: context.out, signals, limits, prompt, open: openLines });
}

/** Screen readers, pipes and terminals that cannot move their cursor get lines. */
function isScreen({ out, env }: Context, args: Arguments): boolean {
  return !args.flag('plain') && process.stdin.isTTY === true && out.isTerminal && env.TERM !== 'dumb';
}

function hostOf({ context, args, place, signals, open }: Interactive): Omit<ConsoleHost, 'limits' | 'prompt'> {
  const { cwd, home, config } = place;
  return {
    signals,
    cwd,
    home,
    config,
    version: version(),
    isColored: context.out.style.bold('x') !== 'x',
    now: () => context.now().getTime(),
    goesOn: args.flag('continue') || args.value('resume') !== undefined,
    open,
    verb: (argv, how) => runVerb(argv, config, context, how),
    files: () => filesBelow(cwd),
    gitBranch: branchOf(cwd),
    memory: () => readMemory(place).map(({ path, whose }) => `${homePath(path, home)}  (${whose})`),
    typed: () => typedIn(config, cwd),
    keepRule: async (rule) => (await import('./keeprule.ts')).keepRule(cwd, rule),
  };
}

const MOST_OUTPUT = 64 << 20;

/** The verbs are not in the bundle of `chat`: each runs as a process. */
function runVerb(
  argv: readonly string[],
  config: string,
  { env, cwd }: Context,
  how?: Parameters<ConsoleHost['verb']>[1],
): Promise<VerbRan> {
  const launcher = process.argv[1] ?? '';
  const own = how && { COLUMNS: String(how.columns) };
  const options = { env: { ...env, ...own }, cwd, maxBuffer: MOST_OUTPUT, ...(how && { signal: how.signal }) };
  const args = [launcher, ...argv, `--root=${config}`, '--color=never'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, out, err });
    });
  });
}

const MOST_FILES = 20_000;

async function filesBelow(cwd: string): Promise<readonly string[]> {
  const { ripgrep } = await import('../../agent/tools/files/ripgrep.ts');
  const args = ['--files', '--hidden', '--glob', '!.git', '--sort', 'path'];
  const { records } = await ripgrep({ args, cwd, signal: AbortSignal.timeout(5000), most: MOST_FILES, end: '\n' });
  return records;
}

/** Looked up now and then: it may change under us. */
function branchOf(cwd: string): () => string {
  let [branch, at] = ['', Number.NEGATIVE_INFINITY];
  return () => {
    if (performance.now() - at > 2000) {
      const found = gitBranchOf(cwd);
      [branch, at] = [found === 'HEAD' ? '' : found, performance.now()];
    }
    return branch;
  };
}

const MOST_TYPED = 500;

/** The file keeps every prompt ever typed: its end has the newest. */
const MOST_HISTORY = 2 << 20;

function endOf(file: string, most: number): string {
  let fd: number | undefined;
  try {
    // A pipe in its place would be waited for without end.
    if (!statSync(file).isFile()) return '';
    fd = openSync(file, 'r');
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, most));
    readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** L4: those of this folder, the newest first. */
function typedIn(config: string, cwd: string): string[] {
  const text = endOf(join(config, 'history.jsonl'), MOST_HISTORY);
  const typed: string[] = [];
  for (const line of text.trimEnd().split('\n').toReversed()) {
    // Most are of other folders: these are not parsed.
    if (!line.includes(JSON.stringify(cwd))) continue;
    const entry = asObject(parseJson(line));
    const display = asString(entry?.display);
    if (display !== undefined && display.trim() !== '' && entry?.project === cwd) typed.push(display);
    if (typed.length >= MOST_TYPED) break;
  }
  return typed;
}
