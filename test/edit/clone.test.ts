/** What a clone is made of, rule by rule, and every recording cloned. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clone } from '../../src/edit/clone.ts';
import type { Entry } from '../../src/format/entry.ts';
import { jsonOf } from '../../src/format/entry.ts';
import { asObject, asString, type JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { branchesOf } from '../../src/graph/branches.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { chain, conversation, toJsonl } from '../support/build.ts';
import {
  CLONE_ID,
  cloneOptions,
  expectSound,
  readWritten,
  SOURCE_ID,
  sent,
  writtenBytes,
} from '../support/edit-properties.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import {
  assistant,
  boundary,
  brief,
  pin,
  result,
  summary,
  system,
  thinking,
  transcript,
  use,
  user,
  uuid,
} from '../support/transcript.ts';

const read = (lines: readonly (JsonObject | string)[]) =>
  readSession(encode(transcript(lines)), 'source.jsonl').entries;
const cloned = (entries: readonly Entry[], more = {}) => clone(entries, cloneOptions(more));
const values = (entries: readonly Entry[]) => entries.map((entry) => jsonOf(entry) ?? {});
const briefly = (entries: readonly Entry[]) => brief(sent(entries));

describe('S1: a session of its own', () => {
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [use('t1'), use('t2')]),
    user(3, 2, [result('t2')], { sourceToolAssistantUUID: uuid(2) }),
    user(4, 2, [result('t1')], { sourceToolAssistantUUID: uuid(2) }),
    assistant(5, 4, 'm2', 'done'),
  ]);

  test('new session id and uuids, one chain, only the first entry without a parent', () => {
    const copy = values(readWritten(cloned(source)));
    const chained = copy.filter((value) => value.parentUuid !== undefined);
    expect(chained.map(({ parentUuid }) => parentUuid)).toEqual([
      null,
      ...chained.slice(0, -1).map((line) => line.uuid),
    ]);
    expect(new Set(copy.map(({ sessionId }) => sessionId))).toEqual(new Set([CLONE_ID]));
    const text = new TextDecoder().decode(writtenBytes(cloned(source)));
    for (const { uuid: old } of values(source)) {
      expect(text.replaceAll(`"messageUuid":"${old}"`, '')).not.toContain(asString(old));
    }
  });

  test('S2: parallel results stand in one row, and message and tool ids stay', () => {
    expect(briefly(readWritten(cloned(source)))).toEqual(briefly(source));
    const results = values(readWritten(cloned(source))).filter((line) => line.sourceToolAssistantUUID !== undefined);
    const call = values(readWritten(cloned(source))).find(({ type }) => type === 'assistant');
    expect(results.map((line) => line.sourceToolAssistantUUID)).toEqual([call?.uuid, call?.uuid]);
  });

  test('S6: times stay; forkedFrom says who an entry was first, also in a clone of a clone', () => {
    const first = readWritten(cloned(source));
    const second = readWritten(cloned(first, { from: CLONE_ID }));
    for (const copy of [first, second]) {
      const lines = values(copy).filter(({ uuid: own }) => own !== undefined);
      expect(lines.map(({ timestamp }) => timestamp)).toEqual(values(source).map(({ timestamp }) => timestamp));
      expect(lines.map(({ forkedFrom }) => forkedFrom)).toEqual(
        values(source).map((line) => ({ sessionId: SOURCE_ID, messageUuid: line.uuid })),
      );
    }
  });

  test('S6, R2: a title and a pin of its own at the end', () => {
    const [title, last] = values(readWritten(cloned(source, { lastPrompt: 'one' }))).slice(-2);
    expect(title).toEqual({ type: 'custom-title', customTitle: 'T (clone)', sessionId: CLONE_ID });
    expect(last).toMatchObject({ type: 'last-prompt', lastPrompt: 'one', sessionId: CLONE_ID });
    expect(last?.leafUuid).toBe(values(readWritten(cloned(source))).at(-3)?.uuid);
  });
});

test('S5: what is not changed keeps its bytes: numbers, escapes and unknown fields', () => {
  const odd =
    '"message":{"role":"user","content":"caf\\u00e9 \\/ \\ud83d\\ude00"},"weird":{"b":1.0,"10":2,"big":12345678901234567890}';
  const line = `{"uuid":"${uuid(1)}","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z","type":"user",${odd},"sessionId":"x"}`;
  const text = new TextDecoder().decode(writtenBytes(cloned(read([line]))));
  expect(text.split('\n')[0]).toContain(odd);
});

describe('S5: every reference', () => {
  const lines: JsonObject[] = [
    { type: 'summary', summary: 'of another file', leafUuid: 'ffffffff-0000-4000-8000-000000000000' },
    user(1, null, 'one', { sessionId: 'old', session_id: 'old' }),
    { type: 'file-history-snapshot', messageId: uuid(1), snapshot: { messageId: uuid(1), trackedFileBackups: {} } },
    { type: 'file-history-delta', messageId: uuid(1), snapshotMessageId: uuid(1), trackingPath: 'a' },
    { type: 'queue-operation', operation: 'enqueue', content: uuid(1), sessionId: 'old' },
    assistant(2, 1, 'm1', 'answer'),
    user(3, 2, 'two', { interruptedMessageId: uuid(2), origin: { promptUuid: uuid(1) } }),
    { type: 'summary', summary: 'ours', leafUuid: uuid(2) },
    {
      type: 'progress',
      uuid: uuid(4),
      parentUuid: uuid(3),
      data: {
        type: 'agent_progress',
        message: { uuid: uuid(2), message: { content: [{ type: 'text', text: uuid(2) }] } },
      },
    },
    { type: 'api-request', id: 'r1' },
    { type: 'api-request-shape' },
    { type: 'api-request-blob' },
    { type: 'cost-state' },
    { type: 'atis-latch' },
    { type: 'tag', tag: 'x', sessionId: 'old' },
    pin(2),
    pin(3),
  ];
  const source = read(lines);
  const copy = values(readWritten(cloned(source)));
  const now = (n: number) => copy.find((line) => asObject(line.forkedFrom)?.messageUuid === uuid(n))?.uuid;
  const ofType = (type: string) => copy.filter((line) => line.type === type);

  test('names the new entries', () => {
    expect(ofType('file-history-snapshot')).toMatchObject([{ messageId: now(1), snapshot: { messageId: now(1) } }]);
    expect(ofType('file-history-delta')).toMatchObject([{ messageId: now(1), snapshotMessageId: now(1) }]);
    expect(ofType('user')[1]).toMatchObject({ interruptedMessageId: now(2), origin: { promptUuid: now(1) } });
    expect(ofType('summary').map(({ leafUuid }) => leafUuid)).toEqual([lines[0]?.leafUuid, now(2)]);
    expect(ofType('last-prompt').map(({ leafUuid }) => leafUuid)).toEqual([now(2), now(3)]);
    expect(ofType('progress')).toMatchObject([{ data: { message: { uuid: now(2) } } }]);
    expect(ofType('user')[0]).toMatchObject({ sessionId: CLONE_ID, session_id: CLONE_ID });
    expectSound(cloned(source));
  });

  test('text that only looks like one stays', () => {
    expect(ofType('queue-operation')).toEqual([
      { type: 'queue-operation', operation: 'enqueue', content: uuid(1), sessionId: CLONE_ID },
    ]);
    expect(JSON.stringify(ofType('progress'))).toContain(`"text":"${uuid(2)}"`);
  });

  test('requests, costs and latches are not carried; every other line is', () => {
    const types = copy.map(({ type }) => type).filter((type) => type !== 'custom-title');
    expect(types.toSorted()).toEqual(
      lines
        .map(({ type }) => type)
        .filter((type) => !/^(?:api-request|cost|atis)/.test(asString(type) ?? ''))
        .toSorted(),
    );
  });
});

describe('C1, C2: compactions', () => {
  const kept = { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)], allUuids: [uuid(3), uuid(4)] } };
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 2, 'two'),
    assistant(4, 3, 'm2', 'A2'),
    { ...boundary(5, kept), logicalParentUuid: uuid(4) },
    summary(6, 5),
    user(7, 6, 'three'),
    assistant(8, 7, 'm3', 'A3'),
  ]);

  test('the boundary begins anew, names what was before, and what it kept', () => {
    const copy = values(readWritten(cloned(source)));
    const at = (n: number) => copy.find((line) => asObject(line.forkedFrom)?.messageUuid === uuid(n));
    expect(at(5)).toMatchObject({ parentUuid: null, logicalParentUuid: at(4)?.uuid });
    expect(at(5)?.compactMetadata).toEqual({
      preservedMessages: {
        anchorUuid: at(6)?.uuid,
        uuids: [at(3)?.uuid, at(4)?.uuid],
        allUuids: [at(3)?.uuid, at(4)?.uuid],
      },
    });
    expect(briefly(readWritten(cloned(source)))).toEqual(briefly(source));
    expect(briefly(source)[0]).toContain('two');
  });

  test('cut before the compaction the clone has none', () => {
    const part = readWritten(cloned(source, { leaf: source[3] }));
    expect(briefly(part)).toEqual(['user: one', 'assistant: A1', 'user: two', 'assistant: A2', 'user: ORACLE-PROMPT']);
    expect(values(part).some(({ subtype }) => subtype === 'compact_boundary')).toBe(false);
  });
});

describe('H3: branches', () => {
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 2, 'left behind'),
    assistant(4, 3, 'm2', 'A2'),
    system(5, 4, 'turn_duration'),
    user(6, 2, 'instead'),
    assistant(7, 6, 'm3', 'A3'),
    pin(7),
  ]);

  test('the one that a resume goes on from', () => {
    const draft = cloned(source);
    expect(briefly(readWritten(draft)).slice(0, -1)).toEqual([
      'user: one',
      'assistant: A1',
      'user: instead',
      'assistant: A3',
    ]);
    expect(draft.notes).toContainEqual({ rule: 'H3', what: '3 entries of other branches are left out' });
  });

  test('the one that ends with an entry', () => {
    const other = readWritten(cloned(source, { leaf: source[3] }));
    expect(briefly(other).slice(0, -1)).toEqual(['user: one', 'assistant: A1', 'user: left behind', 'assistant: A2']);
    expectSound(cloned(source, { leaf: source[3] }));
  });
});

test('a cut inside a message keeps it whole, with its results', () => {
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [use('t1')]),
    assistant(3, 2, 'm1', [use('t2')]),
    user(4, 2, [result('t1')]),
    user(5, 3, [result('t2')]),
    assistant(6, 5, 'm2', 'done'),
  ]);
  expect(briefly(readWritten(cloned(source, { leaf: source[1] }))).slice(0, 3)).toEqual([
    'user: one',
    'assistant: +t1 | +t2',
    'user: =t1 r-t1 | =t2 r-t2',
  ]);
});

test('S8: shapes that old clients are lost on: gaps, circles, repeated uuids, torn lines, missing times', () => {
  const source = read([
    user(1, null, 'one', { timestamp: undefined }),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 99, 'two'),
    user(3, 99, 'two again'),
    '{"type":"user","uuid":"torn',
    assistant(4, 5, 'm2', 'A2'),
    user(5, 4, 'three'),
  ]);
  const draft = cloned(source);
  expectSound(draft);
  expect(briefly(readWritten(draft))).toEqual(briefly(source));
  expect(values(readWritten(draft)).filter(({ parentUuid }) => parentUuid === null)).toHaveLength(1);
});

test('E15, W1: a reduced transcript becomes one that the client finds', () => {
  const source = readSession(
    encode(
      toJsonl([
        { role: 'user', message: { role: 'user', content: 'one', timestamp: '2026-01-02T10:00:00Z' } },
        { type: 'assistant', content: [{ type: 'text', text: 'A1' }] },
      ]),
    ),
  ).entries;
  const [first, second] = values(readWritten(cloned(source)));
  expect(first).toMatchObject({
    type: 'user',
    parentUuid: null,
    timestamp: '2026-01-02T10:00:00Z',
    sessionId: CLONE_ID,
  });
  expect(second).toMatchObject({
    parentUuid: first?.uuid,
    timestamp: '2026-01-02T10:00:00.001Z',
    message: { role: 'assistant', content: [{ text: 'A1' }] },
  });
  expectSound(cloned(source));
});

test('S8: the last entry is the newest, as old clients go on from the newest', () => {
  const source = read([user(9, null, 'one'), assistant(2, 9, 'm1', 'A1'), user(3, 2, 'two')]);
  const draft = cloned(source);
  const times = values(readWritten(draft)).flatMap(({ timestamp }) => asString(timestamp) ?? []);
  expect(times.slice(0, 2)).toEqual(
    values(source)
      .slice(0, 2)
      .map(({ timestamp }) => timestamp),
  );
  expect(times.toSorted().at(-1)).toBe(times.at(-1));
  expect(draft.notes).toContainEqual({ rule: 'S8', what: 'the last entry was not the newest; it is now', line: 3 });
});

test('A5: thinking that no client can send is left out', () => {
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [thinking('unsigned', '')]),
    assistant(3, 2, 'm1', [thinking('unsigned too', ''), { type: 'text', text: 'A1' }]),
  ]);
  expectSound(cloned(source));
  expect(new TextDecoder().decode(writtenBytes(cloned(source)))).not.toContain('unsigned');
  const what = 'thinking without a signature, which the API refuses: left out';
  expect(cloned(source).notes).toEqual([
    { rule: 'A5', what, line: 2 },
    { rule: 'A5', what, line: 3 },
  ]);
  expect(briefly(readWritten(cloned(source)))).toEqual(briefly(source));
});

test('L3: a side chain inside the file hangs together as it did', () => {
  const side = { isSidechain: true };
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [use('t1', 'Task')]),
    user(3, null, 'do it', side),
    assistant(4, 3, 'm2', 'did', side),
    user(5, 2, [result('t1')]),
    assistant(6, 5, 'm3', 'done'),
  ]);
  const copy = values(readWritten(cloned(source))).filter(({ isSidechain }) => isSidechain === true);
  expect(copy.map(({ parentUuid }) => parentUuid)).toEqual([null, copy[0]?.uuid]);
  expectSound(cloned(source));
});

const CASES = transcriptsBelow(FIXTURES).filter((file) => !/(?:fuzz|probes)[^/]*\.jsonl$/.test(file));

describe('S1–S6: every recording', () => {
  const entriesIn = (file: string) => readSession(readFileSync(file), file).entries;

  test(`${CASES.length} files: the clone sends the same, and so does a clone of it`, () => {
    for (const file of CASES) {
      const entries = entriesIn(file);
      const draft = cloned(entries);
      const copy = readWritten(draft);
      expect(sent(copy), file).toEqual(sent(entries));
      expectSound(draft);
      expect(sent(readWritten(cloned(copy, { from: CLONE_ID }))), file).toEqual(sent(entries));
    }
  });

  test('cut at the end of each turn, it is sound', () => {
    for (const file of CASES.filter((each) => each.includes('/recorded/2.1.325/'))) {
      const entries = entriesIn(file);
      const { current, entriesOf } = branchesOf(entries);
      for (const turn of turnsOf(entriesOf(current))) {
        const leaf = turn.entries.findLast(
          ({ kind, head }) => (kind === 'user' || kind === 'assistant') && !head.isSidechain && head.uuid,
        );
        if (leaf !== undefined) expectSound(cloned(entries, { leaf }));
      }
    }
  });
});

test('a long plain conversation cut at turn N has N prompts', () => {
  const turns = Array.from({ length: 5 }, (_, n) => [
    { type: 'user', message: { role: 'user', content: `Q${n}` } },
    { type: 'assistant', message: { id: `m${n}`, role: 'assistant', content: [{ type: 'text', text: `A${n}` }] } },
  ]).flat();
  const source = conversation(turns);
  expect(chain(turns)).toHaveLength(10);
  for (let n = 0; n < 5; n += 1) {
    const part = sent(readWritten(cloned(source, { leaf: source[2 * n + 1] })));
    expect(part.slice(0, -1)).toEqual(sent(source).slice(0, 2 * n + 2));
  }
});

test('E2: numbers that no program can hold, and names that every object has, survive', () => {
  const line = transcript([user(1, null, 'P1')]).trimEnd();
  const odd = line.replace('{', '{"n":1.0,"big":12345678901234567890,"__proto__":{"uuid":"x"},"constructor":1,');
  const { entries } = readSession(encode(`${odd}\n`), 'source.jsonl');
  const written = new TextDecoder().decode(writtenBytes(cloned(entries)));
  expect(written).toContain('{"n":1.0,"big":12345678901234567890,"__proto__":{"uuid":"x"},"constructor":1,');
});
