/** What must hold of a clone and of a moved session, whatever the source holds. */
import { expect } from 'vitest';
import { entriesUpTo } from '../../src/edit/branch.ts';
import { type CloneOptions, clone } from '../../src/edit/clone.ts';
import { flawsOf } from '../../src/edit/flaws.ts';
import { type Draft, encodeDraft } from '../../src/edit/log.ts';
import { checkLines } from '../../src/format/check.ts';
import type { Entry } from '../../src/format/entry.ts';
import type { Issue } from '../../src/format/issue.ts';
import { concat, splitLines } from '../../src/format/lines.ts';
import { memorySource, readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { createGraphCheck } from '../../src/graph/check.ts';
import { context } from '../../src/graph/context/context.ts';
import { validate } from '../../src/graph/validate.ts';
import { PROMPT } from './resume-cases.ts';

export const CLONE_ID = 'c10e0000-0000-4000-8000-000000000000';
export const SOURCE_ID = '50a4ce00-0000-4000-8000-000000000000';

/** The same uuids each time, and none that a source has. */
export function countedUuids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `f4e50000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
}

export function cloneOptions(more: Partial<CloneOptions> = {}): CloneOptions {
  const now = '2026-01-02T03:04:05.000Z';
  return { sessionId: CLONE_ID, from: SOURCE_ID, freshUuid: countedUuids(), now, title: 'T (clone)', ...more };
}

export function writtenBytes(draft: Draft): Uint8Array {
  return concat([...encodeDraft(draft)]);
}

export function readWritten(draft: Draft): readonly Entry[] {
  return readSession(writtenBytes(draft), 'written.jsonl').entries;
}

/** What `skein check` calls errors. */
export function errorsIn(bytes: Uint8Array): Issue[] {
  const graph = createGraphCheck();
  const { issues } = checkLines(memorySource('written.jsonl', bytes), splitLines([bytes]), { onEntry: graph.add });
  return [...issues, ...graph.result()].filter(({ severity }) => severity === 'error');
}

export function sent(entries: readonly Entry[], prompt: string | undefined = PROMPT) {
  return context(entries, { prompt }).messages;
}

/** S1, S5, S8: one chain, nothing dangling, accepted by `check` and the API. */
export function expectSound(draft: Draft): void {
  const bytes = writtenBytes(draft);
  expect(flawsOf(readSession(bytes).entries)).toEqual([]);
  expect(errorsIn(bytes)).toEqual([]);
  expect(validate(sent(readSession(bytes).entries))).toEqual([]);
}

/** A clone and the clone of it; and one that ends at the entry chosen. */
export function checkClones(text: string, choice: number): void {
  const { entries } = readSession(encode(text), 'source.jsonl');
  const first = clone(entries, cloneOptions());
  expectSound(first);
  const copy = readWritten(first);
  expect(sent(copy)).toEqual(sent(entries));
  expect(context(copy).messages).toEqual(context(entries).messages);
  const second = clone(copy, cloneOptions({ from: CLONE_ID }));
  expectSound(second);
  expect(sent(readWritten(second))).toEqual(sent(entries));
  checkPart(entries, choice);
}

function checkPart(entries: readonly Entry[], choice: number): void {
  const said = entries.filter(
    ({ kind, head }) => (kind === 'user' || kind === 'assistant') && !head.isSidechain && head.uuid,
  );
  const leaf = said[choice % Math.max(said.length, 1)];
  if (leaf === undefined) return;
  const part = clone(entries, cloneOptions({ leaf }));
  expectSound(part);
  expect(sent(readWritten(part))).toEqual(sent(entriesUpTo(entries, leaf)));
}
