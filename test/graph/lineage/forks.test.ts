import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import { chain } from '../../support/build.ts';
import { chatsIn, edgeLines, flags, linked, opened, sessionOf, turn, withIds } from '../../support/sessions.ts';

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

  test('H1: a copy with new uuids that names no source is kept apart, and the edge told as a guess', () => {
    const unnamed = fork(base(), 'new', (uuid) => `new-${uuid}`).map((line) => ({ ...line, forkedFrom: undefined }));
    const copy = sessionOf('new', [...unnamed, ...own('3', 20, 'new', 'new-a-2')]);
    const other = sessionOf('other', linked(turn('9', 100, 'other')));
    const chats = chatsIn([copy, other, sessionOf('old', base())]);
    expect(chats).toHaveLength(3);
    expect(chats.flatMap(edgeLines)).toEqual(['old → new fork/same beginning/guess']);
  });

  test('H1: a fork of a fork with new uuids twice', () => {
    const once = fork(base(), 'b', (uuid) => `b-${uuid}`);
    const twice = fork(once, 'c', (uuid) => `c-${uuid}`).map((line) => ({
      ...line,
      forkedFrom: { sessionId: 'b', messageUuid: String(line.uuid).slice(2) },
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

  test('H2: a file that took all of two others supersedes both', () => {
    const [one, two] = [own('3', 30, 'b', 'a-2'), own('4', 40, 'c', 'a-2')];
    const sessions = [
      sessionOf('old', [...base(), ...own('5', 15, 'old', 'a-2')]),
      sessionOf('b', [...fork(base(), 'b'), ...one]),
      sessionOf('c', [...fork(base(), 'c'), ...two]),
      sessionOf('d', [...fork([...base(), ...one, ...two], 'd'), ...own('6', 60, 'd', 'a-4')]),
    ];
    const [chat, ...others] = chatsIn(sessions);
    expect(others).toEqual([]);
    expect(chat && flags(chat)).toEqual({ old: 'leaf', b: 'superseded', c: 'superseded', d: 'leaf' });
  });

  test('H2: the same session in two places is one chat without an edge', () => {
    const twice = [sessionOf('old', base()), { ...sessionOf('old', base()), file: 'elsewhere/old.jsonl' }];
    const [chat, ...others] = chatsIn(twice);
    expect(others).toEqual([]);
    expect(chat?.edges).toEqual([]);
    expect(chat?.sessions.map(({ superseded }) => superseded).sort()).toEqual([false, true]);
  });
});
