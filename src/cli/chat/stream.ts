/** `--input-format stream-json`: prompts a line, each a turn; what comes while one runs is said to the model as it works. */
import { createInterface } from 'node:readline';
import type { Agent } from '../../agent/agenttypes.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import type { AskProgram } from './askprogram.ts';
import { type InputMessage, type Prompt, parseInputLine } from './input.ts';
import { type Printer, printTurn } from './print.ts';

export interface StreamOptions {
  readonly agent: Agent;
  readonly printer: Printer;
  readonly signal: AbortSignal;
  write(message: JsonObject): void;
  /** Where the program is asked before tools are used. */
  readonly asking?: AskProgram;
}

/** Whether the last turn ended well. Throws for a line that is no message. */
export async function runStream({ agent, printer, signal, write, asking }: StreamOptions): Promise<boolean> {
  const lines = createInterface({ input: process.stdin });
  const waiting: Prompt[] = [];
  let turn: AbortController | undefined;
  let wrong: unknown;
  let isOver = false;
  let wake: () => void = () => {};
  const changed = () => {
    const before = wake;
    wake = () => {};
    before();
  };
  const stop = () => {
    isOver = true;
    turn?.abort();
    lines.close();
    process.stdin.destroy();
    changed();
  };
  signal.addEventListener('abort', stop, { once: true });

  const take = (message: InputMessage) => {
    if (message.kind === 'prompt') {
      if (turn === undefined) waiting.push(message.prompt);
      else agent.queue(message.prompt);
      changed();
    } else if (message.kind === 'answer') asking?.answer(message.response);
    else if (message.kind === 'control') {
      if (message.request.subtype === 'interrupt') turn?.abort();
      write(answerOf(message.id, message.request));
    }
  };
  let number = 0;
  lines.on('line', (line) => {
    number += 1;
    if (isOver || line.trim() === '') return;
    try {
      take(parseInputLine(line, number));
    } catch (error) {
      wrong = error;
      stop();
    }
  });
  lines.on('close', () => {
    isOver = true;
    asking?.close();
    changed();
  });

  let fine = true;
  for (;;) {
    const first = waiting.shift();
    const next = first === undefined ? agent.unqueue() : { content: first };
    const mayGoOn = !signal.aborted && wrong === undefined;
    if (next !== undefined && mayGoOn) {
      turn = new AbortController();
      fine = await printTurn(agent, next.content, printer, turn.signal, next.isNotice ? 'notice' : 'sdk');
      turn = undefined;
    } else if (isOver && !(mayGoOn && agent.hasMore)) break;
    else {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([woken, agent.background() ?? woken]);
    }
  }
  signal.removeEventListener('abort', stop);
  if (wrong !== undefined) throw wrong;
  return fine;
}

/** Of the protocol of control requests only what a turn needs. */
function answerOf(id: string, request: JsonObject): JsonObject {
  const subtype = asString(request.subtype) ?? '';
  const known: Readonly<Record<string, JsonObject>> = { interrupt: { still_queued: [] }, initialize: { commands: [] } };
  const response = known[subtype];
  return {
    type: 'control_response',
    response: response
      ? { subtype: 'success', request_id: id, response }
      : {
          subtype: 'error',
          request_id: id,
          error: `Unsupported control request subtype: ${subtype}`,
          error_code: 'unsupported_request',
        },
  };
}
