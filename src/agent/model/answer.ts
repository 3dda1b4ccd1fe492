/** Folds the events of a stream into an answer. Pure: how they came and what becomes of them is the business of others. */
import { asArray, asNumber, asObject, asString, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import type { ModelEvent } from '../ports.ts';

/** Where the input of a call stands that is not a JSON object (cut off by max_tokens, say), word for word. */
export const UNPARSED_INPUT = 'unparsed_input';

export interface AnswerFold {
  /** What an event means to those who watch. Events, blocks and deltas of a new kind are told as they are. */
  take(event: JsonObject): ModelEvent[];
  /** All of it came. */
  readonly complete: boolean;
  end(): AnswerEnd;
  /** The text that was being said, where there is any. */
  partial(): JsonObject | undefined;
}

export interface AnswerEnd {
  readonly stopReason: string;
  readonly stopSequence: string | null;
  readonly usage: JsonObject;
  /** What else the end of the message told: stop_details, context_management … */
  readonly more?: JsonObject;
}

interface Part {
  block: JsonObject;
  input: string;
}

export function createAnswerFold(requestId?: string): AnswerFold {
  const open = new Map<number, Part>();
  let usage: JsonObject = {};
  let started = false;
  let called = false;
  let stopped = false;
  let stop: JsonObject = {};
  let more: JsonObject = {};

  function start(event: JsonObject): ModelEvent[] {
    const message = asObject(event.message) ?? {};
    started = true;
    usage = asObject(message.usage) ?? {};
    const [id, model] = [asString(message.id) ?? '', asString(message.model) ?? ''];
    return [{ kind: 'start', id, model, ...(requestId !== undefined && { requestId }), usage }];
  }

  function delta(index: number, change: JsonObject): ModelEvent[] {
    const part = open.get(index);
    if (part === undefined) return [];
    if (change.type === 'input_json_delta') {
      const text = asString(change.partial_json) ?? '';
      part.input += text;
      return text === '' ? [] : [{ kind: 'delta', index, what: 'input', text }];
    }
    part.block = changed(part.block, change);
    const what = change.type === 'text_delta' ? 'text' : change.type === 'thinking_delta' ? 'thinking' : undefined;
    const text = what && (asString(change[what]) ?? '');
    return what && text ? [{ kind: 'delta', index, what, text }] : [];
  }

  function close(index: number): ModelEvent[] {
    const part = open.get(index);
    if (part === undefined) return [];
    open.delete(index);
    const block = part.input === '' ? part.block : { ...part.block, input: inputOf(part.input) };
    called ||= block.type === 'tool_use';
    return [{ kind: 'block', index, block }];
  }

  function endOf({ type: _, delta: last, usage: counts, ...others }: JsonObject): void {
    const { stop_reason, stop_sequence, ...rest } = asObject(last) ?? {};
    stop = { stop_reason, stop_sequence };
    usage = merged(usage, asObject(counts) ?? {});
    more = { ...more, ...rest, ...others };
  }

  function told(event: JsonObject): ModelEvent[] {
    const index = asNumber(event.index) ?? 0;
    switch (event.type) {
      case 'message_start':
        return start(event);
      case 'content_block_start':
        open.set(index, { block: asObject(event.content_block) ?? {}, input: '' });
        return [];
      case 'content_block_delta':
        return delta(index, asObject(event.delta) ?? {});
      case 'content_block_stop':
        return close(index);
      case 'message_delta':
        endOf(event);
        return [];
      case 'message_stop':
        stopped = true;
        return [];
      default:
        return [];
    }
  }

  return {
    take: (event) => [{ kind: 'raw', event }, ...told(event)],
    get complete() {
      return started && open.size === 0 && (stopped || asString(stop.stop_reason) !== undefined);
    },
    end: () => ({
      stopReason: asString(stop.stop_reason) ?? (called ? 'tool_use' : 'end_turn'),
      stopSequence: asString(stop.stop_sequence) ?? null,
      usage,
      ...(Object.keys(more).length > 0 && { more }),
    }),
    partial: () => {
      const block = [...open.values()].at(-1)?.block;
      return block?.type === 'text' && (asString(block.text) ?? '').trim() !== '' ? block : undefined;
    },
  };
}

function inputOf(text: string): JsonObject {
  return asObject(parseJson(text)) ?? { [UNPARSED_INPUT]: text };
}

/** Words are added to words, a citation to the list of them; a signature comes whole. What is new is treated by its shape. */
function changed(block: JsonObject, { type, ...change }: JsonObject): JsonObject {
  if (type === 'signature_delta') return { ...block, signature: change.signature };
  if (type === 'citations_delta') {
    return { ...block, citations: [...(asArray(block.citations) ?? []), change.citation ?? null] };
  }
  const next = { ...block };
  for (const [key, value] of Object.entries(change)) next[key] = added(next[key], value);
  return next;
}

function added(old: Json | undefined, value: Json | undefined): Json | undefined {
  if (typeof old === 'string' && typeof value === 'string') return old + value;
  if (Array.isArray(old) && Array.isArray(value)) return [...old, ...value];
  return value;
}

/** Counts of the end are those of the whole answer; what they leave out, or leave null, was told at the start. */
function merged(start: JsonObject, end: JsonObject): JsonObject {
  const told = Object.entries(end).filter(([key, value]) => value !== null || start[key] === undefined);
  return { ...start, ...Object.fromEntries(told) };
}
