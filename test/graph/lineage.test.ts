import { describe, expect, test } from 'vitest';
import { asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { chain } from '../support/build.ts';
import {
  atTime,
  chatsIn,
  edgeLines,
  flags,
  linked,
  opened,
  recorded,
  sessionOf,
  short,
  type TestSession,
  turn,
  withIds,
} from '../support/sessions.ts';

function shuffles<T>(items: readonly T[]): T[][] {
  return [[...items], items.toReversed(), [...items.slice(3), ...items.slice(0, 3)]];
}

describe('lineage: six sessions of a real conversation', () => {
  const [CE, D755, AB, D48, FA, D77] = ['ce66e75e', '755d966a', 'ab337be2', '48bfdc96', 'fa2f7873', '77a00ded'];
  const isUser = (line: JsonObject) => line.type === 'user';

  /** `rewritten`: copies get the time of the resume, as in print mode. */
  function six(rewritten: boolean): TestSession[] {
    const copy = (lines: readonly JsonObject[], second: number) => (rewritten ? atTime(lines, second) : lines);
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
