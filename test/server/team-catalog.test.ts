/** What the viewer keeps of a team: what was pushed again is read again, and only that. No server: the store is made by hand. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Arguments } from '../../src/cli/command.ts';
import type { Context } from '../../src/cli/context.ts';
import { type Catalog, createCatalog } from '../../src/cli/serve/catalog.ts';
import type { Children } from '../../src/cli/serve/children.ts';
import { createKeptEntries } from '../../src/cli/serve/entries.ts';
import { followTeam } from '../../src/cli/serve/followteam.ts';
import type { Keeping } from '../../src/cli/serve/keeping.ts';
import { createQuestions } from '../../src/cli/serve/questions.ts';
import { openTeamState } from '../../src/cli/serve/teamstate.ts';
import { createUsage } from '../../src/cli/serve/usage.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { DiskError, PlaceError } from '../../src/disk/errors.ts';
import type { SessionFile } from '../../src/disk/find.ts';
import { memoryFile, mountFile, setApart } from '../../src/disk/mounts.ts';
import { TeamError } from '../../src/team/errors.ts';
import { TEAM_ROOT, teamPath } from '../../src/team/paths.ts';
import type { TeamStore } from '../../src/team/read/store.ts';
import type { LiveEvent } from '../../src/views/page/types.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';

const store = vi.hoisted(() => ({ current: undefined as TeamStore | undefined }));
vi.mock('../../src/cli/shelf.ts', async (original) => ({
  ...(await original<typeof import('../../src/cli/shelf.ts')>()),
  teamStore: () => store.current,
}));

const AWAY = { what: 'the team does not answer', where: 'ours', next: 'Check the network.' };
const nothing = () => undefined;
const KNOWN = { outlineOf: nothing, updatedOf: nothing, usageOf: nothing, usageCells: nothing, chatOf: nothing };

/** A team in memory: what is put is pushed, with the bytes and the time of a file that never changes. */
function team() {
  const files = new Map<string, SessionFile>();
  let looks = 0;
  let opens = 0;
  let away = false;
  setApart(TEAM_ROOT);
  const made = {
    push(id: string, word: string) {
      const said = chain([user(`the word is ${word}`), assistant(`${'x'.repeat(300)} in the end`)], { sessionId: id });
      const lines = said.map((line, at) => ({ ...line, uuid: `${id}-${at}`, parentUuid: at === 0 ? null : `${id}-0` }));
      const bytes = Buffer.from(toJsonl(lines));
      const path = teamPath('-work-app', `${id}.jsonl`);
      const { open } = memoryFile(bytes.length, () => bytes);
      const counted = () => {
        opens += 1;
        return open();
      };
      mountFile(path, { bytes: bytes.length, open: counted });
      const common = { root: TEAM_ROOT, slug: '-work-app', sessionId: id, kind: 'session', source: 'team' } as const;
      files.set(path, { ...common, file: path, bytes: 1000, mtimeMs: 1 });
    },
    leave: () => {
      away = true;
    },
    comeBack: () => {
      away = false;
    },
    get looks() {
      return looks;
    },
    /** How often a file was opened since the last time this was asked. */
    opened() {
      const count = opens;
      opens = 0;
      return count;
    },
  };
  store.current = {
    source: 'team',
    name: 'ours',
    look() {
      looks += 1;
      if (away) throw new PlaceError(AWAY);
      return {
        files: [...files.values()],
        known: KNOWN,
        kinOf: (session: SessionFile) => [session],
        projectOf: nothing,
      };
    },
    mount: () => [...files.values()],
    known: KNOWN,
    search: nothing,
    state: async () => '',
    close: async () => {},
  } as unknown as TeamStore;
  return made;
}

const args: Arguments = { positionals: [], flag: () => false, value: () => 'ours', values: () => [] };

function contextOf(signal = new AbortController().signal): Context {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = openTerminal(stream, { isTerminal: false, color: 'never', env: {} });
  const home = tempFolder();
  const env = { SKEIN_HOME: join(home, 'kept') };
  return { env, home, cwd: home, now: () => new Date(0), out: terminal, err: terminal, signal };
}

function questionsOf(catalog: Catalog) {
  const keeping: Keeping = {
    status: { state: 'off', text: '', at: null },
    working: null,
    wake: () => {},
    close: () => {},
  };
  const children = { json: async () => ({}) } as unknown as Children;
  return createQuestions({ context: contextOf(), args, catalog, keeping, children });
}

const asked = { mask: (text: string) => text, revealed: false };
let ours: ReturnType<typeof team>;

beforeEach(() => {
  ours = team();
});

test('what is pushed with other content and the same size and time is shown; what is not is not read again', async () => {
  ours.push('s1', 'first');
  ours.push('s2', 'other');
  const catalog = createCatalog(contextOf(), args);
  const questions = questionsOf(catalog);
  const turns = async () => {
    const { version, turns } = (await questions.turns('s1', { ...asked, from: 0, to: 10 })) ?? {};
    return { version, text: JSON.stringify(turns) };
  };
  await catalog.look();
  const before = await turns();
  expect(before.text).toContain('the word is first');
  const events: LiveEvent[] = [];
  catalog.listen((event) => events.push(event));
  // As long, and with the same end: only what stands in the middle is another.
  ours.push('s1', '*****');
  ours.opened();
  await catalog.look();
  // The outline of the one: its lines, and what stands before its end.
  expect(ours.opened()).toBe(2);
  expect(events).toEqual([{ type: 'chats' }, { type: 'sessions', ids: ['s1'] }]);
  expect(JSON.stringify(catalog.list)).not.toContain('first');
  const after = await turns();
  expect(after.version).not.toBe(before.version);
  expect(after.text).toContain('the word is *****');
  expect(after.text).not.toContain('first');
});

test('members and budgets change no file: usage is asked for again all the same', async () => {
  ours.push('s1', 'word');
  const catalog = createCatalog(contextOf(), args);
  await catalog.look();
  let count = 0;
  const json = async () => {
    count += 1;
    return { count };
  };
  const usage = createUsage(catalog, { json } as unknown as Children, ['team', 'usage']);
  expect([await usage({}), await usage({})]).toEqual([{ count: 1 }, { count: 1 }]);
  await catalog.look();
  expect(await usage({})).toEqual({ count: 2 });
});

test('a state is of files, members and budgets; what may not be read is left out', async () => {
  const rows: Record<string, object[] | Error> = { files: [], members: [{ rows: 1 }], budgets: [] };
  const opened = {
    async rows(sql: string) {
      const found = rows[/FROM (\w+)/.exec(sql)?.[1] ?? ''] ?? [];
      if (found instanceof Error) throw found;
      return found as never[];
    },
    close: async () => {},
  };
  const target = { url: '', database: '', user: '', password: '', name: '' };
  const { state } = openTeamState(target, async () => opened);
  const seen = [await state(), await state()];
  expect(seen[0]).toBe(seen[1]);
  rows.budgets = [{ rows: 1 }];
  seen.push(await state());
  rows.members = [{ rows: 2 }];
  seen.push(await state());
  rows.files = [{ rows: 1 }];
  seen.push(await state());
  expect(new Set(seen).size).toBe(4);
  rows.members = new TeamError({ what: '', where: '', next: '', kind: 'denied' });
  await state();
  rows.members = new TeamError({ what: 'away', where: '', next: '', kind: 'offline' });
  await expect(state()).rejects.toThrow('away');
});

test('a file that could not be read is not tried a second time in the same breath, but the next time', async () => {
  const path = teamPath('-work-app', 'gone.jsonl');
  let tries = 0;
  setApart(TEAM_ROOT);
  mountFile(path, {
    bytes: 10,
    open() {
      tries += 1;
      throw new DiskError(AWAY);
    },
  });
  const entries = createKeptEntries();
  await entries.prepare(path, nothing);
  expect(() => entries.read(path)).toThrow(AWAY.what);
  expect(() => entries.read(path)).toThrow(AWAY.what);
  expect(tries).toBe(1);
  await entries.prepare(path, nothing);
  expect(tries).toBe(2);
});

test('a team that is away: an empty list that says why, chats that say why; later what is there', async () => {
  ours.push('s1', 'word');
  ours.leave();
  const catalog = createCatalog(contextOf(), args);
  const questions = questionsOf(catalog);
  const early = [questions.chats(), questions.chat('s1', asked)] as const;
  const told = Promise.allSettled(early);
  await expect(catalog.look()).rejects.toThrow(AWAY.what);
  expect(await early[0]).toMatchObject({ list: { chats: [], demo: false, team: 'ours', problems: [AWAY] } });
  expect((await told)[1]).toMatchObject({ status: 'rejected', reason: { message: AWAY.what, next: AWAY.next } });
  await expect(questions.chat('s1', asked)).rejects.toMatchObject({ where: 'ours' });
  ours.comeBack();
  await catalog.look();
  expect((await questions.chats()).list).toMatchObject({ chats: [{ id: 's1' }], problems: [] });
  expect(await questions.chat('s1', asked)).toMatchObject({ chat: { id: 's1' } });
  expect(await questions.chat('none', asked)).toBeUndefined();
  // Away again: what was there stays, with the reason.
  ours.leave();
  await expect(catalog.look()).rejects.toThrow(AWAY.what);
  expect((await questions.chats()).list).toMatchObject({ chats: [{ id: 's1' }], problems: [AWAY] });
  catalog.setTrouble(undefined);
  expect((await questions.chats()).list.problems).toEqual([]);
});

test('what changed is told when it can be shown: a look that fails half-way is made up for', async () => {
  ours.push('s1', 'word');
  const catalog = createCatalog(contextOf(), args);
  await catalog.look();
  const events: LiveEvent[] = [];
  catalog.listen((event) => events.push(event));
  ours.push('s1', 'more');
  const path = teamPath('-work-app', 's1.jsonl');
  mountFile(path, {
    bytes: 10,
    open() {
      throw new PlaceError(AWAY);
    },
  });
  await expect(catalog.look()).rejects.toThrow(AWAY.what);
  expect(events).toEqual([{ type: 'chats' }]);
  ours.push('s1', 'last');
  await catalog.look();
  expect(events).toContainEqual({ type: 'sessions', ids: ['s1'] });
});

test('following a team ends with the signal while its answer does not come', async () => {
  const stop = new AbortController();
  const faults: unknown[] = [];
  const catalog = { look: async () => {}, setTrouble: (error: unknown) => faults.push(error) };
  const state = () => {
    setImmediate(() => stop.abort());
    return new Promise<string>(() => {});
  };
  const onFault = (error: unknown) => faults.push(error);
  await followTeam(catalog, { state }, { signal: stop.signal, onLooked: () => {}, onFault });
  expect(faults).toEqual([]);
});

test('a state that cannot be asked for is a trouble until it can', async () => {
  const stop = new AbortController();
  const told: unknown[] = [];
  const answers = [new PlaceError(AWAY), 'a', new PlaceError(AWAY), 'a'];
  const catalog = {
    look: async () => void told.push('look'),
    setTrouble: (error: unknown) => told.push(error instanceof PlaceError ? 'trouble' : error),
  };
  const state = async () => {
    const answer = answers.shift();
    if (answers.length === 0) setImmediate(() => stop.abort());
    if (answer instanceof Error) throw answer;
    return answer ?? '';
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const following = followTeam(catalog, { state }, { signal: stop.signal, onLooked: () => {}, onFault: () => {} });
    while (!stop.signal.aborted) {
      await vi.advanceTimersByTimeAsync(30_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await following;
  } finally {
    vi.useRealTimers();
  }
  expect(told).toEqual(['trouble', 'look', 'trouble', undefined]);
});
