import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asNumber, asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { type ChatSummary, chatsOf } from '../../src/graph/chat.ts';
import { lineageOf, type SessionFacts } from '../../src/graph/lineage.ts';
import { outlineOf } from '../../src/graph/outline.ts';
import { assistant, chain, result, system, timeOf, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import {
  chatsIn,
  edgeLines,
  opened,
  recorded,
  sessionOf,
  sessionsIn,
  short,
  type TestSession,
} from '../support/sessions.ts';

/** One turn: a prompt and its answer. */
function turn(name: string, second: number, sessionId: string, more: JsonObject = {}): JsonObject[] {
  const common = { sessionId, version: '1.0.111', isSidechain: false, ...more };
  const prompt = { ...user(`Q ${name}`), uuid: `q-${name}`, timestamp: timeOf(second), ...common };
  const reply = assistant(
    `A ${name}`,
    { id: `m-${name}` },
    { uuid: `a-${name}`, timestamp: timeOf(second + 1), ...common },
  );
  return [prompt, { ...reply, parentUuid: prompt.uuid }];
}

/** Each first line of a turn after the last line of the turn before. */
function linked(turns: readonly JsonObject[]): JsonObject[] {
  return turns.map((line, index) => ({ parentUuid: index === 0 ? null : (turns[index - 1]?.uuid ?? null), ...line }));
}

function withIds(lines: readonly JsonObject[], idOf: (line: JsonObject) => string): JsonObject[] {
  return lines.map((line) => ({ ...line, sessionId: idOf(line) }));
}

function at(lines: readonly JsonObject[], second: number): JsonObject[] {
  return lines.map((line) => ({ ...line, timestamp: timeOf(second) }));
}

const flags = ({ sessions }: ChatSummary) =>
  Object.fromEntries(
    sessions.map(({ id, superseded, leaf }) => [short(id), superseded ? 'superseded' : leaf ? 'leaf' : 'taken up']),
  );

function shuffles<T>(items: readonly T[]): T[][] {
  return [[...items], items.toReversed(), [...items.slice(3), ...items.slice(0, 3)]];
}

describe('lineage: the six sessions of seeds/000', () => {
  const [CE, D755, AB, D48, FA, D77] = ['ce66e75e', '755d966a', 'ab337be2', '48bfdc96', 'fa2f7873', '77a00ded'];
  const isUser = (line: JsonObject) => line.type === 'user';

  /** `rewritten`: copies get the time of the resume, as in print mode. */
  function six(rewritten: boolean): TestSession[] {
    const copy = (lines: readonly JsonObject[], second: number) => (rewritten ? at(lines, second) : lines);
    const grow = (lines: readonly JsonObject[], name: string, second: number, id: string) =>
      linked([...lines, ...turn(name, second, id)].map(({ parentUuid, ...line }) => line));
    const ce = linked(turn('1', 0, CE));
    // Closed: ids of the answers are overwritten, those of the prompts stay.
    const d755 = grow(
      withIds(copy(ce, 100), (line) => (isUser(line) ? CE : D755)),
      '2',
      101,
      D755,
    );
    const ab = grow(
      withIds(copy(d755, 200), (line) => (line.uuid === 'q-2' ? D755 : AB)),
      '3',
      201,
      AB,
    );
    const d48 = grow(
      withIds(copy(ab, 300), (line) => (isUser(line) ? AB : D48)),
      '4',
      301,
      D48,
    );
    // Open: all ids are preserved.
    const fa = grow(copy(d48, 400), '5a', 401, FA);
    const d77 = grow(copy(d48, 500), '5b', 501, D77);
    return [
      sessionOf(CE, ce),
      sessionOf(D755, d755),
      sessionOf(AB, ab),
      sessionOf(D48, d48),
      sessionOf(FA, fa),
      sessionOf(D77, d77),
    ];
  }

  test.each([
    ['times kept', false],
    ['times rewritten', true],
  ])('H1, H2: one chat, %s: leaves, superseded flags, session ids and edges as written there', (_, rewritten) => {
    for (const sessions of shuffles(six(rewritten))) {
      const [chat, ...others] = chatsIn(sessions);
      expect(others).toEqual([]);
      expect(chat).toMatchObject({ id: CE, head: D77, turns: 6 });
      expect(chat?.sessions.map(({ id, sessionIds }) => [id, sessionIds])).toEqual([
        [CE, [CE]],
        [D755, [D755, CE]],
        [AB, [D755, AB]],
        [D48, [D48, AB]],
        [FA, [D48, AB, FA]],
        [D77, [D48, D77, AB]],
      ]);
      expect(chat && flags(chat)).toEqual({
        [CE]: 'superseded',
        [D755]: 'superseded',
        [AB]: 'superseded',
        [D48]: 'superseded',
        [FA]: 'leaf',
        [D77]: 'leaf',
      });
      expect(chat && edgeLines(chat)).toEqual(
        [
          [CE, D755],
          [D755, AB],
          [AB, D48],
          [D48, FA],
          [D48, D77],
        ].map(([from, to]) => `${from} → ${to} resume/copied uuids/certain`),
      );
    }
  });

  test('H2: opened, the chat has each entry once and one branch for each leaf', () => {
    const sessions = six(true);
    const [summary] = chatsIn(sessions);
    const chat = summary && opened(sessions, summary);
    expect(chat?.entries).toHaveLength(12);
    expect(chat?.branches.map(({ head, forkedAt, turns, current }) => ({ head, forkedAt, turns, current }))).toEqual([
      { head: 'a-5a', forkedAt: 'a-4', turns: 1, current: false },
      { head: 'a-5b', forkedAt: 'a-4', turns: 1, current: true },
    ]);
    expect(chat?.entriesOf().map(({ head }) => head.uuid)).toEqual(
      ['1', '2', '3', '4', '5b'].flatMap((name) => [`q-${name}`, `a-${name}`]),
    );
    expect(chat?.branchOf(FA)?.head).toBe('a-5a');
  });

  test('H2: a session that was branched off and went on is a leaf of its own', () => {
    const sessions = six(false).map((session) => {
      if (session.id !== D48) return session;
      const more = chain(turn('4c', 600, D48)).map((line, index) => ({
        ...line,
        parentUuid: index === 0 ? 'a-4' : 'q-4c',
      }));
      return sessionOf(D48, [...session.entries.map((entry) => entryJson(session, entry.line.number)), ...more]);
    });
    const [chat] = chatsIn(sessions);
    expect(chat && flags(chat)).toMatchObject({ [AB]: 'superseded', [D48]: 'leaf', [FA]: 'leaf', [D77]: 'leaf' });
    expect(chat && edgeLines(chat)).toContain(`${D48} → ${FA} branch/copied uuids/certain`);
    expect(chat?.head).toBe(D48);
  });

  function entryJson(session: TestSession, line: number): JsonObject {
    const entry = session.entries[line - 1];
    const bytes = entry?.source.read(entry.line.start, entry.line.end);
    return asObject(parseJson(new TextDecoder().decode(bytes))) ?? {};
  }
});

describe('lineage: recordings', () => {
  interface Expected {
    readonly edges: readonly string[];
    readonly flags: Readonly<Record<string, string>>;
    readonly branches: number;
  }

  /** What the command lines in each sent.json did. */
  const FRESH: Record<string, Expected> = {
    '1.0.111 f-resume': {
      edges: [
        '8887a018 → 0b3bc767 resume/copied uuids/certain',
        '0b3bc767 → 23d4f3c1 resume/copied uuids/certain',
        '8887a018 → d4184de7 resume/copied uuids/certain',
        'd4184de7 → 52d06a01 resume/copied uuids/certain',
      ],
      flags: {
        '8887a018': 'superseded',
        '0b3bc767': 'superseded',
        '23d4f3c1': 'leaf',
        d4184de7: 'superseded',
        '52d06a01': 'leaf',
      },
      branches: 2,
    },
    '1.0.111 k-resume': {
      edges: ['2d57743b → 91438370 resume/copied uuids/certain'],
      flags: { '2d57743b': 'superseded', '91438370': 'leaf' },
      branches: 1,
    },
    '1.0.111 d-agent': {
      edges: ['7bfbe006 → 6e150d1f resume/copied uuids/certain', '6e150d1f → 590d7ebc resume/copied uuids/certain'],
      flags: { '7bfbe006': 'superseded', '6e150d1f': 'superseded', '590d7ebc': 'leaf' },
      branches: 1,
    },
    '1.0.111 g-compact': {
      edges: ['aa61dd37 → 6c464275 resume/copied uuids/certain'],
      flags: { aa61dd37: 'superseded', '6c464275': 'leaf' },
      branches: 1,
    },
    // The copy begins at the compaction: the first file holds what was before.
    '1.0.111 g2-autocompact': {
      edges: ['609ab90d → ef07de25 resume/copied uuids/certain'],
      flags: { '609ab90d': 'taken up', ef07de25: 'leaf' },
      branches: 1,
    },
    '1.0.111 l-interrupted': {
      edges: [
        '067205dc → 74ca353d resume/copied uuids/certain',
        '067205dc → 92d2466c resume/copied uuids/certain',
        '92d2466c → eb3c35df resume/copied uuids/certain',
      ],
      flags: { '067205dc': 'superseded', '74ca353d': 'leaf', '92d2466c': 'superseded', eb3c35df: 'leaf' },
      branches: 2,
    },
    '2.0.50 f-resume': {
      edges: ['f96df45c → 42b97098 fork/copied uuids/certain'],
      flags: { f96df45c: 'superseded', '42b97098': 'leaf' },
      branches: 1,
    },
    '2.0.76 f-resume': {
      edges: ['a78d7ccf → 7ab4d390 fork/copied uuids/certain'],
      flags: { a78d7ccf: 'superseded', '7ab4d390': 'leaf' },
      branches: 1,
    },
    '2.1.45 f-resume': {
      edges: ['0099b24a → 5f6520c3 fork/copied uuids/certain'],
      flags: { '0099b24a': 'superseded', '5f6520c3': 'leaf' },
      branches: 1,
    },
    '2.1.325 f-resume': {
      edges: ['36e2879f → 082fccad fork/copied uuids/certain'],
      flags: { '36e2879f': 'superseded', '082fccad': 'leaf' },
      branches: 1,
    },
    // Resume appends: one file, one chat.
    '2.0.50 d-agent': { edges: [], flags: { cb445d05: 'leaf' }, branches: 1 },
    '2.0.76 d-agent': { edges: [], flags: { cc7d7cd1: 'leaf' }, branches: 1 },
    '2.1.45 d-agent': { edges: [], flags: { b3e5ba0e: 'leaf' }, branches: 1 },
    '2.1.80 d-agent': { edges: [], flags: { '2a155c11': 'leaf' }, branches: 1 },
    '2.1.325 d-agent': { edges: [], flags: { '82a042c3': 'leaf' }, branches: 1 },
    '2.0.50 g-compact': { edges: [], flags: { '777d57b7': 'leaf' }, branches: 1 },
    '2.0.76 g-compact': { edges: [], flags: { '575eb805': 'leaf' }, branches: 1 },
    '2.1.45 g-compact': { edges: [], flags: { '73959a64': 'leaf' }, branches: 1 },
    '2.1.80 g-compact': { edges: [], flags: { '28b66fa3': 'leaf' }, branches: 1 },
    '2.1.325 g-compact': { edges: [], flags: { '85b3a823': 'leaf' }, branches: 1 },
    '2.1.45 k-plan': { edges: [], flags: { e311c224: 'leaf' }, branches: 1 },
    '2.1.325 k-plan': { edges: [], flags: { bcbb7383: 'leaf' }, branches: 1 },
  };

  test.each(Object.entries(FRESH))('H1, H2: %s', (name, expected) => {
    const [version = '', scenario = ''] = name.split(' ');
    for (const sessions of [recorded(version, scenario), recorded(version, scenario).toReversed()]) {
      const [chat, ...others] = chatsIn(sessions);
      expect(others).toEqual([]);
      expect(chat && edgeLines(chat)).toEqual(expected.edges);
      expect(chat && flags(chat)).toEqual(expected.flags);
      const open = chat && opened(sessions, chat);
      expect(open?.branches).toHaveLength(expected.branches);
      const current = open?.branchOf(chat?.head ?? '');
      expect(current).toBeDefined();
      expect(current).toBe(open?.current);
    }
  });

  test.each([
    ['1.0.111', ['ecc15b79', 'a98f828a'], 2],
    ['2.0.76', ['d23005b1', '9b268226'], 2],
    ['2.1.45', ['23023d1a', 'bb9678cd'], 2],
    ['2.1.325', ['50abf700', 'd6a22f84'], 3],
  ])('H1, H3: k-interactive %s: /clear begins a new chat, /branch and the rewind do not', (version, ids, branches) => {
    const sessions = recorded(version, 'k-interactive');
    const chats = chatsIn(sessions);
    expect(chats.map(({ id }) => short(id)).sort()).toEqual([...ids].sort());
    const chat = chats.find(({ id }) => id.startsWith(ids[0] ?? ''));
    expect(chat && opened(sessions, chat).branches).toHaveLength(branches);
    if (version !== '2.1.325') return;
    expect(chat && edgeLines(chat)).toEqual(['50abf700 → 86c704c7 fork/forkedFrom/certain']);
    expect(chat && flags(chat)).toEqual({ '50abf700': 'taken up', '86c704c7': 'leaf' });
  });

  test('H1: /branch, after which the original went on: two ends that meet where it was branched', () => {
    const sessions = recorded('2.1.325', 'x-resume-2.1.325-k-interactive-50ab');
    const chat = chatsIn(sessions).find(({ sessions: own }) => own.length > 1);
    expect(chat && flags(chat)).toEqual({ '50abf700': 'leaf', '86c704c7': 'leaf' });
    const open = chat && opened(sessions, chat);
    expect(open?.branches.slice(-2).map(({ forkedAt }) => short(forkedAt))).toEqual(['6cd4a139', '6cd4a139']);
    const [original, branched] = open?.branches.slice(-2).map((branch) => open.entriesOf(branch)) ?? [];
    const says = (entries: typeof original, uuid: string) => entries?.some(({ head }) => head.uuid?.startsWith(uuid));
    // The command itself belongs to the branch it made.
    expect([says(original, 'f323d3'), says(branched, 'f323d3')]).toEqual([false, true]);
  });
});

describe('lineage: forks', () => {
  const base = () =>
    linked([...turn('1', 0, 'old'), ...turn('2', 10, 'old')].map((line) => ({ ...line, version: '2.1.325' })));
  const fork = (lines: readonly JsonObject[], sessionId: string, rename = (uuid: string) => uuid) =>
    lines.map((line) => {
      const named = (uuid: JsonObject[string]) => (typeof uuid === 'string' ? rename(uuid) : uuid);
      const forkedFrom = { sessionId: 'old', messageUuid: line.uuid };
      return { ...line, uuid: named(line.uuid), parentUuid: named(line.parentUuid), sessionId, forkedFrom };
    });
  const own = (name: string, second: number, sessionId: string, parentUuid: string) =>
    chain(turn(name, second, sessionId, { version: '2.1.325' })).map((line, index) =>
      index === 0 ? { ...line, parentUuid } : line,
    );

  test('H1: copies with uuids of their own are known by forkedFrom, and are the same entries', () => {
    const renamed = (uuid: string) => `new-${uuid}`;
    const sessions = [
      sessionOf('new', [...fork(base(), 'new', renamed), ...own('3', 20, 'new', 'new-a-2')]),
      sessionOf('old', base()),
    ];
    const [chat, ...others] = chatsIn(sessions);
    expect(others).toEqual([]);
    expect(chat && edgeLines(chat)).toEqual(['old → new fork/forkedFrom/certain']);
    expect(chat && flags(chat)).toEqual({ old: 'superseded', new: 'leaf' });
    expect(chat?.turns).toBe(3);
    const open = chat && opened(sessions, chat);
    expect(open?.entriesOf().map(({ head }) => head.uuid)).toEqual(['q-1', 'a-1', 'q-2', 'a-2', 'q-3', 'a-3']);
  });

  test('H1: a fork of a fork with new uuids twice', () => {
    const once = fork(base(), 'b', (uuid) => `b-${uuid}`);
    const twice = fork(once, 'c', (uuid) => `c-${uuid}`).map((line) => ({
      ...line,
      forkedFrom: { sessionId: 'b', messageUuid: line.uuid.slice(2) },
    }));
    const sessions = [
      sessionOf('c', [...twice, ...own('4', 40, 'c', 'c-b-a-2')]),
      sessionOf('b', [...once, ...own('3', 30, 'b', 'b-a-2')]),
      sessionOf('old', base()),
    ];
    const [chat] = chatsIn(sessions);
    expect(chat && edgeLines(chat)).toEqual(['old → b fork/forkedFrom/certain', 'b → c fork/forkedFrom/certain']);
    expect(chat && opened(sessions, chat).branches).toHaveLength(2);
  });

  test('H1: a resume of a fork hangs on the fork, though its first part still names the original', () => {
    const forked = [...fork(base().slice(0, 2), 'b'), ...own('3', 30, 'b', 'a-1')];
    const sessions = [
      sessionOf('old', base()),
      sessionOf('b', forked),
      sessionOf('c', [...forked, ...own('4', 40, 'c', 'a-3')]),
    ];
    const [chat] = chatsIn(sessions);
    expect(chat && edgeLines(chat)).toEqual(['old → b fork/forkedFrom/certain', 'b → c fork/copied uuids/certain']);
    expect(chat && flags(chat)).toEqual({ old: 'leaf', b: 'superseded', c: 'leaf' });
  });

  test('H1: a fork that rewrote every id, and whose original went on longer, is known by the prompt id it gave its copies', () => {
    const prompts = (lines: readonly JsonObject[], idOf: (line: JsonObject) => string) =>
      lines.map((line) => (line.type === 'user' ? { ...line, promptId: idOf(line) } : line));
    const original = prompts([...base(), ...own('9', 90, 'old', 'a-2')], (line) => `p-${line.uuid}`);
    const copy = prompts(
      withIds(base(), () => 'new'),
      () => 'one',
    );
    const sessions = [sessionOf('new', [...copy, ...own('3', 30, 'new', 'a-2')]), sessionOf('old', original)];
    const [chat] = chatsIn(sessions);
    expect(chat).toMatchObject({ id: 'old', head: 'old' });
    expect(chat && edgeLines(chat)).toEqual(['old → new fork/copied uuids/certain']);
  });

  test('H2: the source is gone: what both copied from it still makes one chat', () => {
    const sessions = [
      sessionOf('b', [...fork(base(), 'b'), ...own('3', 30, 'b', 'a-2')]),
      sessionOf('c', [...fork(base(), 'c'), ...own('4', 40, 'c', 'a-2')]),
    ];
    const [chat, ...others] = chatsIn(sessions);
    expect(others).toEqual([]);
    expect(chat).toMatchObject({ id: 'b', head: 'c' });
    expect(chat && flags(chat)).toEqual({ b: 'leaf', c: 'leaf' });
  });

  test('H2: copies to which nothing was added: one of them stays', () => {
    const sessions = [sessionOf('old', base()), sessionOf('b', fork(base(), 'b')), sessionOf('c', fork(base(), 'c'))];
    const [chat] = chatsIn(sessions);
    expect(chat && flags(chat)).toEqual({ old: 'superseded', b: 'superseded', c: 'leaf' });
    const part = [sessionOf('old', base()), sessionOf('b', fork(base().slice(0, 2), 'b'))];
    expect(chatsIn(part).map(flags)).toEqual([{ old: 'leaf', b: 'superseded' }]);
  });

  test('H2: the same session in two places is one chat without an edge', () => {
    const twice = [sessionOf('old', base()), { ...sessionOf('old', base()), file: 'elsewhere/old.jsonl' }];
    const [chat, ...others] = chatsIn(twice);
    expect(others).toEqual([]);
    expect(chat?.edges).toEqual([]);
    expect(chat?.sessions.map(({ superseded }) => superseded).sort()).toEqual([false, true]);
  });
});

describe('lineage: continuations', () => {
  const first = () => linked(turn('1', 0, 'A'));
  const second = (more: JsonObject = {}) => {
    const [prompt, ...rest] = turn('2', 100, 'B');
    return [{ parentUuid: null, ...prompt, ...more }, ...rest];
  };
  const edges = (sessions: readonly TestSession[]) => chatsOf(sessions).flatMap(edgeLines);
  const order = (sessions: readonly TestSession[]) => {
    const [chat] = chatsIn(sessions);
    return (
      chat &&
      opened(sessions, chat)
        .entriesOf()
        .map(({ head }) => head.uuid)
    );
  };
  const all = ['q-1', 'a-1', 'q-2', 'a-2'];

  test('H4: the first entry has the id of another session, which is then part of the chat', () => {
    const sessions = [sessionOf('B', second({ sessionId: 'A' })), sessionOf('A', first())];
    expect(edges(sessions)).toEqual(['A → B continue/first session id/likely']);
    expect(order(sessions)).toEqual(all);
    expect(chatsIn(sessions)).toMatchObject([{ id: 'A', head: 'B', title: 'Q 1', turns: 2 }]);
    expect(chatsIn(sessions).map(flags)).toEqual([{ A: 'taken up', B: 'leaf' }]);
  });

  test('H4: with the parent in the other session it is certain', () => {
    const both = [sessionOf('A', first()), sessionOf('B', second({ sessionId: 'A', parentUuid: 'a-1' }))];
    expect(edges(both)).toEqual(['A → B continue/first session id/certain']);
    const parent = [sessionOf('A', first()), sessionOf('B', second({ parentUuid: 'a-1' }))];
    expect(edges(parent)).toEqual(['A → B continue/parentUuid/certain']);
    expect(order(parent)).toEqual(all);
  });

  test('H4: a file that never uses its own id is only guessed to continue another', () => {
    const sessions = [
      sessionOf('A', first()),
      sessionOf(
        'B',
        withIds(second(), () => 'A'),
      ),
    ];
    expect(edges(sessions)).toEqual(['A → B continue/first session id/guess']);
    expect(chatsOf(sessions)).toHaveLength(2);
  });

  test('H4: the id of a session that is not there says nothing', () => {
    expect(edges([sessionOf('B', second({ sessionId: 'gone' }))])).toEqual([]);
  });

  const plan = '# Plan\n\n1. Do it';
  const proposed = (id: string, second_ = 0) => {
    const lines = [
      ...turn('1', second_, id),
      assistant(
        toolUse('t1', 'ExitPlanMode', { plan }),
        { id: 'm-p' },
        { uuid: `p-${id}`, timestamp: timeOf(second_ + 2), sessionId: id },
      ),
      result('t1', 'approved', { uuid: `r-${id}`, timestamp: timeOf(second_ + 3), sessionId: id }),
    ];
    return sessionOf(id, linked(lines.map((line) => ({ cwd: '/w', ...line }))));
  };
  const started = (id: string, cwd = '/w') => sessionOf(id, second({ planContent: `${plan}\n`, sessionId: id, cwd }));

  test('H4: a plan approved with "clear context" joins the session that proposed it', () => {
    const sessions = [started('B'), proposed('A')];
    expect(edges(sessions)).toEqual(['A → B continue/plan content/likely']);
    expect(order(sessions)).toEqual(['q-1', 'a-1', 'p-A', 'r-A', 'q-2', 'a-2']);
  });

  test('H4: the same plan proposed by two chats, or in another project, is a guess and joins nothing', () => {
    const other = sessionOf('C', proposed('C', 20).entries.length > 0 ? renamed('C') : []);
    expect(edges([proposed('A'), other, started('B')])).toEqual(['C → B continue/plan content/guess']);
    expect(edges([proposed('A'), started('B', '/elsewhere')])).toEqual(['A → B continue/plan content/guess']);
    expect(chatsOf([proposed('A'), other, started('B')])).toHaveLength(3);
  });

  function renamed(id: string): JsonObject[] {
    const call = assistant(toolUse('t1', 'ExitPlanMode', { plan }), { id: 'm-c' });
    return chain([user('Other question'), call], { sessionId: id, cwd: '/w' }).map((line, index) => ({
      ...line,
      uuid: `${id}-${index}`,
      parentUuid: index === 0 ? null : `${id}-0`,
      timestamp: timeOf(20 + index),
    }));
  }

  test('C1: a compaction whose first part lies in another file', () => {
    const compacted = chain(
      [
        system('compact_boundary', { parentUuid: null, logicalParentUuid: 'a-1' }),
        user('This session is being continued from a previous conversation', { isCompactSummary: true }),
        user('Q 2'),
      ],
      { sessionId: 'B' },
    ).map((line, index) => ({ ...line, timestamp: timeOf(100 + index) }));
    const sessions = [sessionOf('B', compacted), sessionOf('A', first())];
    expect(edges(sessions)).toEqual(['A → B compaction/logicalParent/certain']);
    expect(order(sessions)).toEqual(['q-1', 'a-1', 'u1', 'u2', 'u3']);
    expect(chatsIn(sessions).map(flags)).toEqual([{ A: 'taken up', B: 'leaf' }]);
  });

  test('E11: a summary in another file is the title of the chat that holds its leaf; it joins nothing', () => {
    const summary = { type: 'summary', summary: 'Title of A', leafUuid: 'a-1' };
    const sessions = [sessionOf('B', [summary, ...second()]), sessionOf('A', first())];
    expect(chatsOf(sessions).map(({ id, title }) => [id, title])).toEqual([
      ['B', 'Q 2'],
      ['A', 'Title of A'],
    ]);
    expect(edges(sessions)).toEqual(['A → B summary/leafUuid/guess']);
  });
});

describe('lineage: properties', () => {
  interface Plan {
    readonly source: number;
    readonly cut: number;
    readonly own: number;
    readonly style: 'print' | 'interactive' | 'open' | 'forkedFrom' | 'renamed' | 'new';
  }
  const plans = fc.array(
    fc.record<Plan>({
      source: fc.nat(),
      cut: fc.nat(),
      own: fc.integer({ min: 1, max: 3 }),
      style: fc.constantFrom('print', 'interactive', 'open', 'forkedFrom', 'renamed', 'new'),
    }),
    { minLength: 1, maxLength: 12 },
  );

  interface Made {
    readonly id: string;
    readonly lines: readonly JsonObject[];
    readonly root: number;
    /** The session expected as parent. */
    readonly parent: string | undefined;
  }

  /** A history of sessions as clients would write it, with the truth about it. */
  function history(list: readonly Plan[]): Made[] {
    const made: Made[] = [];
    for (const [index, { source, cut, own, style }] of list.entries()) {
      const id = `s${index}`;
      const time = index * 1_000;
      const from = style === 'new' ? undefined : made[source % Math.max(1, made.length)];
      const whole = from?.lines ?? [];
      const copied = whole.slice(0, cut % 3 === 0 ? Math.max(1, cut % (whole.length + 1)) : whole.length);
      const copies = copied.map((line) => copyLine(line, id, style, time));
      const last = copies.at(-1)?.uuid ?? null;
      const turns = Array.from({ length: own }, (_, i) => turn(`${index}-${i}`, time + 10 * (i + 1), id)).flat();
      const lines = [...copies, ...linked([{ uuid: last }, ...turns]).slice(1)];
      const forked = style === 'forkedFrom' || style === 'renamed';
      const writer = copied.at(-1)?.uuid;
      const origin = made.find((each) => each.lines.some((line) => originalOf(line) === originalOf({ uuid: writer })));
      made.push({
        id,
        lines,
        root: from === undefined ? index : from.root,
        parent: from === undefined ? undefined : forked ? from.id : origin?.id,
      });
    }
    return made;
  }

  function originalOf(line: JsonObject): string {
    return String(line.uuid).replace(/^(?:s\d+:)+/, '');
  }

  function copyLine(line: JsonObject, id: string, style: Plan['style'], time: number): JsonObject {
    const { forkedFrom: _, ...plain } = line;
    switch (style) {
      case 'print':
        return { ...plain, sessionId: id, timestamp: timeOf(time) };
      case 'interactive':
        return line.type === 'assistant' ? { ...plain, sessionId: id, timestamp: timeOf(time) } : plain;
      case 'open':
        return plain;
      default: {
        const named = (uuid: JsonObject[string]) =>
          style === 'renamed' && typeof uuid === 'string' ? `${id}:${uuid}` : uuid;
        const forkedFrom = { sessionId: '', messageUuid: line.uuid };
        return { ...plain, uuid: named(line.uuid), parentUuid: named(line.parentUuid), sessionId: id, forkedFrom };
      }
    }
  }

  /** `forkedFrom` names the session the copy was made of. */
  function toSessions(made: readonly Made[]): TestSession[] {
    return made.map(({ id, lines, parent }) =>
      sessionOf(
        id,
        lines.map((line) => {
          const fork = asObject(line.forkedFrom);
          return fork === undefined ? line : { ...line, forkedFrom: { ...fork, sessionId: parent } };
        }),
      ),
    );
  }

  test('H1, H2: chats, parents and superseded files of any history; the order of the files does not matter', () => {
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.nat()), (list, random) => {
        const made = history(list);
        const sessions = toSessions(made)
          .map((session) => ({ session, key: Number(random.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ session }) => session);
        const lineage = lineageOf(sessions);
        const idOf = (index: number) => sessions[index]?.id ?? '';
        const chats = lineage.chats.map((chat) => chat.map(idOf).sort().join(' ')).sort();
        const roots = new Map<number, string[]>();
        for (const { id, root } of made) roots.set(root, [...(roots.get(root) ?? []), id]);
        expect(chats).toEqual([...roots.values()].map((ids) => ids.sort().join(' ')).sort());

        const found = new Map(lineage.links.map(({ from, to }) => [idOf(to), idOf(from)]));
        for (const { id, parent } of made) expect([id, found.get(id)]).toEqual([id, parent]);

        const idsOf = (each: Made) => new Set(each.lines.map(originalOf));
        for (const [index, session] of sessions.entries()) {
          const own = made.find(({ id }) => id === session.id);
          const isIn = made.some(
            (other) => other !== own && own?.lines.every((line) => idsOf(other).has(originalOf(line))),
          );
          expect([session.id, lineage.superseded[index]]).toEqual([session.id, isIn]);
        }
        expect(lineage.chats.map((chat) => idOf(chat[0] ?? -1)).sort()).toEqual(
          [...roots.keys()].map((root) => `s${root}`).sort(),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('H2: opened, every entry of a chat is in one place; each leaf session is a branch', () => {
    fc.assert(
      fc.property(plans, (list) => {
        const made = history(list);
        const sessions = toSessions(made);
        for (const chat of chatsIn(sessions)) {
          const open = opened(sessions, chat);
          const own = made.filter(({ id }) => chat.sessions.some((session) => session.id === id));
          const written = new Set(own.flatMap(({ lines }) => lines.map(originalOf)));
          expect(open.entries.map(({ head }) => originalOf({ uuid: head.uuid })).sort()).toEqual([...written].sort());
          const reached = new Set(open.branches.flatMap((branch) => open.entriesOf(branch)));
          expect(reached.size).toBe(open.entries.length);
          for (const { id, leaf } of chat.sessions) if (leaf) expect(open.branchOf(id)).toBeDefined();
          for (const { id } of chat.sessions.filter(({ leaf }) => leaf)) {
            const branch = open.branchOf(id);
            const conversation = branch && open.entriesOf(branch).map(({ head }) => originalOf({ uuid: head.uuid }));
            expect(conversation).toEqual(own.find((each) => each.id === id)?.lines.map(originalOf));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test('never throws on outlines of anything', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd');
    const anyLine = fc.record(
      {
        type: fc.constantFrom('user', 'assistant', 'system', 'summary'),
        uuid: word,
        parentUuid: fc.oneof(word, fc.constant(null)),
        sessionId: word,
        subtype: fc.constant('compact_boundary'),
        logicalParentUuid: word,
        leafUuid: word,
        summary: word,
        forkedFrom: fc.record({ sessionId: word, messageUuid: word }),
        timestamp: fc.constantFrom('2026-01-01T00:00:01Z', 'never', '2026-01-01T00:00:02Z'),
        planContent: word,
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.array(anyLine, { maxLength: 6 })), { maxLength: 6 }), (files) => {
        const sessions = files.map(([id, lines], index) => ({
          ...sessionOf(id, JSON.parse(JSON.stringify(lines))),
          file: `${index}.jsonl`,
        }));
        const chats = chatsOf(sessions);
        expect(chats.flatMap((chat) => chat.sessions.map(({ file }) => file)).sort()).toEqual(
          sessions.map(({ file }) => file).sort(),
        );
        for (const chat of chats) opened(sessions, chat).entriesOf();
      }),
      { numRuns: 500 },
    );
  });

  test('linear: 5,000 sessions, a hundred resumed fifty times each', () => {
    const empty = outlineOf([]);
    const build = (count: number): SessionFacts[] =>
      Array.from({ length: count }, (_, s) => {
        const root = s - (s % 50);
        const uuids = Array.from({ length: 20 + (s % 50) * 2 }, (__, i) => `${root}-${i}`);
        const lineage = { ...empty.lineage, opened: timeOf(s) };
        const outline = { ...empty, uuids, lineage, sessionIds: [`s${s}`], started: timeOf(s), updated: timeOf(s) };
        return { id: `s${s}`, file: `${s}.jsonl`, bytes: 1, outline };
      });
    const visits = (sessions: readonly SessionFacts[]) => {
      let count = 0;
      const chats = chatsOf(sessions, () => {
        count += 1;
      });
      return {
        count,
        chats: chats.length,
        uuids: sessions.reduce((sum, { outline }) => sum + outline.uuids.length, 0),
      };
    };
    const large = visits(build(5_000));
    expect(large.chats).toBe(100);
    expect(large.count).toBeLessThan(large.uuids * 4);
  });
});

describe('lineage: generated corpora', () => {
  const generator = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));

  test.each([
    ['1', 5, 20],
    ['2', 5, 20],
    ['7', 6, 90],
    ['11', 12, 120],
  ])('seed %s: copies and forks join their source, every agent its call', (seed, mb, files) => {
    const folder = tempFolder();
    execFileSync(process.execPath, [
      generator,
      '--out',
      folder,
      '--mb',
      `${mb}`,
      '--seed',
      seed,
      '--files',
      `${files}`,
    ]);
    const truth = asObject(parseJson(readFileSync(join(folder, 'truth.json'), 'utf8'))) ?? {};
    const sessions = sessionsIn(join(folder, '.claude'));
    const count = (name: string) => asNumber(truth[name]) ?? -1;
    expect(sessions).toHaveLength(count('mainSessions') + count('resumedCopies') + count('forks'));
    const chats = chatsOf(sessions);
    expect(chats).toHaveLength(count('mainSessions'));

    const sets = new Map(sessions.map((session) => [session.file, new Set(session.outline.uuids)]));
    const all = chats.flatMap((chat) => chat.sessions);
    for (const { file, superseded } of all) {
      const own = [...(sets.get(file) ?? [])];
      const isIn = [...sets].some(([other, ids]) => other !== file && own.every((uuid) => ids.has(uuid)));
      expect([file, superseded]).toEqual([file, isIn]);
    }

    const agents = chats.flatMap((chat) => opened(sessions, chat).allAgents);
    expect(agents).toHaveLength(count('agentFiles'));
    expect(agents.filter(({ toolUseId }) => toolUseId === undefined)).toEqual([]);
  });
});
