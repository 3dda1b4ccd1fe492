/** Turns that a resume or a fork copied are sent from their originals, whichever file is met first (T3, H1). */
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openOriginals } from '../../src/cli/export/originals.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { deliverSession } from '../../src/export/otlp/session.ts';
import { asString, at, isObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { toJsonl } from '../support/build.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { deliveryTo, SPANS } from '../support/growing.ts';
import { contextHere, runHere } from '../support/inprocess.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { recordings } from '../support/spans.ts';
import { turnLines } from '../support/traced.ts';

interface World {
  readonly root: string;
  readonly sessions: readonly string[];
  readonly env: Record<string, string>;
  readonly server: Receiver;
  /** As the hook in a process of its own, or `follow --export`. */
  deliver(file: string): Promise<unknown>;
  /** As the hook itself. */
  deliverAlone(file: string): Promise<unknown>;
  exportAll(): Promise<unknown>;
}

async function worldOf(root: string): Promise<World> {
  const [server, home] = [await startReceiver(), tempFolder()];
  const keys = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk', LANGFUSE_BASE_URL: server.url };
  const env = { HOME: home, CLAUDE_CONFIG_DIR: root, SKEIN_HOME: home, ...keys };
  const originals = await openOriginals(contextHere(env).context);
  const delivery = deliveryTo(server.url, home);
  const deliver = (file: string) => deliverSession({ file, originals }, SPANS, delivery);
  const deliverAlone = (file: string) => deliverSession({ file, originals: 'elsewhere' }, SPANS, delivery);
  const exportAll = () => runHere(['export', 'langfuse', '--all'], env);
  return { root, sessions: sessionsIn(root), env, server, deliver, deliverAlone, exportAll };
}

function sessionsIn(root: string): string[] {
  return transcriptsBelow(root).filter(
    (file) => !basename(file).startsWith('agent-') && basename(dirname(dirname(file))) === 'projects',
  );
}

const keysOf = ({ rows }: Receiver) => [...rows.keys()].sort();

/** Ids that have more than one start. */
function doubled({ rows }: Receiver): string[] {
  const byId = Map.groupBy([...rows.values()], ({ traceId, spanId }) => `${traceId} ${spanId}`);
  return [...byId].flatMap(([id, some]) => (some.length > 1 ? id : []));
}

/** The rows of an export alone. */
async function exported(root: string): Promise<string[]> {
  const world = await worldOf(root);
  await world.exportAll();
  return keysOf(world.server);
}

/** Every order of a few. */
function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length > 3) return items.map((_, place) => [...items.slice(place), ...items.slice(0, place)]);
  if (items.length < 2) return [[...items]];
  return items.flatMap((first) => ordersOf(items.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}

function hasCopies(root: string): boolean {
  const ids = sessionsIn(root).map((file) => new Set(readFileSync(file, 'utf8').match(/(?<="uuid":")[^"]+/g)));
  return ids.some((own, place) => ids.some((other, at) => at !== place && [...own].some((id) => other.has(id))));
}

describe('recorded resumes and forks: sent from any file first, then exported, every row is there once', () => {
  const copies = recordings()
    .map(([version, scenario]) => join(FIXTURES, 'recorded', version, scenario))
    .filter(hasCopies);
  expect(copies.length).toBeGreaterThan(10);

  test.each(copies.map((root): [string, string] => [root.split('/').slice(-2).join(' '), root]))(
    '%s',
    async (_, root) => {
      const expected = await exported(root);
      for (const order of ordersOf(sessionsIn(root))) {
        const world = await worldOf(root);
        for (const file of order) await world.deliver(file);
        expect(doubled(world.server)).toEqual([]);
        const before = keysOf(world.server);
        expect(expected).toEqual(expect.arrayContaining(before));
        await world.exportAll();
        expect(keysOf(world.server)).toEqual(expected);
      }
    },
  );
});

const ORIGINAL = '82a042c3-8d0b-4547-8be3-bf0d4a48c398';
const FORK = '0f0f0f0f-0000-4000-8000-000000000001';
const SECOND = '0f0f0f0f-0000-4000-8000-000000000002';

/** rewritten: nothing tells that it is one, as in 2.1.325 · kept: old lines name the old session · named: they say so · renamed: with ids of their own. */
const WAYS = ['rewritten', 'kept', 'named', 'renamed'] as const;
type Way = (typeof WAYS)[number];

/** As the client forks a session: without the times of requests and without agents. */
function fork(file: string, id: string, way: Way): string {
  const session = basename(file, '.jsonl');
  const copied = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
    .filter((line) => !asString(line.type)?.startsWith('api-request'))
    .map((line) => copyOf(line, session, id, way));
  const opened = {
    type: 'queue-operation',
    operation: 'dequeue',
    timestamp: '2026-11-30T00:00:00.000Z',
    sessionId: id,
  };
  const target = join(dirname(file), `${id}.jsonl`);
  writeFileSync(target, toJsonl([opened, ...copied]));
  return target;
}

function copyOf(line: JsonObject, session: string, id: string, way: Way): JsonObject {
  const uuid = asString(line.uuid);
  const parent = asString(line.parentUuid);
  const from = uuid === undefined ? {} : { forkedFrom: { sessionId: session, messageUuid: uuid } };
  const other = (old: string | undefined) => (old === undefined ? null : `${id.slice(-4)}${old.slice(4)}`);
  return {
    ...line,
    ...(line.sessionId !== undefined && way !== 'kept' && { sessionId: id }),
    ...(way === 'named' && from),
    ...(way === 'renamed' && uuid !== undefined && { ...from, uuid: other(uuid), parentUuid: other(parent) }),
  };
}

/** A turn at the end of a session. */
function goOn(file: string, number: number): void {
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line));
  const last = lines.findLast((line) => at(line, 'type') === 'assistant');
  const id = basename(file, '.jsonl');
  const common = { isSidechain: false, sessionId: id, version: '2.1.325', cwd: '/home/dev' };
  const [prompt, answer] = [`${id}-p${number}`, `${id}-a${number}`];
  const time = (second: number) => new Date(Date.UTC(2026, 11, 1, 0, number, second)).toISOString();
  const said = {
    id: `msg_${answer}`,
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    usage: { output_tokens: 1 },
  };
  appendFileSync(
    file,
    toJsonl([
      {
        ...common,
        type: 'user',
        uuid: prompt,
        parentUuid: at(last, 'uuid') ?? null,
        timestamp: time(1),
        message: { role: 'user', content: `go on ${number}` },
      },
      {
        ...common,
        type: 'assistant',
        uuid: answer,
        parentUuid: prompt,
        timestamp: time(2),
        message: { ...said, content: [{ type: 'text', text: 'Yes.' }] },
      },
    ]),
  );
}

function forked(way: Way) {
  const root = tempFolder();
  cpSync(join(FIXTURES, 'recorded', '2.1.325', 'd-agent'), root, { recursive: true });
  const original = sessionsIn(root).find((file) => basename(file, '.jsonl') === ORIGINAL) ?? '';
  const copy = fork(original, FORK, way);
  return { root, original, copy };
}

async function messagesOf({ env }: World): Promise<unknown> {
  return at((await runHere(['usage', '--by', 'total', '--json'], env)).json(), 'totals', 'messages');
}

async function expectOnce(world: World): Promise<void> {
  expect(doubled(world.server)).toEqual([]);
  const generations = [...world.server.rows.values()].filter(({ type }) => type === 'generation');
  expect(generations.length).toBe(await messagesOf(world));
  expect(keysOf(world.server)).toEqual(await exported(world.root));
}

/** After every answer, as a hook meets a file that the client is writing. */
async function deliverGrowing(world: World, file: string): Promise<void> {
  const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
  const ends = lines.flatMap((line, place) => (at(parseJson(line), 'type') === 'assistant' ? place + 1 : []));
  for (const end of [...ends, lines.length]) {
    writeFileSync(file, lines.slice(0, end).join(''));
    await world.deliver(file);
  }
}

test('a copy of a copy by 1.0.x while it is being written', async () => {
  const root = tempFolder();
  cpSync(join(FIXTURES, 'recorded', '1.0.111', 'f-resume'), root, { recursive: true });
  const world = await worldOf(root);
  const copy = world.sessions.find((file) => basename(file).startsWith('52d06a01')) ?? '';
  await deliverGrowing(world, copy);
  await world.exportAll();
  await expectOnce(world);
});

describe.each(WAYS)('a fork with sub-agents, ids %s', (way) => {
  test('the copy first, as it grows; then the original and an export', async () => {
    const { root, original, copy } = forked(way);
    const world = await worldOf(root);
    await world.deliver(copy);
    for (const turn of [1, 2, 3, 4]) {
      goOn(copy, turn);
      // What was copied is sent: the file alone tells the rest.
      expect(await world.deliverAlone(copy)).toMatchObject({ copied: false, turns: 1 });
    }
    await world.deliver(original);
    await world.deliver(copy);
    const arrived = world.server.arrived();
    await world.exportAll();
    expect(world.server.arrived()).toBe(arrived);
    await expectOnce(world);
    expect(world.server.arrived()).toBe(world.server.rows.size);
  });

  test('the copy while it is being written, then as it goes on', async () => {
    const { root, copy } = forked(way);
    const world = await worldOf(root);
    await deliverGrowing(world, copy);
    goOn(copy, 1);
    await world.deliver(copy);
    await world.exportAll();
    await expectOnce(world);
  });

  test('the copy, then an export', async () => {
    const { root, copy } = forked(way);
    const world = await worldOf(root);
    goOn(copy, 1);
    await world.deliver(copy);
    await world.exportAll();
    await expectOnce(world);
  });

  test('the server takes nothing at first', async () => {
    const { root, copy } = forked(way);
    const world = await worldOf(root);
    goOn(copy, 1);
    world.server.fail(() => ({ status: 503 }));
    await world.deliver(copy);
    goOn(copy, 2);
    expect(await world.deliverAlone(copy)).toMatchObject({ copied: true });
    world.server.fail(() => undefined);
    await world.deliver(copy);
    await world.exportAll();
    await expectOnce(world);
  });

  test('the original first, both go on, and one is forked again', async () => {
    const { root, original, copy } = forked(way);
    const world = await worldOf(root);
    await world.deliver(original);
    goOn(copy, 1);
    goOn(original, 2);
    const second = fork(copy, SECOND, way);
    goOn(second, 3);
    for (const file of [second, copy, original, second]) await world.deliver(file);
    await world.exportAll();
    await expectOnce(world);
    expect(world.server.arrived()).toBe(world.server.rows.size);
  });

  test.each([true, false])('the original is gone, its agents too: %s', async (agentsToo) => {
    const { root, original, copy } = forked(way);
    goOn(copy, 1);
    rmSync(original);
    if (agentsToo) rmSync(original.replace(/\.jsonl$/, ''), { recursive: true });
    const world = await worldOf(root);
    await world.deliver(copy);
    await world.exportAll();
    await expectOnce(world);
  });
});

test('what is added while the chat is opened is sent the next time', async () => {
  const { root, copy } = forked('rewritten');
  goOn(copy, 1);
  const { env, server, exportAll } = await worldOf(root);
  const open = await openOriginals(contextHere(env).context);
  let more = 2;
  const originals: typeof open = (own) => {
    const whole = open(own);
    goOn(copy, more);
    more += 1;
    return whole;
  };
  const send = () => deliverSession({ file: copy, originals }, SPANS, deliveryTo(server.url, env.HOME ?? ''));
  await send();
  expect(await send()).toMatchObject({ turns: 1 });
  expect(more).toBe(3);
  const arrived = server.arrived();
  await exportAll();
  expect([server.arrived(), doubled(server)]).toEqual([arrived, []]);
});

test('a fork in the folder of another project', async () => {
  const { root, original, copy } = forked('named');
  const folder = join(root, 'projects', '-home-dev-elsewhere');
  mkdirSync(folder);
  const moved = join(folder, basename(copy));
  renameSync(copy, moved);
  goOn(moved, 1);
  const world = await worldOf(root);
  for (const file of [moved, original]) await world.deliver(file);
  await world.exportAll();
  await expectOnce(world);
});

test('a fork whose original only the archive has', async () => {
  const { root, original, copy } = forked('named');
  goOn(copy, 1);
  const { env } = await worldOf(root);
  await runHere(['archive', 'sync'], env);
  rmSync(original);
  const server = await startReceiver();
  const originals = await openOriginals(contextHere(env).context);
  await deliverSession({ file: copy, originals }, SPANS, deliveryTo(server.url, env.HOME ?? ''));
  await runHere(['export', 'langfuse', '--all'], { ...env, LANGFUSE_BASE_URL: server.url });
  expect(doubled(server)).toEqual([]);
  expect(server.rows.size).toBeGreaterThan(20);
});

test('elsewhere: nothing of a copy is sent; other sessions beside are not looked at once it is known that there is none', async () => {
  const { root, original, copy } = forked('rewritten');
  const { server } = await worldOf(root);
  const home = tempFolder();
  const send = async (file: string) => {
    const before = { ...io };
    const sent = await deliverSession({ file, originals: 'elsewhere' }, SPANS, deliveryTo(server.url, home));
    return { sent, opens: ioSince(before).opens };
  };
  expect((await send(copy)).sent).toMatchObject({ copied: true, turns: 0, spans: 0 });
  expect(server.requests).toEqual([]);
  rmSync(copy);
  for (let number = 1; number <= 30; number += 1) {
    writeFileSync(join(dirname(original), `other-${number}.jsonl`), toJsonl(turnLines(`other-${number}`, 1, 1)));
  }
  expect((await send(original)).sent).toMatchObject({ copied: false, unsent: 0 });
  expect(server.rows.size).toBeGreaterThan(20);
  goOn(original, 1);
  const { sent, opens } = await send(original);
  expect(sent).toMatchObject({ copied: false, turns: 1 });
  expect(opens).toBeLessThan(30);
});
