/** A Model that answers by a list, with everything a real one does: retries, cuts, refusals, and waiting to be interrupted. */
import type { ApiFailure, Model, ModelEvent, ModelOutcome, ModelRequest } from '../../src/agent/ports.ts';
import { asString, type JsonObject } from '../../src/format/json.ts';

export interface Answer {
  readonly blocks: readonly JsonObject[];
  readonly stopReason?: string;
  readonly id?: string;
  readonly usage?: JsonObject;
  readonly model?: string;
  /** Attempts that fail first, each after some whole blocks. */
  readonly attempts?: readonly { readonly after: readonly JsonObject[]; readonly failure: ApiFailure }[];
  /** After the blocks nothing more comes until the signal; `partial` is what was on its way. */
  readonly hangs?: { readonly partial?: JsonObject };
  readonly fails?: ApiFailure;
  readonly fallback?: string;
  /** Called when all blocks are told. */
  readonly onTold?: () => void;
}

export type Script = readonly Answer[] | ((request: ModelRequest, index: number) => Answer);

export function scripted(script: Script, requests: ModelRequest[] = []): Model {
  return {
    async *ask(request) {
      const index = requests.push(request) - 1;
      const answer = typeof script === 'function' ? script(request, index) : script[index];
      if (answer === undefined) return { kind: 'failed', failure: { type: 'script', message: `no answer ${index}` } };
      return yield* give(answer, request, index);
    },
    cost: () => 0.01,
  };
}

async function* give(answer: Answer, request: ModelRequest, index: number): AsyncGenerator<ModelEvent, ModelOutcome> {
  const id = answer.id ?? `msg_${index}`;
  const model = answer.model ?? request.model;
  for (const [n, { after, failure }] of (answer.attempts ?? []).entries()) {
    if (after.length > 0) yield* stream(after, `${id}_try${n}`, model);
    yield { kind: 'retry', failure, attempt: n + 1, maxRetries: 10, delayMs: 1 };
  }
  if (answer.fallback !== undefined) yield { kind: 'fallback', from: model, to: answer.fallback };
  yield* stream(answer.blocks, id, answer.fallback ?? model);
  answer.onTold?.();
  if (answer.fails !== undefined) return { kind: 'failed', failure: answer.fails };
  if (answer.hangs !== undefined || request.signal.aborted) {
    await aborted(request.signal);
    return { kind: 'aborted', ...(answer.hangs?.partial && { partial: answer.hangs.partial }) };
  }
  const stopReason =
    answer.stopReason ?? (answer.blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  return { kind: 'answer', stopReason, usage: answer.usage ?? { input_tokens: 10, output_tokens: 5 } };
}

async function* stream(blocks: readonly JsonObject[], id: string, model: string): AsyncGenerator<ModelEvent> {
  yield { kind: 'start', id, model, requestId: `req_${id}`, usage: { input_tokens: 10, output_tokens: 1 } };
  for (const [index, block] of blocks.entries()) {
    yield { kind: 'delta', index, what: 'text', text: asString(block.text) ?? '' };
    yield { kind: 'block', index, block };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
