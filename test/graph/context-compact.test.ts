/** C1, C2, R7: what a compaction leaves; each answer was given by client 2.1.325 when it was asked. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import { entriesOf } from '../support/resume-cases.ts';
import {
  assistant,
  boundary,
  brief,
  pin,
  result,
  summary,
  transcript,
  use,
  user,
  uuid,
} from '../support/transcript.ts';

const sent = (lines: readonly JsonObject[]) => brief(context(entriesOf(transcript(lines)), { prompt: 'new' }).messages);

const before = [user(1, null, 'q1'), assistant(2, 1, 'm1', 'a1'), user(3, 2, 'q2'), assistant(4, 3, 'm2', 'a2')];
const after = [user(7, 6, 'q3'), assistant(8, 7, 'm3', 'a3')];

function preserved(anchor: number, ...kept: number[]): JsonObject {
  return boundary(5, { preservedMessages: { anchorUuid: uuid(anchor), uuids: kept.map(uuid) } });
}

describe('C2: preserved messages', () => {
  test('follow the anchor in the order in which they are listed', () => {
    expect(sent([...before, preserved(6, 3, 4), summary(6, 5), ...after])).toEqual([
      'user: summary 6\n | q2',
      'assistant: a2',
      'user: q3',
      'assistant: a3',
      'user: new',
    ]);
    expect(sent([...before, preserved(5, 3, 4), summary(6, 5), ...after])).toEqual([
      'user: q2',
      'assistant: a2',
      'user: summary 6\n | q3',
      'assistant: a3',
      'user: new',
    ]);
  });
  test('one that is not there voids the record', () => {
    expect(sent([...before, preserved(6, 3, 98, 4), summary(6, 5), ...after])[0]).toBe('user: summary 6\n | q3');
  });
  test('the older form names only the first and the last', () => {
    const segment = boundary(5, { preservedSegment: { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) } });
    expect(sent([...before, segment, summary(6, 5), ...after])[0]).toBe('user: summary 6\n | q2');
  });
  test('an anchor is not the last word', () => {
    expect(sent([...before, preserved(6, 3, 4), summary(6, 5)])).toEqual([
      'user: summary 6\n | q2',
      'assistant: a2',
      'user: new',
    ]);
  });
  test('the rest before the boundary is gone: not re-attached, not pinned, and what hung on it hangs on the last one kept', () => {
    const parallel = [user(1, null, 'q1'), assistant(2, 1, 'm1', [use('t1')]), assistant(3, 2, 'm1', [use('t2')])];
    const results = [user(20, 2, [result('t1')]), user(4, 3, [result('t2')])];
    expect(sent([...parallel, ...results, preserved(6, 3, 4), summary(6, 5), ...after])[1]).toBe('assistant: +t2');
    const kept = [...before, preserved(6, 3, 4), summary(6, 5)];
    expect(sent([...kept, ...after, pin(2)])).toContain('assistant: a3');
    expect(sent([...kept, user(7, 2, 'again'), assistant(8, 7, 'm3', 'a3')])).toEqual([
      'user: summary 6\n | q2',
      'assistant: a2',
      'user: again',
      'assistant: a3',
      'user: new',
    ]);
  });
  test('a later boundary without a record drops what an older one kept', () => {
    expect(sent([...before, preserved(6, 3, 4), summary(6, 5), ...after, boundary(9)])).toEqual(['user: new']);
  });
});

describe('R7: without preserved messages', () => {
  test('a branch from before the boundary is whole', () => {
    expect(sent([...before, boundary(5), summary(6, 5), ...after, pin(2)])).toEqual([
      'user: q1',
      'assistant: a1',
      'user: new',
    ]);
  });
  test('lines of a message from before the boundary are re-attached', () => {
    const lines = [user(1, null, 'q1'), assistant(2, 1, 'm1', 'old'), boundary(5), summary(6, 5)];
    expect(sent([...lines, assistant(7, 6, 'm1', 'here')])[1]).toBe('assistant: here | old');
  });
});
