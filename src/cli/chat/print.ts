/** `skein chat -p`: turns without a person, told as text, as one result, or as messages. */
import type { Agent } from '../../agent/agenttypes.ts';
import type { LoopEvent, TurnEnd, TurnPrompt } from '../../agent/ports.ts';
import { INTERRUPTED } from '../../agent/transcript/shapes.ts';
import { addUsage } from '../../agent/turn/tally.ts';
import { asObject, asString, type JsonObject } from '../../format/json.ts';
import { safeText } from '../../views/safe.ts';
import type { Terminal } from '../terminal.ts';
import { createHeartbeat } from './heartbeat.ts';
import { initMessage } from './init.ts';
import type { Prompt } from './input.ts';
import { messagesOf } from './messages.ts';
import type { Choice } from './options.ts';
import { addSaved, addTurn, failureWords, isError, newTotals, resultMessage } from './result.ts';
import { createTasks, type Tasks } from './tasks.ts';

export interface Printer {
  /** What agents say is told, too, not only what they do. */
  agentText: boolean;
  /** Told of everything that happens in a turn. */
  watch(event: LoopEvent): void;
  begin(agent: Agent): void;
  /** `isLast`: as text or one result only the last turn is told. */
  end(agent: Pick<Agent, 'sessionId' | 'limits'>, end: TurnEnd, isLast?: boolean, more?: JsonObject): void;
}

/** `out` for what was asked for, `err` for what went wrong. */
export function createPrinter(
  choice: Choice,
  out: Pick<Terminal, 'write' | 'isTerminal'>,
  err: () => Pick<Terminal, 'write'>,
): Printer {
  const totals = newTotals();
  let stopReason: string | null = null;
  let agent: Agent | undefined;
  const tasks = createTasks();
  const heartbeat = createHeartbeat(
    (message) => write(message),
    () => agent?.sessionId ?? '',
  );
  let users = 0;
  /** What the API counted, by answer: of the session itself, without its agents. */
  const answers = new Map<string, JsonObject>();
  let held: JsonObject[] = [];
  const write = (message: JsonObject) => out.write(`${JSON.stringify(message)}\n`);
  const limits = { maxTurns: choice.maxTurns, maxBudgetUSD: choice.maxBudgetUSD };
  /** A program gets the words as they are; a terminal must not be driven by them. */
  const say = (text: string) => {
    const shown = out.isTerminal ? safeText(text) : text;
    out.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  };

  /** The published client tells of a block before it tells of the events that ended it; ours is written when they are known. */
  const stream = (event: LoopEvent) => {
    const sessionId = agent?.sessionId ?? '';
    const options = { sessionId, partial: choice.partial, replay: choice.replay };
    const messages = isOfAgent(event)
      ? tasks(event, { ...options, agentText: printer.agentText })
      : messagesOf(event, options);
    const raw = event.kind === 'model' && event.event.kind === 'raw' ? event.event.event : undefined;
    if (raw !== undefined && (held.length > 0 || raw.type === 'content_block_stop')) {
      held.push(...messages);
      return;
    }
    const isBlock = event.kind === 'entry' && event.entry.type === 'assistant';
    if (!isBlock && messages.length > 0) release();
    for (const message of messages) write(message);
    if (isBlock) release();
  };
  const release = () => {
    for (const message of held.splice(0)) write(message);
  };

  const printer: Printer = {
    agentText: false,
    watch: (event) => {
      stopReason = stopReasonOf(event) ?? stopReason ?? errorStop(event);
      users += countsAsTurn(event, answers.size > 0) ? 1 : 0;
      noteAnswer(answers, event);
      if (choice.output !== 'stream-json') return;
      heartbeat(event);
      stream(event);
    },
    begin: (of) => {
      if (agent === undefined) addSaved(totals, of.costState());
      agent = of;
      stopReason = null;
      held = [];
      users = 0;
      answers.clear();
      if (choice.output === 'stream-json') write(initMessage(of));
    },
    end: (of, end, isLast = true, more = {}) => {
      addTurn(totals, end);
      release();
      if (!isLast && choice.output !== 'stream-json') return;
      if (choice.output !== 'text') {
        const turns = users + answers.size > 0 ? users + 1 : end.rounds;
        const usage = [...answers.values()].reduce(addUsage, {});
        const facts = { sessionId: of.sessionId, stopReason, turns, usage, ...given(limits), limits: of.limits };
        write({ ...resultMessage(end, totals, facts), ...more });
        return;
      }
      if (!isError(end)) say(end.text);
      else {
        if (end.text !== '' && end.failure === undefined) say(end.text);
        err().write(`skein: ${safeText(failureWords(end, given(limits)) ?? 'The turn failed.')}\n`);
      }
    },
  };
  return printer;
}

function isOfAgent(event: LoopEvent): event is Parameters<Tasks>[0] {
  return event.kind === 'agent' || event.kind === 'agent-start' || event.kind === 'agent-end';
}

/** The client counts what the model is told within a turn: results, what Stop hooks say, that it was interrupted. */
function countsAsTurn(event: LoopEvent, isAnswered: boolean): boolean {
  if (event.kind !== 'entry' || event.entry.type !== 'user' || event.entry.promptSource !== undefined) return false;
  return isAnswered || event.entry.interruptedMessageId !== undefined || isInterrupt(event.entry);
}

function isInterrupt({ message }: JsonObject): boolean {
  return JSON.stringify(asObject(message)?.content ?? '').includes(INTERRUPTED);
}

function given({ maxTurns, maxBudgetUSD }: { maxTurns?: number | undefined; maxBudgetUSD?: number | undefined }) {
  return { ...(maxTurns !== undefined && { maxTurns }), ...(maxBudgetUSD !== undefined && { maxBudgetUSD }) };
}

function noteAnswer(answers: Map<string, JsonObject>, event: LoopEvent): void {
  const message =
    event.kind === 'entry' && event.entry.type === 'assistant' ? asObject(event.entry.message) : undefined;
  if (message !== undefined) answers.set(asString(message.id) ?? '', asObject(message.usage) ?? {});
}

function stopReasonOf(event: LoopEvent): string | undefined {
  if (event.kind !== 'model' || event.event.kind !== 'raw') return undefined;
  return asString(asObject(event.event.event.delta)?.stop_reason);
}

/** An error is told as an answer, with a reason to stop of its own. */
function errorStop(event: LoopEvent): string | null {
  if (event.kind !== 'entry' || event.entry.isApiErrorMessage !== true) return null;
  return asString(asObject(event.entry.message)?.stop_reason) ?? null;
}

/** One turn, told; whether it ended well. */
export async function printTurn(
  agent: Agent,
  prompt: Prompt,
  printer: Printer,
  signal: AbortSignal,
  source: TurnPrompt['source'] = 'sdk',
): Promise<boolean> {
  printer.begin(agent);
  const end = await agent.turn({ content: prompt, source }, signal);
  printer.end(agent, end, signal.aborted || !agent.hasMore);
  return !isError(end);
}

/** A turn, and those for what it left in the background. */
export async function printAll(agent: Agent, prompt: Prompt, printer: Printer, signal: AbortSignal): Promise<boolean> {
  let fine = await printTurn(agent, prompt, printer, signal);
  while (agent.hasMore && !signal.aborted) {
    const next = agent.unqueue();
    if (next === undefined) await Promise.race([agent.background(), aborted(signal)]);
    else fine = await printTurn(agent, next.content, printer, signal, next.isNotice ? 'notice' : 'sdk');
  }
  return fine;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
