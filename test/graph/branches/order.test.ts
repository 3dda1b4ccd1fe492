import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/format/entry.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { type Branches, branchesOf } from '../../../src/graph/branches.ts';
import {
  assistant,
  conversation,
  entriesOf,
  queueOperation,
  result,
  system,
  text,
  toolUse,
  user,
} from '../../support/build.ts';
import { recorded } from '../../support/sessions.ts';

const answer = (content: string, more: JsonObject = {}) => assistant(content, { id: `m-${content}` }, more);
const boundary = (logicalParentUuid: string, more: JsonObject = {}) =>
  system('compact_boundary', { parentUuid: null, logicalParentUuid, ...more });

/** `head @forkedAt turns [*]` */
function lines({ branches }: Branches): string[] {
  return branches.map(({ head, forkedAt, turns, current }) => `${head} @${forkedAt} ${turns}${current ? ' *' : ''}`);
}

function uuids(entries: readonly Entry[]): (string | undefined)[] {
  return entries.map(({ head }) => head.uuid);
}

function current(entries: readonly Entry[]): (string | undefined)[] {
  const branches = branchesOf(entries);
  return uuids(branches.entriesOf(branches.current));
}

describe('branches: compactions', () => {
  test('C1: what was before a compaction stays in the chat', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      boundary('u2'),
      user('This session is being continued from a previous conversation', { isCompactSummary: true }),
      user('Q2'),
    ]);
    expect(lines(branchesOf(entries))).toEqual(['u5 @undefined 2 *']);
    expect(current(entries)).toEqual(['u1', 'u2', 'u3', 'u4', 'u5']);
  });

  test('C1: a rewind to before a compaction leaves it to the other branch', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      boundary('u2'),
      user('summary', { isCompactSummary: true }),
      user('Q2'),
      user('Q2b', { parentUuid: 'u2' }),
    ]);
    expect(lines(branchesOf(entries))).toEqual(['u5 @u2 1', 'u6 @u2 1 *']);
    expect(current(entries)).toEqual(['u1', 'u2', 'u6']);
  });

  test('C2: summing up to a message keeps what follows it; summing up from a message was said all the same', () => {
    const upTo = boundary('u2', { compactMetadata: { preservedMessages: { anchorUuid: 'u6', uuids: ['u3', 'u4'] } } });
    const kept = conversation([
      user('Q1'),
      answer('A1'),
      user('Q2'),
      answer('A2'),
      upTo,
      user('s', { isCompactSummary: true }),
    ]);
    expect(branchesOf(kept).branches).toHaveLength(1);
    const from = boundary('u2', {
      compactMetadata: { messagesSummarized: 2, preservedMessages: { anchorUuid: 'u5', uuids: ['u1', 'u2'] } },
    });
    const summed = conversation([
      user('Q1'),
      answer('A1'),
      user('Q2'),
      answer('A2'),
      from,
      user('s', { isCompactSummary: true }),
    ]);
    expect(branchesOf(summed).branches).toHaveLength(1);
  });

  test('C2: recorded, both ways in one session', () => {
    const [session] = recorded('2.1.325', 'x-resume-2.1.325-k-partial-2ed6');
    const branches = branchesOf(session?.entries ?? []);
    expect(branches.branches).toHaveLength(1);
    expect(branches.current?.turns).toBe(8);
  });

  test('C1: a boundary whose parent is lost goes on from what was before it in the file', () => {
    const entries = conversation([user('Q1'), answer('A1'), boundary('nowhere'), user('Q2')]);
    expect(current(entries)).toEqual(['u1', 'u2', 'u3', 'u4']);
  });
});

describe('branches: order and gaps', () => {
  test('E12: a child that stands before its parent comes after it', () => {
    const entries = conversation([
      user('Q1'),
      result('t1', 'ok', { parentUuid: 'u3' }),
      assistant(toolUse('t1'), { id: 'm1' }, { parentUuid: 'u1' }),
      answer('A1', { parentUuid: 'u2' }),
    ]);
    expect(current(entries)).toEqual(['u1', 'u3', 'u2', 'u4']);
  });

  test('E12: a repeated uuid is one entry in the place of the first, with the links of the last', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      user('Q2', { parentUuid: 'nowhere' }),
      user('Q2', { uuid: 'u3', parentUuid: 'u2' }),
      answer('A2'),
    ]);
    expect(lines(branchesOf(entries))).toEqual(['u5 @undefined 2 *']);
    expect(current(entries)).toEqual(['u1', 'u2', 'u3', 'u3', 'u5']);
  });

  test('R6: an entry whose parent was never written goes on from the entry before it in time', () => {
    const entries = conversation([user('Q1'), answer('A1'), user('Q2', { parentUuid: 'lost' }), answer('A2')]);
    expect(current(entries)).toEqual(['u1', 'u2', 'u3', 'u4']);
  });

  test('R6: a cycle ends, and goes on from the entry before it in time', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      user('Q2', { parentUuid: 'u5' }),
      answer('A2'),
      user('Q3'),
    ]);
    expect(current(entries)).toEqual(['u1', 'u2', 'u3', 'u4', 'u5']);
  });

  test('E2: an unknown type in the chain is passed through, and keeps branches apart', () => {
    const weird = { type: 'weird-new-type' };
    expect(current(conversation([user('Q1'), answer('A1'), weird, user('Q2')]))).toEqual(['u1', 'u2', 'u3', 'u4']);
    const rewound = [user('Q1'), answer('A1'), weird, user('Q2'), answer('A2'), user('Q2b', { parentUuid: 'u3' })];
    expect(lines(branchesOf(conversation(rewound)))).toEqual(['u5 @u3 1', 'u6 @u3 1 *']);
  });

  test('E15: a reduced transcript without uuids is one conversation', () => {
    const entries = entriesOf([
      { type: 'user', content: 'hello' },
      { message: { id: 'm1', role: 'assistant', content: [text('hi')] } },
      { type: 'user', content: 'second' },
    ]);
    const branches = branchesOf(entries);
    expect(branches.branches).toMatchObject([{ head: undefined, turns: 2, current: true }]);
    expect(branches.entriesOf(branches.current)).toEqual(entries);
  });

  test('E9: lines without uuid stay with the entry before them, titles with the session', () => {
    const entries = conversation([
      { type: 'summary', summary: 'T', leafUuid: 'u2' },
      queueOperation('dequeue'),
      user('Q1'),
      answer('A1'),
      user('Q2'),
      queueOperation('enqueue', 'typed while busy'),
      { type: 'custom-title', uuid: undefined, customTitle: 'Mine' },
      answer('A2', { parentUuid: 'u5' }),
      queueOperation('remove'),
      user('Q2b', { parentUuid: 'u4' }),
    ]);
    const branches = branchesOf(entries);
    const kinds = branches.branches.map((branch) => branches.entriesOf(branch).map(({ kind }) => kind));
    expect(branches.branches.map(({ turns }) => turns)).toEqual([2, 1]);
    expect(kinds[0]?.filter((kind) => kind === 'queue-operation')).toHaveLength(3);
    expect(kinds[1]).toEqual(['summary', 'queue-operation', 'user', 'assistant', 'custom-title', 'user']);
  });

  test('nothing said: no branch, and the lines as they are', () => {
    const entries = conversation([{ type: 'file-history-snapshot' }, queueOperation('dequeue')]);
    expect(branchesOf(entries).branches).toEqual([]);
    expect(branchesOf(entries).entriesOf(undefined)).toEqual(entries);
    expect(branchesOf([]).branches).toEqual([]);
  });
});
