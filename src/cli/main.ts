/** From argv to an exit code. */
import { safeText } from '../views/safe.ts';
import { parseArguments } from './arguments.ts';
import { type Command, opensLibrary } from './command.ts';
import type { Context } from './context.ts';
import { CommandError, UsageError } from './errors.ts';
import { loadStore } from './shelf.ts';
import { isAllWritten, openStandard } from './standard.ts';
import type { ColorChoice, Terminal } from './terminal.ts';
import { findVerb, VERBS } from './verbs.ts';

export { isAllWritten };

/** false when what is asked for is not in this bundle (scripts/hot.ts): nothing was done or said, and a larger one is to be asked. */
export async function main(argv: readonly string[]): Promise<boolean> {
  const color = colorChoice(argv);
  let opened: Terminal | undefined;
  const failed = (error: NodeJS.ErrnoException) => process.exit(outputFailed(err, error));
  // Opened when there is something to say there.
  const err = () => {
    opened ??= openStandard('stderr', color, failed);
    return opened;
  };
  try {
    const context: Context = {
      env: process.env,
      home: homeFolder() || '/',
      cwd: currentFolder(),
      now: () => new Date(),
      alone: true,
      out: openStandard('stdout', color, failed),
      get err() {
        return err();
      },
      get signal() {
        return stopSignal();
      },
    };
    const code = await dispatch(context, argv);
    process.exitCode ??= code;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'LEFT_OUT') return false;
    process.exitCode = reportError(err(), error, argv.includes('--verbose'));
  }
  return true;
}

/** The reader of a pipe may leave early (`skein cat … | head`): that is no error. A full disk is. */
function outputFailed(err: () => Terminal, error: NodeJS.ErrnoException): number {
  if (error.code === 'EPIPE') return Number(process.exitCode ?? 0);
  const next = error.code === 'ENOSPC' ? 'Free some space and try again.' : 'Check where the output goes.';
  return reportError(
    err(),
    new CommandError(`The output cannot be written: ${error.message}`, 'standard output', next),
    false,
  );
}

let stop: AbortController | undefined;

function stopSignal(): AbortSignal {
  if (stop !== undefined) return stop.signal;
  const controller = new AbortController();
  stop = controller;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      process.exitCode = name === 'SIGINT' ? 130 : 143;
      controller.abort();
    });
  }
  return controller.signal;
}

/** As node:os tells it, which is only loaded where the environment does not say. */
function homeFolder(): string {
  const { HOME } = process.env;
  const isTold = HOME !== undefined && process.platform !== 'win32';
  return isTold ? HOME : process.getBuiltinModule('node:os').homedir();
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    // The folder was deleted under us; only relative paths need it.
    return '/';
  }
}

/** The verb and its arguments; no verb is the main job. */
export async function dispatch(context: Context, argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === '--help' || first === '-h' || first === 'help') return showHelp(context, rest[0]);
  if (first === undefined || first.startsWith('-')) return runDefault(context, argv);
  return run(context, await loadVerb(first), rest);
}

/** Without a verb: all chats, on a screen for a person and as a list elsewhere. Options before a verb are a slip worth a word. */
async function runDefault(context: Context, argv: readonly string[]): Promise<number> {
  const verb = argv.find((word) => findVerb(word) !== undefined);
  if (verb !== undefined) {
    throw new UsageError(`Options stand after the verb "${verb}".`, `skein ${argv.join(' ')}`, `Run: skein ${verb} …`);
  }
  if (isScreen(context, argv)) return run(context, (await import('./commands/browse.ts')).browse, argv);
  // To a screen reader a list says more than a screen.
  const rest = argv.filter((word) => word !== '--plain');
  return run(context, await loadVerb('list'), rest);
}

/** What only a list can do is asked of that. */
const LISTS = /^(?:--json|--limit|--page|--reverse|--sort|--after|--before|--plain|-n)(?![\w-])/;

function isScreen({ out, env }: Context, argv: readonly string[]): boolean {
  if (!out.isTerminal || env.TERM === 'dumb' || argv.some((word) => LISTS.test(word))) return false;
  return process.stdin.isTTY === true;
}

async function run(context: Context, command: Command, argv: readonly string[]): Promise<number> {
  if (command.options.team === undefined && argv.some((word) => /^--team(?:=|$)/.test(word))) {
    throw new UsageError(
      `skein ${command.name} works on files of this machine; a team’s are only read.`,
      `skein ${command.name} --team`,
      'Read one: skein show ID --team TEAM. As a file of yours: skein cat ID --team TEAM > FILE.jsonl',
    );
  }
  const args = parseArguments(command, argv);
  if (args.flag('help')) return showHelp(context, command.name);
  if (opensLibrary(command)) await loadStore(context, args, command.opensLate);
  return command.run(context, args);
}

async function loadVerb(name: string): Promise<Command> {
  const verb = findVerb(name);
  if (verb) return verb.load();
  const { closest } = await import('../views/closest.ts');
  const near = closest(
    name,
    VERBS.map((each) => each.name),
  );
  throw new UsageError(
    `There is no verb "${name}".`,
    `skein ${name}`,
    near ? `Did you mean: skein ${near}` : 'Run: skein --help',
  );
}

async function showHelp(context: Context, name: string | undefined): Promise<number> {
  const { helpText, overviewText } = await import('./help.ts');
  context.out.write(
    name === undefined
      ? await overviewText(context.out.style, context.out.columns)
      : helpText(await loadVerb(name), context.out.style, context.out.columns),
  );
  return 0;
}

export function reportError(err: Terminal, error: unknown, verbose: boolean): number {
  if (error instanceof Error && 'where' in error && 'next' in error) {
    const what = 'what' in error ? String(error.what) : error.message;
    const lines = [what, `${err.style.dim('at:')} ${error.where}`, `${err.style.dim('next:')} ${error.next}`];
    err.write(`${err.style.bad('skein:')} ${lines.map(safeText).join('\n  ')}\n`);
    if (verbose) err.write(`${error.stack ?? ''}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
  const what = error instanceof Error ? error.message : String(error);
  err.write(
    `${err.style.bad('skein:')} ${what}\n  ${err.style.dim('next:')} This is a fault in Skein; run again with --verbose and report it.\n`,
  );
  if (verbose && error instanceof Error) err.write(`${error.stack ?? ''}\n`);
  return 1;
}

/** Needed before the verb is known, so that its errors are in the colours asked for. */
function colorChoice(argv: readonly string[]): ColorChoice {
  const at = argv.findIndex((word) => word === '--color' || word.startsWith('--color='));
  const value = argv[at]?.includes('=') ? argv[at]?.split('=')[1] : argv[at + 1];
  return at >= 0 && (value === 'always' || value === 'never') ? value : 'auto';
}
