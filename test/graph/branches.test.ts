import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { type Branches, branchesOf } from '../../src/graph/branches.ts';
import {
  assistant,
  attachment,
  chain,
  conversation,
  entriesOf,
  progress,
  queueOperation,
  result,
  synthetic,
  system,
  text,
  toolUse,
  user,
} from '../support/build.ts';

const answer = (content: string, more: JsonObject = {}) => assistant(content, { id: `m-${content}` }, more);

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

describe('branches: what makes one', () => {
  test('H3: a conversation without rewind is one branch with every line', () => {
    const entries = conversation([
      queueOperation('enqueue', 'Q1'),
      queueOperation('dequeue'),
      user('Q1'),
      answer('A1'),
      system('turn_duration'),
      user('Q2'),
      answer('A2'),
    ]);
    const branches = branchesOf(entries);
    expect(lines(branches)).toEqual(['u7 @undefined 2 *']);
    expect(branches.entriesOf(branches.current)).toEqual(entries);
  });

  test('H3: several prompts after one entry are branches; each has the common part and its own', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      user('Q2'),
      answer('A2'),
      user('Q3'),
      user('Q2 again', { parentUuid: 'u2' }),
      answer('A2 again'),
    ]);
    const branches = branchesOf(entries);
    expect(lines(branches)).toEqual(['u5 @u2 2', 'u7 @u2 1 *']);
    expect(branches.branches.map((branch) => uuids(branches.entriesOf(branch)))).toEqual([
      ['u1', 'u2', 'u3', 'u4', 'u5'],
      ['u1', 'u2', 'u6', 'u7'],
    ]);
  });

  test('H3: branches of branches', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      user('Q2'),
      answer('A2'),
      user('Q3'),
      user('Q3b', { parentUuid: 'u4' }),
      user('Q2b', { parentUuid: 'u2' }),
    ]);
    expect(lines(branchesOf(entries))).toEqual(['u5 @u4 1', 'u6 @u4 1', 'u7 @u2 1 *']);
  });

  test('H3: a rewind to the very beginning shares nothing', () => {
    const entries = conversation([user('Q1'), answer('A1'), user('Q1b', { parentUuid: null }), answer('A1b')]);
    expect(lines(branchesOf(entries))).toEqual(['u2 @undefined 1', 'u4 @undefined 1 *']);
    expect(current(entries)).toEqual(['u3', 'u4']);
  });

  test('R2: the branch that last-prompt pins is current, and a rewind without a new prompt is one of its own', () => {
    const rewound = [
      user('Q1'),
      answer('A1'),
      user('Q2'),
      answer('A2'),
      user('Q2b', { parentUuid: 'u2' }),
      answer('A2b'),
    ];
    const pinned = [...chain(rewound), { type: 'last-prompt', leafUuid: 'u4', lastPrompt: 'Q2' }];
    expect(lines(branchesOf(entriesOf(pinned)))).toEqual(['u4 @u2 1 *', 'u6 @u2 1']);
    const inside = [...chain(rewound), { type: 'last-prompt', leafUuid: 'u3', lastPrompt: 'Q2' }];
    const branches = branchesOf(entriesOf(inside));
    expect(lines(branches)).toEqual(['u4 @u2 1', 'u3 @u3 0 *', 'u6 @u2 1']);
    expect(uuids(branches.entriesOf(branches.current)).filter(Boolean)).toEqual(['u1', 'u2', 'u3']);
  });

  test('H3: two answers to one prompt are branches; lines of one message are not', () => {
    const retry = conversation([user('Q1'), answer('A1'), answer('A1b', { parentUuid: 'u1' })]);
    expect(lines(branchesOf(retry))).toEqual(['u2 @u1 0', 'u3 @u1 0 *']);
    const siblings = conversation([
      user('Q1'),
      assistant('one', { id: 'm1' }),
      assistant('two', { id: 'm1' }, { parentUuid: 'u1' }),
      user('Q2'),
    ]);
    expect(lines(branchesOf(siblings))).toEqual(['u4 @undefined 2 *']);
  });
});

describe('branches: what makes none', () => {
  const calls = [
    user('Q1'),
    assistant(text('Both.'), { id: 'm1' }),
    assistant(toolUse('t1'), { id: 'm1' }),
    assistant(toolUse('t2'), { id: 'm1' }),
  ];

  test.each([
    ['results after each other (≤2.0.76)', [result('t2'), result('t1'), answer('A')]],
    [
      'each result after its call (≥2.1.5)',
      [result('t2', 'ok', { parentUuid: 'u4' }), result('t1', 'ok', { parentUuid: 'u3' }), answer('A')],
    ],
    [
      'the answer after the other result',
      [
        result('t1', 'ok', { parentUuid: 'u3' }),
        result('t2', 'ok', { parentUuid: 'u4' }),
        answer('A', { parentUuid: 'u5' }),
      ],
    ],
    [
      'hooks, attachments and system lines beside them',
      [
        result('t1', 'ok', { parentUuid: 'u3' }),
        progress({ type: 'hook_progress' }, { parentUuid: 'u5' }),
        attachment('hook_success'),
        result('t2', 'ok', { parentUuid: 'u4' }),
        progress({ type: 'hook_progress' }, { parentUuid: 'u8' }),
        system('informational', { parentUuid: 'u8' }),
        answer('A', { parentUuid: 'u9' }),
      ],
    ],
    [
      'a skill’s expansion after each result',
      [
        result('t1', 'ok', { parentUuid: 'u3' }),
        user([text('Base directory for this skill: a')], { isMeta: true }),
        result('t2', 'ok', { parentUuid: 'u4' }),
        user([text('Base directory for this skill: b')], { isMeta: true }),
        answer('A'),
      ],
    ],
    [
      'an interrupt mark beside the answer',
      [
        result('t1'),
        result('t2'),
        answer('A'),
        user([text('[Request interrupted by user]')], { parentUuid: 'u6' }),
        user('Q2', { parentUuid: 'u7' }),
      ],
    ],
  ])('E5: parallel calls, %s', (_, after) => {
    const entries = conversation([...calls, ...after]);
    const branches = branchesOf(entries);
    expect(branches.branches).toHaveLength(1);
    expect(branches.entriesOf(branches.current)).toEqual(entries);
  });

  test('E5: a result between two lines of its message (2.1.325)', () => {
    const entries = conversation([
      user('Q1'),
      assistant(toolUse('t1'), { id: 'm1' }),
      result('t1'),
      assistant(toolUse('t2'), { id: 'm1' }),
      result('t2'),
      answer('A'),
    ]);
    expect(lines(branchesOf(entries))).toEqual(['u6 @undefined 1 *']);
  });

  test('H3: a rewind into parallel results is a branch and keeps both results (R8)', () => {
    const entries = conversation([
      ...calls,
      result('t1', 'ok', { parentUuid: 'u3' }),
      result('t2', 'ok', { parentUuid: 'u4' }),
      answer('A'),
      user('Q2', { parentUuid: 'u5' }),
    ]);
    expect(lines(branchesOf(entries))).toEqual(['u7 @u6 0', 'u8 @u5 1 *']);
    expect(current(entries)).toEqual(['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u8']);
  });

  test('L3: inline side chains (1.0.x) are no branches and stay where they stand', () => {
    const side = (line: JsonObject, parentUuid: string | null) => ({ ...line, isSidechain: true, parentUuid });
    const entries = conversation([
      user('Q1'),
      assistant(toolUse('t1', 'Task'), { id: 'm1' }),
      side(user('for the agent'), null),
      side(answer('agent'), 'u3'),
      result('t1', 'done', { parentUuid: 'u2' }),
      answer('A'),
    ]);
    const branches = branchesOf(entries);
    expect(lines(branches)).toEqual(['u6 @undefined 1 *']);
    expect(branches.entriesOf(branches.current)).toEqual(entries);
  });

  test('E13: older clients resume from the caveat before a local command: the command is part of the conversation', () => {
    const entries = conversation([
      user('Q1'),
      answer('A1'),
      user('Caveat: the messages below', { isMeta: true }),
      user('<command-name>/cost</command-name>'),
      user('<local-command-stdout>$0</local-command-stdout>'),
      synthetic('No response requested.', { parentUuid: 'u3' }),
      user('Q2'),
      answer('A2'),
    ]);
    const branches = branchesOf(entries);
    expect(lines(branches)).toEqual(['u8 @undefined 3 *']);
    expect(branches.entriesOf(branches.current)).toEqual(entries);
  });
});
