import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asNumber, asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { chatsOf, openChat } from '../../src/graph/chat.ts';
import { outlineOf } from '../../src/graph/outline.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { assistant, attachment, chain, queueOperation, timeOf, user } from '../support/build.ts';
import { FIXTURES } from '../support/files.ts';
import { chatsIn, onlyChat, opened, recorded, sessionOf, type TestSession } from '../support/sessions.ts';

const RECORDED = `${FIXTURES}recorded`;

/** A conversation of a session that begins at a second, its uuids told apart by a letter. */
function lines(id: string, letter: string, second: number, made: readonly JsonObject[], parent?: string): JsonObject[] {
  return chain(made, { sessionId: id, cwd: `/work/${id}`, gitBranch: `on-${id}` }).map((line, index) => {
    const named = (uuid: JsonObject[string]) =>
      typeof uuid === 'string' && /^u\d/.test(uuid) ? `${letter}${uuid}` : uuid;
    const parentUuid = line.parentUuid === null && parent !== undefined ? parent : named(line.parentUuid);
    return {
      ...line,
      ...(line.uuid !== undefined && { uuid: named(line.uuid), parentUuid }),
      timestamp: timeOf(second + index),
    };
  });
}

const ask = (letter: string) => [user(`Q ${letter}`), assistant(`A ${letter}`, { id: `m-${letter}` })];

describe('chat: the list', () => {
  const first = lines('one', 'a', 0, ask('a'));
  const copied = first.map((line) => ({ ...line, sessionId: 'two' }));
  const sessions = [
    sessionOf('two', [
      ...copied,
      ...lines('two', 'b', 100, [...ask('b'), { type: 'custom-title', customTitle: 'Second name' }], 'au2'),
    ]),
    sessionOf('one', [...first, { type: 'custom-title', customTitle: 'First name', sessionId: 'one' }]),
    sessionOf('other', lines('other', 'c', 50, ask('c'))),
  ];

  test('newest first; a chat is known by its oldest session and shows what its newest leaf says', () => {
    const [chat, other] = chatsOf(sessions);
    expect(chat).toMatchObject({
      id: 'one',
      head: 'two',
      title: 'Second name',
      gitBranch: 'on-two',
      started: timeOf(0),
      updated: timeOf(102),
      turns: 2,
    });
    expect(chat?.sessions.map(({ id, leaf, turns }) => [id, leaf, turns])).toEqual([
      ['one', false, 1],
      ['two', true, 2],
    ]);
    expect(other).toMatchObject({ id: 'other', title: 'Q c', sessions: [{ superseded: false }] });
  });

  test('needs outlines only; entries are asked for when a chat is opened, once for each session', () => {
    const [chat] = chatsOf(sessions.map(({ id, file, bytes, outline }) => ({ id, file, bytes, outline })));
    const asked: string[] = [];
    const open =
      chat &&
      openChat(chat, ({ id }) => {
        asked.push(id);
        return { entries: sessions.find((session) => session.id === id)?.entries ?? [] };
      });
    open?.entriesOf();
    expect(asked).toEqual(['one', 'two']);
  });

  test('L6: empty files are chats in which nothing was said', () => {
    const empty = { id: 'none', file: 'none.jsonl', bytes: 0, outline: outlineOf([]) };
    const [chat] = chatsOf([empty]);
    expect(chat).toMatchObject({ id: 'none', head: 'none', turns: 0, title: undefined, updated: undefined });
    expect(chat && openChat(chat, () => ({ entries: [] })).branches).toEqual([]);
  });

  test('H1: what is a turn is said by the file that wrote it: copies of 1.0.111 lose the mark of an expansion', () => {
    const [chat] = chatsIn(recorded('1.0.111', 'i-slash'));
    expect(chat?.turns).toBe(2);
  });
});

describe('chat: opened over several files', () => {
  test('H1: lines without uuid that were copied come once; those a fork wrote itself go with it', () => {
    const snapshot = { type: 'file-history-snapshot', messageId: 'au1' };
    const old = lines('old', 'a', 0, [
      queueOperation('enqueue', 'Q a'),
      queueOperation('dequeue'),
      ...ask('a'),
      snapshot,
      ...ask('b'),
    ]);
    const copy = old.slice(2).map((line) => ({ ...line, sessionId: 'new' }));
    const own = lines('new', 'n', 100, ask('c'), 'au7');
    const start = lines('new', 'n', 90, [queueOperation('enqueue', 'Q c'), queueOperation('dequeue')]);
    const chat = onlyChat([sessionOf('old', old), sessionOf('new', [...start, ...copy, ...own])]);
    const kinds = (branch?: (typeof chat.branches)[number]) => chat.entriesOf(branch).map(({ kind }) => kind);
    expect(kinds().filter((kind) => kind === 'file-history-snapshot')).toHaveLength(1);
    expect(kinds().filter((kind) => kind === 'queue-operation')).toHaveLength(4);
    expect(chat.entries).toHaveLength(old.length + start.length + own.length);
  });

  test('H3: the queue of a fork does not show in the branch it was forked from', () => {
    const old = lines('old', 'a', 0, [...ask('a'), ...ask('b')]);
    const copy = old.slice(0, 2).map((line) => ({ ...line, sessionId: 'new' }));
    const start = lines('new', 'n', 90, [queueOperation('enqueue', 'Q c')]);
    const chat = onlyChat([
      sessionOf('old', old),
      sessionOf('new', [...start, ...copy, ...lines('new', 'n', 100, ask('c'), 'au2')]),
    ]);
    const queued = chat.branches.map(
      (branch) => chat.entriesOf(branch).filter(({ kind }) => kind === 'queue-operation').length,
    );
    expect(queued).toEqual([0, 1]);
  });

  test('H1: originals win over their copies, which are poorer', () => {
    const chat = onlyChat(recorded('1.0.111', 'f-resume'));
    const files = new Set(chat.entriesOf().map(({ source }) => basename(source.name).slice(0, 8)));
    expect([...files]).toEqual(['8887a018', 'd4184de7', '52d06a01']);
    expect(chat.entriesOf().find(({ kind }) => kind === 'user')?.head.contentForm).toBe('string');
  });

  test('C2: a /branch copy that puts what was kept behind the summary changes nothing', () => {
    const sessions = recorded('2.1.325', 'k-interactive');
    const chat = chatsIn(sessions).find(({ sessions: own }) => own.length > 1);
    const open = chat && opened(sessions, chat);
    const uuids = open?.entriesOf().flatMap(({ head }) => head.uuid?.slice(0, 6) ?? []) ?? [];
    const places = ['593019', '420a2e', 'd4e8f4', '891c3d', '67d38d', 'f323d3', '812cbe'].map((uuid) =>
      uuids.indexOf(uuid),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  test('a session that another took up is found on the branch that goes on from its end', () => {
    const chat = onlyChat(recorded('2.1.45', 'f-resume'));
    expect(chat.branches).toHaveLength(1);
    expect(chat.branchOf('5f6520c3-e433-4408-a078-a2788b9c770d')).toBe(chat.current);
    expect(chat.branchOf('0099b24a-adca-4ebd-9122-9f580de38c73')).toBe(chat.current);
    expect(chat.branchOf('unknown')).toBeUndefined();
  });

  test('E3: attachments between prompt and answer stay in their place', () => {
    const made = [user('Q a'), attachment('environment'), attachment('date'), assistant('A a', { id: 'm' })];
    const chat = onlyChat([sessionOf('one', lines('one', 'a', 0, made))]);
    expect(chat.entriesOf().map(({ kind }) => kind)).toEqual(['user', 'attachment', 'attachment', 'assistant']);
  });
});

describe('chat: while it grows', () => {
  /** The files of a recording as they stood after each step. */
  function steps(version: string, scenario: string): TestSession[][] {
    const root = join(RECORDED, version, scenario);
    const sent = asObject(parseJson(readFileSync(join(root, 'sent.json'), 'utf8'))) ?? {};
    return Object.values(sent).flatMap((step) => {
      const after = asObject(asObject(step)?.linesAfter);
      if (after === undefined) return [];
      const sessions = Object.entries(after).flatMap(([name, count]) => {
        const file = join(root, 'projects', name);
        if (/agent-|subagents/.test(name) || !existsSync(file)) return [];
        const text = readFileSync(file, 'utf8')
          .split('\n')
          .slice(0, asNumber(count) ?? 0);
        const made = text.map((line) => asObject(parseJson(line))).filter((line) => line !== undefined);
        return [sessionOf(name.slice(name.lastIndexOf('/') + 1, -'.jsonl'.length), made)];
      });
      return [sessions];
    });
  }

  const scenarios = readdirSync(RECORDED).flatMap((version) =>
    readdirSync(join(RECORDED, version))
      .filter((scenario) => /^(?:f-resume|k-interactive|d-agent|g-compact|l-interrupted)$/.test(scenario))
      .map((scenario) => [version, scenario] as const),
  );

  test.each(scenarios)('H1: %s %s: the id of the chat stays, its turns never get fewer', (version, scenario) => {
    let id: string | undefined;
    let turns = 0;
    for (const sessions of steps(version, scenario)) {
      const chats = chatsIn(sessions);
      const chat = id === undefined ? chats.at(-1) : chats.find((each) => each.id === id);
      expect(chat).toBeDefined();
      id = chat?.id;
      expect(chat?.turns).toBeGreaterThanOrEqual(turns);
      turns = chat?.turns ?? 0;
    }
    expect(turns).toBeGreaterThan(1);
  });

  test('E7, E9: the turns of a list are those of the opened chat, in every recording without branches', () => {
    for (const version of readdirSync(RECORDED)) {
      for (const scenario of readdirSync(join(RECORDED, version))) {
        const sessions = recorded(version, scenario);
        for (const chat of chatsIn(sessions)) {
          const open = opened(sessions, chat);
          if (open.branches.length !== 1) continue;
          const shown = turnsOf(open.entriesOf()).filter(({ kind }) => kind !== 'none');
          expect([version, scenario, chat.turns]).toEqual([version, scenario, shown.length]);
        }
      }
    }
  });
});
