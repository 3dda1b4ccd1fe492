/** One answer of the model: its blocks are written as they are complete. */
import { asObject, asString, type JsonObject } from '../../format/json.ts';
import { isBlank } from '../../graph/context/blocks.ts';
import type { AnswerFields, ApiFailure, CallPlace, ModelEvent, ModelOutcome, ModelRequest } from '../ports.ts';
import { apiErrorFields } from '../transcript/shapes.ts';
import { addAnswer, addTime } from './tally.ts';
import { type Turn, wrote } from './turn.ts';

export interface Call extends CallPlace {
  readonly name: string;
  readonly input: JsonObject;
}

export type Answer =
  | { readonly kind: 'answer'; readonly stopReason: string; readonly calls: readonly Call[]; readonly blocks: number }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** Calls that came whole before the interrupt; they were not run. */
  | { readonly kind: 'aborted'; readonly calls: readonly Call[] };

type Start = Extract<ModelEvent, { kind: 'start' }>;

interface Scribe {
  start: Start | undefined;
  /** Complete, but perhaps the last one, which also tells why the model stopped. */
  held: { readonly block: JsonObject; readonly index: number } | undefined;
  readonly calls: Call[];
  readonly texts: string[];
  blocks: number;
}

export async function readAnswer(turn: Turn, request: ModelRequest): Promise<Answer> {
  const scribe: Scribe = { start: undefined, held: undefined, calls: [], texts: [], blocks: 0 };
  const clock = turn.now ?? (() => performance.now());
  const began = clock();
  const stream = turn.model.ask(request);
  try {
    let next = await stream.next();
    while (!next.done) {
      take(turn, scribe, next.value);
      turn.emit({ kind: 'model', event: next.value });
      next = await stream.next();
    }
    addTime(turn.tally, clock() - began);
    return finish(turn, scribe, request, next.value);
  } catch (error) {
    await stream.return({ kind: 'aborted' });
    throw error;
  }
}

function take(turn: Turn, scribe: Scribe, event: ModelEvent): void {
  if (event.kind === 'start') {
    drop(turn, scribe);
    scribe.start = event;
  } else if (event.kind === 'block') {
    // A text without a visible character is sent by nobody, and older clients are refused for one they find (A4).
    if (isBlank(event.block)) return;
    release(turn, scribe);
    scribe.held = { block: event.block, index: event.index };
  } else if (event.kind === 'delta') {
    const isSaid = event.what !== 'text' || event.text.trim() !== '';
    if (isSaid && event.index !== scribe.held?.index) release(turn, scribe);
  } else if (event.kind === 'raw') {
    const { type, content_block: next } = event.event;
    if (type === 'content_block_start' && asObject(next)?.type !== 'text') release(turn, scribe);
  } else if (event.kind === 'retry') {
    drop(turn, scribe);
    const retry = { retryInMs: event.delayMs, retryAttempt: event.attempt, maxRetries: event.maxRetries };
    wrote(turn, turn.transcript.system('api_error', apiErrorFields(event.failure, retry)));
  } else {
    const content = `${event.from} does not answer; ${event.to} is asked instead.`;
    wrote(turn, turn.transcript.system('informational', { content, level: 'warning' }));
  }
}

/** The attempt failed: what it brought stays in the file but belongs to no answer. */
function drop(turn: Turn, scribe: Scribe): void {
  scribe.held = undefined;
  if (scribe.blocks > 0) turn.transcript.abandon();
  scribe.blocks = 0;
  scribe.calls.length = 0;
  scribe.texts.length = 0;
  scribe.start = undefined;
}

/** More of the answer follows the held block. */
function release(turn: Turn, scribe: Scribe, end: Partial<AnswerFields> = {}): void {
  const { held, start } = scribe;
  if (held === undefined) return;
  scribe.held = undefined;
  const entry = turn.transcript.block(held.block, {
    id: start?.id ?? '',
    model: start?.model ?? turn.ask.model,
    ...(start?.requestId !== undefined && { requestId: start.requestId }),
    index: held.index,
    stopReason: null,
    usage: start?.usage ?? {},
    ...end,
  });
  scribe.blocks += 1;
  note(scribe, entry);
  wrote(turn, entry);
}

/** Ids are read from the line: the transcript may have changed them. */
function note(scribe: Scribe, entry: JsonObject): void {
  const content = asObject(entry.message)?.content;
  const block = asObject(Array.isArray(content) ? content[0] : undefined);
  if (block?.type === 'text') scribe.texts.push(asString(block.text) ?? '');
  if (block?.type !== 'tool_use') return;
  scribe.calls.push({
    toolUseId: asString(block.id) ?? '',
    entryUuid: asString(entry.uuid) ?? '',
    name: asString(block.name) ?? '',
    input: asObject(block.input) ?? {},
  });
}

function finish(turn: Turn, scribe: Scribe, request: ModelRequest, outcome: ModelOutcome): Answer {
  if (outcome.kind === 'failed') {
    drop(turn, scribe);
    return outcome;
  }
  if (outcome.kind === 'aborted') return abort(turn, scribe, outcome.partial);
  const { stopReason, stopSequence = null, usage } = outcome;
  release(turn, scribe, { stopReason, stopSequence, usage });
  const model = scribe.start?.model ?? request.model;
  addAnswer(turn.tally, model, usage, (name, used) => turn.model.cost(name, used));
  turn.meter.counted(usage, request.messages.length);
  turn.text = scribe.texts.join('\n');
  return { kind: 'answer', stopReason, calls: scribe.calls, blocks: scribe.blocks };
}

function abort(turn: Turn, scribe: Scribe, partial: JsonObject | undefined): Answer {
  const index = (scribe.held?.index ?? scribe.blocks - 1) + 1;
  release(turn, scribe);
  const words = partial?.type === 'text' ? (asString(partial.text) ?? '') : '';
  if (partial !== undefined && words.trim() !== '' && scribe.start !== undefined) {
    scribe.held = { block: partial, index };
    release(turn, scribe, { aborted: true });
  }
  turn.text = scribe.texts.join('\n');
  return { kind: 'aborted', calls: scribe.calls };
}
