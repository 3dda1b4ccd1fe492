import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Entry, jsonOf } from '../../src/format/entry.ts';
import {
  asArray,
  asObject,
  asString,
  at,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { type Branches, branchesOf } from '../../src/graph/branches.ts';
import { turnsOf } from '../../src/graph/turns.ts';
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
import { FIXTURES } from '../support/files.ts';
import { recorded, short } from '../support/sessions.ts';

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

describe('branches: recordings', () => {
  const branchLines = (version: string, scenario: string) =>
    recorded(version, scenario).flatMap(({ id, entries }) => {
      const { branches } = branchesOf(entries);
      if (branches.length < 2) return [];
      return branches.map((branch) => {
        const mark = branch.current ? ' *' : '';
        return `${short(id)} ${short(branch.head)} @${short(branch.forkedAt)} ${branch.turns}${mark}`;
      });
    });

  test.each([
    ['1.0.111', ['ecc15b79 785fab4b @192756de 2', 'ecc15b79 8695d4d6 @192756de 5 *']],
    ['2.0.76', ['d23005b1 a974704c @0386b4a1 1', 'd23005b1 7cda37a4 @0386b4a1 4 *']],
    ['2.1.45', ['23023d1a 3178fcb9 @6cb8826b 2', '23023d1a 02f370ea @6cb8826b 4 *']],
    ['2.1.325', ['50abf700 874d3d3b @501dca9c 1', '50abf700 5bd5a9fb @e596884d 2', '50abf700 6cd4a139 @e596884d 3 *']],
  ])('H3: k-interactive %s: the rewind, and a prompt that was interrupted before any answer', (version, expected) => {
    const found = branchLines(version, 'k-interactive');
    const heads = (all: readonly string[]) => all.map((line) => line.replace(/\b([0-9a-f]{6})[0-9a-f]{2}\b/g, '$1'));
    expect(heads(found)).toEqual(heads(expected));
  });

  test('H3: no other recording has branches', () => {
    const root = `${FIXTURES}recorded`;
    const split = readdirSync(root).flatMap((version) =>
      readdirSync(`${root}/${version}`)
        .filter((scenario) => !scenario.includes('k-interactive'))
        .flatMap((scenario) => branchLines(version, scenario)),
    );
    expect(split).toEqual([]);
  });

  test('every entry of every recording is in a branch, once; turns add up to those of the conversation', () => {
    const root = `${FIXTURES}recorded`;
    for (const version of readdirSync(root)) {
      for (const scenario of readdirSync(`${root}/${version}`)) {
        for (const { entries } of recorded(version, scenario)) {
          const branches = branchesOf(entries);
          const [only, ...others] = branches.branches;
          const reached = new Set(branches.branches.flatMap((branch) => branches.entriesOf(branch)));
          expect(reached.size).toBe(only === undefined ? 0 : entries.length);
          if (only === undefined || others.length > 0) continue;
          const turns = turnsOf(branches.entriesOf(only)).filter(({ number }) => number > 0);
          expect(only.turns).toBe(turns.length);
        }
      }
    }
  });
});

describe('branches: held against the client', () => {
  interface Case {
    readonly name: string;
    readonly entries: readonly Entry[];
    readonly sent: readonly Json[];
  }

  function linesOf(input: Json | undefined): string {
    if (typeof input === 'string') return input;
    const list = asArray(input) ?? [];
    return list.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  }

  function cases(file: string): Case[] {
    return readFileSync(`${FIXTURES}${file}`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const found = asObject(parseJson(line));
        const sent = asArray(found?.expected) ?? asArray(at(found?.expected, 'messages'));
        if (found === undefined || sent === undefined) return [];
        const name = asString(found.name) ?? '';
        return [{ name, entries: readSession(encode(linesOf(found.input)), name).entries, sent }];
      });
  }

  const content = (entry: Entry) =>
    JSON.stringify(at(jsonOf(entry), 'message', 'content') ?? jsonOf(entry)?.content ?? '');
  const quoted = (words: string) => JSON.stringify(words).slice(1, -1);

  function wordsSent(sent: readonly Json[]): Set<string> {
    const words = new Set<string>();
    for (const message of sent) {
      const blocks = at(message, 'content');
      for (const block of typeof blocks === 'string' ? [text(blocks)] : (asArray(blocks) ?? [])) {
        if (!isObject(block)) continue;
        for (const line of asString(block.text)?.split('\n') ?? []) words.add(line);
        for (const id of [block.id, block.tool_use_id]) if (typeof id === 'string') words.add(id);
      }
    }
    words.delete('');
    return words;
  }

  const isPrompt = ({ kind, head }: Entry) =>
    kind === 'user' && !head.isSidechain && !head.blocks.some(({ type }) => type === 'tool_result');

  /** Damage for which the client loses the first prompt. */
  const LOST = new Set(['f1103']);

  test.each(['fuzz.jsonl', 'probes.jsonl'])(
    'R2–R9: %s: a resume sends what the current branch holds, and its prompts',
    (file) => {
      for (const { name, entries, sent } of cases(file)) {
        const branches = branchesOf(entries);
        const own = branches.entriesOf(branches.current);
        const here = own.map(content).join('\n');
        const anywhere = entries.map(content).join('\n');
        const missing = [...wordsSent(sent)].filter(
          (word) => anywhere.includes(quoted(word)) && !here.includes(quoted(word)),
        );
        expect({ name, missing }).toEqual({ name, missing: [] });
        // What a compaction summed up is not sent, but stays in the chat.
        if (LOST.has(name) || entries.some(({ head }) => head.subtype === 'compact_boundary')) continue;
        const all = JSON.stringify(sent);
        const prompts = own.filter(isPrompt).map((entry) => firstText(entry));
        const unsent = prompts.filter((prompt) => prompt?.trim() && !all.includes(quoted(prompt)));
        expect({ name, unsent }).toEqual({ name, unsent: [] });
      }
    },
  );

  function firstText(entry: Entry): string | undefined {
    const said = at(jsonOf(entry), 'message', 'content');
    return asString(said) ?? asString(at(asArray(said)?.[0], 'text'));
  }
});

describe('branches: properties', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const anyLine = fc
    .record(
      {
        type: fc.constantFrom(
          'user',
          'assistant',
          'system',
          'attachment',
          'progress',
          'weird',
          'queue-operation',
          'summary',
        ),
        subtype: fc.constantFrom('compact_boundary', 'turn_duration', 'local_command'),
        uuid: ids,
        parentUuid: fc.oneof(ids, fc.constant(null), fc.constant('lost')),
        logicalParentUuid: ids,
        isSidechain: fc.boolean(),
        isMeta: fc.boolean(),
        timestamp: fc.constantFrom('2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', '2026-01-01T00:00:03Z', 'never'),
        leafUuid: ids,
        message: fc.record(
          {
            id: fc.constantFrom('m1', 'm2', 'm3'),
            content: fc.oneof(
              fc.constantFrom('hello', '<command-name>/x</command-name>', '[Request interrupted by user]'),
              fc.array(
                fc.constantFrom<JsonObject>(
                  text('t'),
                  { type: 'tool_use', id: 't1', name: 'Task', input: {} },
                  { type: 'tool_result', tool_use_id: 't1' },
                ),
              ),
            ),
          },
          { requiredKeys: [] },
        ),
        compactMetadata: fc.record({
          messagesSummarized: fc.nat(9),
          preservedMessages: fc.record({ anchorUuid: ids, uuids: fc.array(ids) }),
        }),
      },
      { requiredKeys: ['type'] },
    )
    .map((line): JsonObject => JSON.parse(JSON.stringify(line)));

  test('never throws; every line is in a branch, and in each at most once; one branch is current', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), (built) => {
        const entries = entriesOf(built);
        const branches = branchesOf(entries);
        const reached = new Set<Entry>();
        for (const branch of branches.branches) {
          const own = branches.entriesOf(branch);
          expect(new Set(own).size).toBe(own.length);
          for (const entry of own) reached.add(entry);
        }
        expect(branches.branches.filter((branch) => branch.current)).toHaveLength(branches.branches.length > 0 ? 1 : 0);
        if (branches.branches.length > 0) expect(reached.size).toBe(entries.length);
      }),
      { numRuns: 500 },
    );
  });

  /** A tree of prompts and answers: each line's parent is an earlier one. */
  const tree = fc.array(fc.nat(), { minLength: 1, maxLength: 40 }).map((choices) =>
    choices.map((choice, index): JsonObject => {
      const parentUuid = index === 0 ? null : `u${choice % index}`;
      return { ...(index % 2 === 0 ? user(`Q${index}`) : answer(`A${index}`)), uuid: `u${index}`, parentUuid };
    }),
  );

  test('E12: whatever the file order, the branches are the same and parents come first', () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat()), (built, random) => {
        const shuffled = built
          .map((line) => ({ line, key: Number(random.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ line }) => line);
        const ends = (all: readonly JsonObject[]) => {
          const found = branchesOf(entriesOf(all), {});
          return found.branches.map(({ head }) => head).sort();
        };
        const leaves = built
          .filter(({ uuid }) => !built.some((line) => line.parentUuid === uuid))
          .map(({ uuid }) => uuid);
        const branches = branchesOf(entriesOf(shuffled));
        for (const branch of branches.branches) {
          const order = uuids(branches.entriesOf(branch));
          for (const [place, uuid] of order.entries()) {
            const parent = built.find((line) => line.uuid === uuid)?.parentUuid;
            if (typeof parent === 'string') expect(order.indexOf(parent)).toBeLessThan(place);
          }
        }
        const isInside = (head: string | undefined) => !leaves.includes(head);
        expect(ends(built).filter((head) => !isInside(head))).toEqual([...leaves].sort());
        expect(ends(shuffled).filter((head) => !isInside(head))).toEqual([...leaves].sort());
      }),
    );
  });

  test.each([
    ['a long conversation', (i: number) => ({ parentUuid: i === 0 ? null : `u${i - 1}` })],
    ['nothing but rewinds', (i: number) => ({ parentUuid: i === 0 ? null : 'u0' })],
    ['nothing but lost parents', (i: number) => ({ parentUuid: `lost${i}` })],
    ['written backwards', (i: number, n: number) => ({ parentUuid: i === n - 1 ? null : `u${i + 1}` })],
    ['one cycle', (i: number, n: number) => ({ parentUuid: `u${(i + 1) % n}` })],
    [
      'unknown types',
      (i: number) => ({ type: i % 2 === 0 ? 'weird' : 'user', parentUuid: i === 0 ? null : `u${i - 1}` }),
    ],
  ])('linear: %s', (_, shape) => {
    const visits = (n: number) => {
      let count = 0;
      const built = Array.from({ length: n }, (__, i) => ({ ...user('Q'), uuid: `u${i}`, ...shape(i, n) }));
      const counted = entriesOf(chain(built)).map(
        (entry): Entry => ({
          ...entry,
          get head() {
            count += 1;
            return entry.head;
          },
        }),
      );
      const branches = branchesOf(counted);
      branches.entriesOf(branches.current);
      return count;
    };
    const [small, large] = [visits(500), visits(2_000)];
    expect(large).toBeLessThan(small * 4.4);
    expect(large).toBeLessThan(2_000 * 120);
  });
});
