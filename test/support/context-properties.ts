/** What must hold of context() for any file. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import { context } from '../../src/graph/context/context.ts';
import { validate } from '../../src/graph/validate.ts';
import { damagedTranscript } from './damage.ts';
import { entriesOf, PROMPT } from './resume-cases.ts';

/** No phase looks at an entry more often than once or twice, and there are that many phases. */
const MOST_LOOKS = 24;

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
  expect(validate(messages)).toEqual([]);
  expect(messages.at(-1)?.content.at(-1)).toEqual({ type: 'text', text: PROMPT });
  expect(context(entriesOf(text), { prompt: PROMPT, model }).messages).toEqual(messages);
  const history = context(entries, { model }).messages;
  if (history.length > 0) expect(validate(history)).toEqual([]);
  expect(Math.max(0, ...looks.values())).toBeLessThanOrEqual(MOST_LOOKS);
}
