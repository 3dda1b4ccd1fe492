/** Asks a model for a summary of a conversation: a request of its own, without tools. */
import { asString, type JsonObject } from '../../format/json.ts';
import { factsOf } from '../model/models.ts';
import type { ApiFailure, Model, ModelRequest } from '../ports.ts';
import { fitted, rendered, type Spoken } from './render.ts';
import { requestText, SYSTEM } from './words.ts';

export interface SummaryAsk {
  readonly ask: Model['ask'];
  readonly model: string;
  readonly messages: readonly Spoken[];
  readonly instructions?: string;
  readonly signal: AbortSignal;
}

export type Summary =
  | { readonly kind: 'done'; readonly text: string; readonly model: string; readonly usage: JsonObject }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'aborted' };

const LONGEST_ANSWER = 16_000;
/** Of a token, so that a guess is rather too short. */
const CHARS = 3;
const FOR_WORDS = 5_000;
/** Each time that it is too long, half as much is told. */
const TRIES = 4;

export async function summarize(options: SummaryAsk): Promise<Summary> {
  const { window, maxOutput } = factsOf(options.model);
  const maxTokens = Math.min(maxOutput, LONGEST_ANSWER);
  const texts = rendered(options.messages);
  let chars = (window - maxTokens - FOR_WORDS) * CHARS;
  for (let tries = 1; ; tries += 1) {
    const conversation = fitted(texts, chars);
    const text = requestText(conversation, options.instructions);
    const summary = await askOnce(options, {
      model: options.model,
      system: [SYSTEM],
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      maxTokens,
      signal: options.signal,
    });
    const isTooLong = summary.kind === 'failed' && summary.failure.tooLong === true;
    if (!isTooLong || tries >= TRIES) return summary;
    chars = Math.floor(Math.min(chars, conversation.length) / 2);
  }
}

async function askOnce({ ask }: SummaryAsk, request: ModelRequest): Promise<Summary> {
  const stream = ask(request);
  let words: string[] = [];
  let { model } = request;
  for (;;) {
    const next = await stream.next();
    if (next.done) {
      const { value } = next;
      if (value.kind !== 'answer') return value.kind === 'aborted' ? { kind: 'aborted' } : value;
      return summaryOf(words.join('\n').trim(), value.stopReason, { model, usage: value.usage });
    }
    const event = next.value;
    if (event.kind === 'start') {
      words = [];
      model = event.model;
    } else if (event.kind === 'block' && event.block.type === 'text') words.push(asString(event.block.text) ?? '');
  }
}

function summaryOf(text: string, stopReason: string, spent: { model: string; usage: JsonObject }): Summary {
  if (stopReason === 'model_context_window_exceeded') {
    return { kind: 'failed', failure: { type: stopReason, message: 'The conversation is too long.', tooLong: true } };
  }
  if (stopReason === 'refusal') {
    return { kind: 'failed', failure: { type: 'refusal', message: `${spent.model} declined to summarize it.` } };
  }
  if (text === '') {
    return { kind: 'failed', failure: { type: 'empty_summary', message: `${spent.model} gave no summary.` } };
  }
  return { kind: 'done', text, ...spent };
}
