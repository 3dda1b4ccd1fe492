/** What must hold of context() for any file. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import { asArray, asString, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { type ApiMessage, context } from '../../src/graph/context/context.ts';
import { validate } from '../../src/graph/validate.ts';
import { damagedTranscript } from './damage.ts';
import { entriesOf, PROMPT } from './resume-cases.ts';

/** No phase looks at an entry more often than once or twice, and there are that many phases. */
const MOST_LOOKS = 24;

/** The blocks that the API takes, told here once more so that neither context() nor validate() has to be trusted. */
const words = (value: Json | undefined): boolean => (asString(value) ?? '').trim() !== '';
const filled = (value: Json | undefined): boolean => (asString(value) ?? '') !== '';
const SHOWN: Record<string, (block: JsonObject) => boolean> = {
  text: ({ text }) => words(text),
  image: ({ source }) => isObject(source) && filled(source.media_type) && filled(source.data),
};
const ALLOWED: Record<string, Record<string, (block: JsonObject) => boolean>> = {
  user: {
    ...SHOWN,
    tool_result: ({ tool_use_id, content, is_error }) =>
      filled(tool_use_id) &&
      (is_error === undefined || typeof is_error === 'boolean') &&
      (content === undefined || typeof content === 'string' || asArray(content)?.every(isShown) === true),
  },
  assistant: {
    text: ({ text }) => words(text),
    thinking: ({ thinking, signature }) => typeof thinking === 'string' && filled(signature),
    redacted_thinking: ({ data }) => filled(data),
    tool_use: ({ id, name, input }) => filled(id) && filled(name) && isObject(input),
  },
};

function isShown(block: Json): boolean {
  return isObject(block) && SHOWN[asString(block.type) ?? '']?.(block) === true;
}

/** Every block of a shape that the list does not have. */
export function strangeBlocks(messages: readonly ApiMessage[]): JsonObject[] {
  return messages.flatMap(({ role, content }) =>
    content.filter((block) => ALLOWED[role]?.[asString(block.type) ?? '']?.(block) !== true),
  );
}

export function checkDamaged(runs: number): void {
  fc.assert(fc.property(damagedTranscript, fc.constantFrom(undefined, 'another-model'), checkContext), {
    numRuns: runs,
  });
}

function checkContext(text: string, model: string | undefined): void {
  const entries = entriesOf(text);
  const looks = new Map<Entry, number>();
  const onVisit = (entry: Entry): void => {
    looks.set(entry, (looks.get(entry) ?? 0) + 1);
  };
  const { messages } = context(entries, { prompt: PROMPT, model, onVisit });
  expect(strangeBlocks(messages)).toEqual([]);
  expect(validate(messages)).toEqual([]);
  expect(messages.at(-1)?.content.at(-1)).toEqual({ type: 'text', text: PROMPT });
  expect(context(entriesOf(text), { prompt: PROMPT, model }).messages).toEqual(messages);
  const history = context(entries, { model }).messages;
  expect(strangeBlocks(history)).toEqual([]);
  if (history.length > 0) expect(validate(history)).toEqual([]);
  expect(Math.max(0, ...looks.values())).toBeLessThanOrEqual(MOST_LOOKS);
}
