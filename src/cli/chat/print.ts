/** `skein chat -p`: turns without a person, told as text, as one result, or as messages. */
import type { Agent } from '../../agent/agenttypes.ts';
import type { LoopEvent, TurnEnd, TurnPrompt } from '../../agent/ports.ts';
import { asObject, asString, type JsonObject } from '../../format/json.ts';
import { safeText } from '../../views/safe.ts';
import type { Terminal } from '../terminal.ts';
import { initMessage } from './init.ts';
import type { Prompt } from './input.ts';
import { messagesOf } from './messages.ts';
import type { Choice } from './options.ts';
import { addTurn, failureWords, isError, newTotals, resultMessage } from './result.ts';

export interface Printer {
  /** Told of everything that happens in a turn. */
  watch(event: LoopEvent): void;
  begin(agent: Agent): void;
  /** `isLast`: as text or one result only the last turn is told. */
  end(agent: Pick<Agent, 'sessionId' | 'limits'>, end: TurnEnd, isLast?: boolean): void;
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
    const messages = messagesOf(event, { sessionId, partial: choice.partial, replay: choice.replay });
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

  return {
    watch: (event) => {
      stopReason = stopReasonOf(event) ?? stopReason;
      if (choice.output === 'stream-json') stream(event);
    },
    begin: (of) => {
      agent = of;
      stopReason = null;
      held = [];
      if (choice.output === 'stream-json') write(initMessage(of));
    },
    end: (of, end, isLast = true) => {
      addTurn(totals, end);
      release();
      if (!isLast && choice.output !== 'stream-json') return;
      if (choice.output !== 'text') {
        write(resultMessage(end, totals, { sessionId: of.sessionId, stopReason, ...given(limits), limits: of.limits }));
        return;
      }
      if (!isError(end)) say(end.text);
      else {
        if (end.text !== '' && end.failure === undefined) say(end.text);
        err().write(`skein: ${safeText(failureWords(end, given(limits)) ?? 'The turn failed.')}\n`);
      }
    },
  };
}

function given({ maxTurns, maxBudgetUSD }: { maxTurns?: number | undefined; maxBudgetUSD?: number | undefined }) {
  return { ...(maxTurns !== undefined && { maxTurns }), ...(maxBudgetUSD !== undefined && { maxBudgetUSD }) };
}

function stopReasonOf(event: LoopEvent): string | undefined {
  if (event.kind !== 'model' || event.event.kind !== 'raw') return undefined;
  return asString(asObject(event.event.event.delta)?.stop_reason);
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
