/** The list is kept up to date by looking at what changed, and at nothing else; what comes of it is what a new look would give. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Arguments } from '../../src/cli/command.ts';
import type { Context } from '../../src/cli/context.ts';
import { type Catalog, createCatalog } from '../../src/cli/serve/catalog.ts';
import { createOpenChats } from '../../src/cli/serve/openchats.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { io } from '../../src/disk/io.ts';
import type { JsonObject } from '../../src/format/json.ts';
import type { LiveEvent } from '../../src/views/page/types.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';

const NOW = new Date('2027-01-01T00:00:00Z');

function contextOf(home: string): Context {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = openTerminal(stream, { isTerminal: false, color: 'never', env: {} });
  const env = { SKEIN_HOME: join(home, 'kept') };
  return { env, home, cwd: home, now: () => NOW, out: terminal, err: terminal, signal: new AbortController().signal };
}

function catalogOf(home: string, root: string): Catalog {
  const args: Arguments = {
    positionals: [],
    flag: () => false,
    value: () => undefined,
    values: (name) => (name === 'root' ? [root] : []),
  };
  return createCatalog(contextOf(home), args);
}

function pathOf(root: string, session: string): string {
  return join(root, 'projects', '-work-app', `${session}.jsonl`);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** One prompt and its answer, going on from the turn before. */
function turn(session: string, number: number, parent: string | null): JsonObject[] {
  const [prompt, answer] = chain([user(`prompt ${number} of ${session}`), assistant(`answer ${number}`)], {
    sessionId: session,
    cwd: '/work/app',
  });
  const [first, second] = [`${session}-${number}-q`, `${session}-${number}-a`];
  const timestamp = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
  return [
    { ...prompt, uuid: first, parentUuid: parent, timestamp },
    { ...answer, uuid: second, parentUuid: first, timestamp },
  ];
}

const lastOf = (session: string, number: number) => (number === 0 ? null : `${session}-${number}-a`);

describe('work', () => {
  async function started(): Promise<{ root: string; home: string; catalog: Catalog }> {
    const [home, root] = [tempFolder(), tempFolder()];
    for (let session = 0; session < 20; session += 1) {
      put(pathOf(root, `s${session}`), toJsonl(turn(`s${session}`, 1, null)));
    }
    const catalog = catalogOf(home, root);
    await catalog.look();
    return { root, home, catalog };
  }

  test('a look when nothing changed opens no file and tells nothing', async () => {
    const { catalog } = await started();
    const events: LiveEvent[] = [];
    catalog.listen((event) => events.push(event));
    const { version, list } = catalog;
    const before = { ...io };
    await catalog.look();
    expect([io.opens - before.opens, io.bytesRead - before.bytesRead]).toEqual([0, 0]);
    expect([events, catalog.version]).toEqual([[], version]);
    expect(catalog.list).toBe(list);
  });

  test('of a session that grew the new lines are read, and no other file is looked at', async () => {
    const { catalog, root } = await started();
    const path = pathOf(root, 's3');
    const added = toJsonl(turn('s3', 2, 's3-1-a'));
    // The first growth reads the file once more: only then it is known to be one that grows.
    appendFileSync(path, toJsonl(turn('s3', 9, 's3-1-a')));
    await catalog.look(new Set([path]));
    appendFileSync(path, added);
    const events: LiveEvent[] = [];
    catalog.listen((event) => events.push(event));
    const rows = catalog.list.chats;
    const before = { ...io };
    await catalog.look(new Set([path]));
    expect(io.listings - before.listings).toBe(0);
    // The new lines, and a little before them to see that it is the same file.
    expect(io.bytesRead - before.bytesRead).toBeLessThanOrEqual(added.length + 2 * 256);
    expect(events).toEqual([{ type: 'chats' }, { type: 'sessions', ids: ['s3'] }]);
    expect(catalog.find('s3')?.turns).toBe(3);
    const changed = catalog.list.chats.filter((row) => !rows.includes(row));
    expect(changed.map(({ id }) => id)).toEqual(['s3']);
  });

  test('an open chat that grew reads its new lines only, and one that did not reads nothing', async () => {
    const { catalog, root } = await started();
    const chats = createOpenChats({ now: () => NOW.getTime(), clock: () => 0, onOld: () => {} });
    const open = async (id: string) => {
      const [library, listed] = [catalog.library, catalog.find(id)];
      if (library === undefined || listed === undefined) throw new Error('not there');
      return chats.open(library, listed);
    };
    const path = pathOf(root, 's3');
    const many = Array.from({ length: 200 }, (_, place) => turn('s3', place + 1, lastOf('s3', place)));
    put(path, toJsonl(many.flat()));
    await catalog.look();
    const first = await open('s3');
    expect(first.turnsOf(0).length).toBe(200);
    const before = { ...io };
    expect(await open('s3')).toBe(first);
    expect(io.bytesRead - before.bytesRead).toBe(0);
    const added = toJsonl(turn('s3', 201, 's3-200-a'));
    appendFileSync(path, added);
    await catalog.look(new Set([path]));
    const middle = { ...io };
    const grown = await open('s3');
    // Making the graph looks into a few lines again.
    expect(io.bytesRead - middle.bytesRead).toBeLessThanOrEqual(5 * added.length);
    expect(grown.version).not.toBe(first.version);
    expect(grown.turnsOf(0).length).toBe(201);
  });

  test('a chat that is dear to open is not opened at every change, and the page is told when it may ask again', async () => {
    const { catalog, root } = await started();
    let time = 0;
    const told: [string, number][] = [];
    const chats = createOpenChats({
      now: () => NOW.getTime(),
      // Every look at it takes a while.
      clock: () => {
        time += 50;
        return time - 50;
      },
      onOld: ({ id }, wait) => told.push([id, wait]),
    });
    const open = async () => {
      const [library, listed] = [catalog.library, catalog.find('s3')];
      if (library === undefined || listed === undefined) throw new Error('not there');
      const opened = await chats.open(library, listed);
      return opened.turnsOf(0).length;
    };
    const grow = async (number: number) => {
      const path = pathOf(root, 's3');
      appendFileSync(path, toJsonl(turn('s3', number, lastOf('s3', number - 1))));
      await catalog.look(new Set([path]));
    };
    expect(await open()).toBe(1);
    await grow(2);
    expect(await open()).toBe(1);
    expect(told).toEqual([['s3', 300]]);
    time = 501;
    expect(await open()).toBe(2);
    expect(told.length).toBe(1);
  });

  test('few chats stay open', async () => {
    const { catalog } = await started();
    const chats = createOpenChats({ now: () => NOW.getTime(), clock: () => 0, onOld: () => {} });
    const open = (id: string) => {
      const [library, listed] = [catalog.library, catalog.find(id)];
      if (library === undefined || listed === undefined) throw new Error('not there');
      return chats.open(library, listed);
    };
    const first = await open('s0');
    for (let session = 1; session < 10; session += 1) await open(`s${session}`);
    expect(await open('s0')).not.toBe(first);
  });
});

type Move =
  | { readonly type: 'grow' | 'resume' | 'rewrite' | 'remove' | 'half' | 'title'; readonly session: number }
  | { readonly type: 'add' };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('grow' as const), session: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('add' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'resume' as const,
        'rewrite' as const,
        'remove' as const,
        'half' as const,
        'title' as const,
      ),
      session: fc.nat(5),
    }),
  },
);

/** Carries out a move on disk. Returns the path it is about. */
function play(root: string, sessions: Map<string, number>, step: Move, count: number): string | undefined {
  if (step.type === 'add') {
    const name = `n${count}`;
    sessions.set(name, 1);
    put(pathOf(root, name), toJsonl(turn(name, 1, null)));
    return pathOf(root, name);
  }
  const [name, turns = 0] = [...sessions][step.session % Math.max(1, sessions.size)] ?? [];
  if (name === undefined) return undefined;
  const path = pathOf(root, name);
  if (step.type === 'grow') {
    sessions.set(name, turns + 1);
    appendFileSync(path, toJsonl(turn(name, turns + 1, lastOf(name, turns))));
  } else if (step.type === 'title') {
    appendFileSync(path, toJsonl([{ type: 'custom-title', customTitle: `title ${count}`, sessionId: name }]));
  } else if (step.type === 'half') {
    // A line that is never ended, and ends the next.
    appendFileSync(path, '{"type":"user","uuid":"torn');
  } else if (step.type === 'rewrite') {
    sessions.set(name, 1);
    writeFileSync(path, toJsonl(turn(name, 1, null)));
  } else if (step.type === 'remove') {
    sessions.delete(name);
    rmSync(path);
  } else {
    // A resume copies the conversation into a new file and goes on there.
    const other = `r${count}`;
    const copied = Array.from({ length: turns }, (_, place) => turn(name, place + 1, lastOf(name, place))).flat();
    const next = turn(other, 1, lastOf(name, turns));
    put(pathOf(root, other), toJsonl([...copied.map((line) => ({ ...line, sessionId: other })), ...next]));
    return pathOf(root, other);
  }
  return path;
}

async function expectAsNew(moves: readonly Move[]): Promise<void> {
  const [home, root] = [tempFolder(), tempFolder()];
  const sessions = new Map([['s0', 1]]);
  put(pathOf(root, 's0'), toJsonl(turn('s0', 1, null)));
  const catalog = catalogOf(home, root);
  await catalog.look();
  for (const [count, step] of moves.entries()) {
    const path = play(root, sessions, step, count);
    if (path !== undefined) await catalog.look(new Set([path]));
    const fresh = catalogOf(home, root);
    await fresh.look();
    expect(catalog.list).toEqual(fresh.list);
    for (const { id } of fresh.list.chats) expect(catalog.find(id)).toEqual(fresh.find(id));
  }
}

test('H2: of copies that were resumed, another is the older one once one of them grew', () =>
  expectAsNew([
    { type: 'resume', session: 0 },
    { type: 'grow', session: 0 },
    { type: 'resume', session: 0 },
    { type: 'grow', session: 0 },
  ]));

test('whatever happens to the files, looking at what changed gives what a new look gives', async () => {
  await fc.assert(fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), expectAsNew), { numRuns: 40 });
});
