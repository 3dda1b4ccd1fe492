/** `skein chat` without -p: line by line, in a terminal or through pipes. */
import type { Agent } from '../../agent/agenttypes.ts';
import type { Consent } from '../../agent/gate.ts';
import type { Asked, LoopEvent, TurnEnd, TurnPrompt } from '../../agent/ports.ts';
import type { JsonObject } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { mainArgument } from '../../views/toolview.ts';
import { dollars, tokenText } from '../../views/usage/amounts.ts';
import { PER_DOLLAR } from '../../views/usage/rates.ts';
import { visible } from '../terminal/visible.ts';
import type { Terminal } from '../terminal.ts';
import { createLines } from './lines.ts';
import { askSpecially } from './questions.ts';
import { addTurn, failureWords, isError, newTotals, sumUsage, type Totals } from './result.ts';
import type { Signals } from './signals.ts';
import { createView } from './view.ts';

export interface ConsoleOptions {
  readonly out: Terminal;
  readonly signals: Signals;
  readonly limits: { readonly maxTurns?: number; readonly maxBudgetUSD?: number };
  /** Said first. */
  readonly prompt: string;
  /** Opens a session, the first or after /clear. */
  open(parts: ConsoleParts, again: boolean): Promise<Agent>;
}

export interface ConsoleParts {
  watch(event: LoopEvent): void;
  ask(asked: Asked, why: string): Promise<Consent>;
  notice(words: string): void;
}

const HELP = `Write to the model; end a line with \\ to go on in the next. While it works, what you write is told to it as it goes on.
  /cost   what was used so far
  /clear  a new session
  /compact  what was said becomes a summary, to go on from
  /exit   end; so do Ctrl-D, and Ctrl-C twice
Ctrl-C stops what the model is doing.`;

export async function runConsole(options: ConsoleOptions): Promise<number> {
  const { out, signals } = options;
  const { style } = out;
  const view = createView(out);
  const totals = newTotals();
  let turn: AbortController | undefined;
  let warned = false;

  /** Somebody wants to go: what waits in the queue is not begun any more. */
  let isEnded = false;
  const end = () => {
    isEnded = true;
    turn?.abort();
    lines.close();
  };
  const lines = createLines({
    out,
    first: options.prompt,
    onInterrupt: () => {
      if (turn !== undefined) turn.abort();
      else if (warned) end();
      else {
        warned = true;
        view.line(style.dim('(Ctrl-C again, Ctrl-D or /exit to end)'));
        lines.prompt();
      }
    },
    onBusy: (text) => {
      if (isExit(text)) end();
      else if (text.trim() === '' || text.startsWith('/')) return false;
      else {
        agent.queue(text);
        view.line(style.dim('(told as it goes on)'));
      }
      return true;
    },
  });
  // In a terminal Ctrl-C is a key; a signal comes from outside and ends it all.
  signals.signal.addEventListener('abort', end, { once: true });

  /** One question at a time, whatever runs side by side. */
  let asking: Promise<unknown> = Promise.resolve();
  const askOne = async ({ tool, input, signal, agent }: Asked, why: string): Promise<Consent> => {
    const main = mainArgument(input);
    const about = visible(main).trimEnd();
    const who = agent === undefined ? '' : style.dim(` (${safeLine(agent.type)} agent)`);
    view.line(`${style.warn('?')} ${style.bold(safeLine(tool.name))} ${about}${who}`);
    for (const line of otherArguments(input, main)) view.line(`  ${line}`);
    if (why !== '') view.line(style.dim(`  ${safeLine(why)}`));
    const answer = await lines.answer('  run it? y(es), n(o), a(lways in this session) ', signal);
    return consentOf(answer ?? '');
  };
  const ask = (asked: Asked, why: string): Promise<Consent> => {
    const answer = (words: string) => lines.answer(words, asked.signal);
    const next = asking.then(() => askSpecially(asked, { style, line: view.line, answer }) ?? askOne(asked, why));
    asking = next.catch(() => {});
    return next;
  };
  const parts = { watch: view.watch, ask, notice: (words: string) => view.line(style.warn(safeText(words))) };
  let agent = await options.open(parts, false);

  const runTurn = async (prompt: string, source: TurnPrompt['source'] = 'typed') => {
    turn = new AbortController();
    const ended = await agent.turn({ content: prompt, source }, turn.signal);
    turn = undefined;
    addTurn(totals, ended);
    // Said without a model: by a command of ours, or by a hook.
    if (ended.rounds === 0 && !isError(ended) && ended.text !== '') view.line(safeText(ended.text));
    for (const note of notesOf(ended, options.limits)) view.line(style.warn(safeText(note)));
  };
  const clear = async () => {
    await agent.close('clear');
    if (agent.isBegun) view.line(resumeHint(agent.sessionId));
    agent = await options.open(parts, true);
    view.line(style.dim('A new session.'));
  };
  const handle = async (text: string) => {
    const word = text.trim();
    if (word === '/help') view.line(HELP);
    else if (word === '/cost') view.line(costLine(totals));
    else if (word === '/clear') await clear();
    else if (/^\/[a-z]+$/.test(word) && !agent.commands.includes(word.slice(1)))
      view.line(`There is no ${word}. See /help.`);
    else if (word !== '') await runTurn(text);
  };

  try {
    if (lines.isTyped) view.line(style.dim(safeLine(`${agent.model} in ${agent.cwd}; /help for help`)));
    let typing: Promise<{ readonly text: string | undefined }> | undefined;
    for (;;) {
      let text: string | undefined;
      // First what was typed while it worked and came too late for the turn, or what is done in the background.
      const left = isEnded ? undefined : queued(agent);
      if (left?.isNotice) {
        await runTurn(left.text, 'notice');
        continue;
      }
      if (left === undefined) {
        typing ??= lines.next().then((text) => ({ text }));
        const came = await Promise.race([typing, (isEnded ? undefined : agent.background()) ?? typing]);
        if (came === undefined) continue;
        typing = undefined;
        text = came.text;
      } else text = left.text;
      warned = false;
      if (text === undefined || isExit(text) || signals.code !== undefined) break;
      await handle(text);
    }
  } finally {
    signals.signal.removeEventListener('abort', end);
    lines.close();
    await agent.close('prompt_input_exit');
  }
  if (agent.isBegun) view.line(resumeHint(agent.sessionId));
  return signals.code ?? 0;
}

function isExit(text: string): boolean {
  return /^\s*\/(?:exit|quit)\s*$/.test(text);
}

function queued(agent: Agent): { readonly text: string; readonly isNotice: boolean } | undefined {
  const { content, isNotice = false } = agent.unqueue() ?? {};
  return typeof content === 'string' ? { text: content, isNotice } : undefined;
}

/** Anything but yes is no. */
function consentOf(answer: string): Consent {
  if (/^\s*a(?:lways)?\s*$/i.test(answer)) return 'always';
  return /^\s*y(?:es)?\s*$/i.test(answer) ? 'once' : 'no';
}

function notesOf(end: TurnEnd, limits: ConsoleOptions['limits']): string[] {
  if (end.reason === 'interrupted') return ['(interrupted)'];
  const words = isError(end) ? failureWords(end, limits) : undefined;
  return words === undefined || words === end.text ? [] : [words];
}

function costLine(totals: Totals): string {
  const usage = sumUsage(totals.usage);
  const count = (name: string) => tokenText(Number(usage[name] ?? 0));
  return `${dollars(totals.costUSD * PER_DOLLAR)}: ${count('input_tokens')} in, ${count('cache_read_input_tokens')} from the cache, ${count('cache_creation_input_tokens')} into it, ${count('output_tokens')} out`;
}

function resumeHint(id: string): string {
  return `Go on with it: skein chat --resume ${id}\n           or: claude --resume ${id}`;
}

/** Whatever else a call is given is part of what is asked. */
export function otherArguments(input: JsonObject, main: string): string[] {
  if (main === JSON.stringify(input)) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return value === main ? [] : visible(`${name}: ${text}`).trimEnd().split('\n');
  });
}
