/** From the arguments of `skein chat` to its exit code. */
import { statSync } from 'node:fs';
import { createAgent } from '../../agent/agent.ts';
import type { Agent } from '../../agent/agenttypes.ts';
import type { Consent } from '../../agent/gate.ts';
import type { McpOptions } from '../../agent/mcp/types.ts';
import type { Asked, LoopEvent } from '../../agent/ports.ts';
import type { Forked } from '../../agent/session.ts';
import type { JsonObject } from '../../format/json.ts';
import { safeText } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { version } from '../mcp/version.ts';
import { keepHeapSmall } from '../memory.ts';
import { openStandard } from '../standard.ts';
import type { Wishes } from './control/initialize.ts';
import { unusedWords } from './control/options.ts';
import { joinPrompt, readPiped } from './input.ts';
import { withNamed } from './mcp.ts';
import { type Choice, choiceOf } from './options.ts';
import { createPrinter, printAll } from './print.ts';
import { type Chosen, chooseSession, forkNotice, openChosen, type Place, placeOf } from './session.ts';
import { withSettings } from './settings.ts';
import { listenForSignals, type Signals } from './signals.ts';

export async function run(context: Context, args: Arguments): Promise<number> {
  if (!args.flag('demo')) return runHere(context, args);
  const { openDemo } = await import('../demo/place.ts');
  const demo = await openDemo(context);
  try {
    return await runHere(demo.context, args);
  } finally {
    demo.close();
  }
}

async function runHere(context: Context, args: Arguments): Promise<number> {
  const choice = choiceOf(context, args);
  const place = placeOf(context, args);
  for (const folder of choice.folders) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    throw new UsageError('There is no such folder to add.', folder, 'Name a folder with --add-dir.');
  }
  const signals = listenForSignals();
  try {
    return choice.print
      ? await runPrint(context, args, choice, place, signals)
      : await runInteractive(context, args, choice, place, signals);
  } finally {
    signals.close();
  }
}

async function runPrint(
  context: Context,
  args: Arguments,
  choice: Choice,
  place: Place,
  signals: Signals,
): Promise<number> {
  const prompt = await promptOf(args, choice, signals);
  if (signals.code !== undefined) return signals.code;
  // Nobody reads on: what was begun is ended as it should be, and quietly.
  const out = openStandard('stdout', 'never', () => signals.stop(0));
  const printer = createPrinter(choice, out, () => context.err);
  const { signal } = signals;
  const notice = (words: string) => void context.err.write(`skein: ${safeText(words)}\n`);
  for (const words of unusedWords(args)) notice(words);
  let agent: Agent | undefined;
  const begin = async (parts: Omit<Parts, 'notice'>) => {
    agent = await open(context, args, choice, place, { ...parts, notice, signal });
    return agent;
  };
  try {
    let fine: boolean;
    if (choice.input === 'text') fine = await printAll(await begin(printer), prompt, printer, signal);
    else {
      const { runStream } = await import('./stream.ts');
      const write = (message: JsonObject) => out.write(`${JSON.stringify(message)}\n`);
      const asks = choice.asksProgram === true;
      fine = await runStream({ open: begin, printer, signal, context, config: place.config, asks, write });
    }
    return signals.code ?? (fine ? 0 : 1);
  } finally {
    await agent?.close();
  }
}

/** Empty where prompts come as messages. */
async function promptOf(args: Arguments, choice: Choice, signals: Signals): Promise<string> {
  const words = args.positionals;
  if (choice.input === 'stream-json') {
    if (words.length === 0) return '';
    throw new UsageError(
      'With --input-format stream-json prompts come on standard input.',
      words.join(' '),
      'Leave the prompt out, or the option.',
    );
  }
  const prompt = joinPrompt(words, await readPiped(words.length > 0, signals.signal));
  if (prompt !== '' || signals.code !== undefined) return prompt;
  throw new UsageError(
    'There is no prompt.',
    'skein chat -p',
    'Give it as an argument or on standard input: skein chat -p "What does this project do?"',
  );
}

async function runInteractive(
  context: Context,
  args: Arguments,
  choice: Choice,
  place: Place,
  signals: Signals,
): Promise<number> {
  const interactive = await import('./interactive.ts');
  return interactive.runInteractive({
    context,
    args,
    choice,
    place,
    signals,
    open: (parts, chosen) =>
      open(context, args, choice, place, chosen ? { ...parts, chosen } : parts, chosen?.kind === 'new'),
  });
}

export interface Parts {
  watch(event: LoopEvent): void;
  ask?(asked: Asked, why: string): Promise<Consent>;
  notice(words: string): void;
  /** Ends what is waited for as it begins. */
  readonly signal?: AbortSignal;
  /** The session, where no option says it. */
  readonly chosen?: Chosen;
  /** MCP servers that the program that drives us named, by their names. */
  readonly servers?: McpOptions['servers'];
  /** The way to those of them that run in it. */
  readonly sdk?: McpOptions['sdk'];
  /** What else it wants. */
  readonly wishes?: Wishes;
}

/** `again`: a new session, whatever the first one was. */
export async function open(
  context: Context,
  args: Arguments,
  choice: Choice,
  place: Place,
  parts: Parts,
  again = false,
): Promise<Agent> {
  const chosen = again ? ({ kind: 'new' } as const) : (parts.chosen ?? (await chooseSession(context, args, place)));
  const name = again ? undefined : args.value('name');
  const onFork = (fork: Forked) => {
    const words = forkNotice(fork);
    if (words !== undefined) parts.notice(words);
  };
  const settled = await withSettings(context, args, choice, place, parts.notice);
  const { hooks = [], agents = [], ...wished }: Partial<Wishes> = parts.wishes ?? {};
  return createAgent({
    ...choice,
    ...place,
    ...settled,
    ...wished,
    hooks: [...settled.hooks, ...hooks],
    agents: [...(choice.agents ?? []), ...agents],
    isCleared: again,
    ...(name !== undefined && { name }),
    open: (where) => openChosen(chosen, { ...place, version: version(), where, onFork }),
    version: version(),
    now: context.now,
    emit: sparing(parts.watch),
    notice: parts.notice,
    ...(parts.signal && { signal: parts.signal }),
    ...(parts.ask && { ask: parts.ask }),
    mcp: withNamed(settled.mcp, parts.servers, parts.sdk, parts.notice),
  });
}

/** Once tools are used a session may go on for hours: the heap is kept small then, and not before the first request. */
function sparing(watch: Parts['watch']): Parts['watch'] {
  let isSmall = false;
  return (event) => {
    if (event.kind === 'tool-end' && !isSmall) {
      isSmall = true;
      keepHeapSmall();
    }
    watch(event);
  };
}
