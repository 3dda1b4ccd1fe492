/** Agents that go on when their turn is over, sent by someone who reads only the end of a session. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deliverSession } from '../../src/export/otlp/session.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { assistant, chain, result, timeOf, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { deliveryTo } from '../support/growing.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { sha256 } from '../support/spans.ts';

const MINUTE = 60;

/** A session, an agent of it and a server; times are seconds after `timeOf(0)`. */
async function growingSession() {
  const project = join(tempFolder(), 'projects', '-work-app');
  const file = join(project, 's1.jsonl');
  const agent = join(project, 's1', 'subagents', 'agent-a1.jsonl');
  mkdirSync(dirname(agent), { recursive: true });
  writeFileSync(join(dirname(agent), 'agent-a1.meta.json'), JSON.stringify({ agentType: 'Explore' }));
  const server = await startReceiver();
  const home = tempFolder();
  let written: JsonObject[] = [];
  let ofAgent: JsonObject[] = [];
  const write = (path: string, lines: readonly JsonObject[], at: number) => {
    writeFileSync(path, toJsonl(lines));
    utimesSync(path, new Date(timeOf(at)), new Date(timeOf(at)));
  };
  return {
    server,
    file,
    agent,
    say(at: number, ...lines: JsonObject[]) {
      const timed = lines.map((line, place) => ({ timestamp: timeOf(at + place), ...line }));
      written = chain([...written, ...timed], { sessionId: 's1', isSidechain: false });
      write(file, written, at + lines.length);
    },
    agentSays(at: number, ...lines: JsonObject[]) {
      const timed = lines.map((line, place) => ({
        timestamp: timeOf(at + place),
        uuid: `a-${ofAgent.length + place}`,
        ...line,
      }));
      ofAgent = chain([...ofAgent, ...timed], { sessionId: 's1', isSidechain: true, agentId: 'a1' });
      write(agent, ofAgent, at + lines.length);
    },
    send: (at: number, to = { server, home }) =>
      deliverSession({ file }, { hash: sha256, now: Date.parse(timeOf(at)) }, deliveryTo(to.server.url, to.home)),
  };
}

const launched = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1' } };
const LAUNCH = [
  user('go'),
  assistant(toolUse('t1', 'Agent', { description: 'look', prompt: 'look around', subagent_type: 'Explore' }), {
    id: 'm1',
    stop: 'tool_use',
  }),
  result('t1', 'launched', launched),
  assistant('it runs', { id: 'm2' }),
];
const turn = (name: string) => [user(`turn ${name}`), assistant(`answer ${name}`, { id: `m-${name}` })];
const notification = (status: string) =>
  user(
    `<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>${status}</status>\n</task-notification>`,
  );

const messagesOf = ({ rows }: Receiver) => [...rows.values()].filter(({ type }) => type === 'generation').length;
const keysOf = ({ rows }: Receiver) => [...rows.values()].map(({ key, name }) => `${name} ${key}`).sort();

describe('T3, T6: an agent in the background', () => {
  test('that was quiet for more than ten minutes is sent when it goes on, once, however far the session is by then', async () => {
    const session = await growingSession();
    session.say(0, ...turn('first'));
    session.say(10, ...LAUNCH);
    session.agentSays(12, user('look around'), assistant(toolUse('t2', 'Bash'), { id: 'a1', stop: 'tool_use' }));
    expect(await session.send(20)).toMatchObject({ turns: 2, agents: [session.agent] });
    expect(messagesOf(session.server)).toBe(3);
    // It counts as over, as far as it came.
    await session.send(15 * MINUTE);
    expect(messagesOf(session.server)).toBe(4);
    for (const [place, name] of ['b', 'c', 'd', 'e'].entries()) {
      session.say((16 + place) * MINUTE, ...turn(name));
      expect(await session.send((16 + place) * MINUTE + 10)).toMatchObject({ turns: 1, agents: [session.agent] });
    }
    expect(messagesOf(session.server)).toBe(8);
    session.agentSays(30 * MINUTE, result('t2', 'long'), assistant('found it', { id: 'a2' }));
    expect(await session.send(31 * MINUTE)).toMatchObject({ turns: 1 });
    expect(messagesOf(session.server)).toBe(9);
    const requests = session.server.requests.length;
    session.say(32 * MINUTE, notification('completed'), assistant('it ended', { id: 'm-end' }));
    expect(await session.send(33 * MINUTE)).toMatchObject({ agents: [] });
    expect(session.server.requests.length).toBe(requests + 1);
    // One look at the whole gives the same rows.
    const whole = await startReceiver();
    await session.send(50 * MINUTE, { server: whole, home: tempFolder() });
    expect(keysOf(session.server)).toEqual(keysOf(whole));
  });

  test('that the person takes up again after its end was told is sent again', async () => {
    const session = await growingSession();
    session.say(0, ...LAUNCH);
    session.agentSays(3, user('look around'), assistant('done', { id: 'a1' }));
    session.say(20, notification('completed'), assistant('it ended', { id: 'm-end' }));
    await session.send(30);
    for (const [place, name] of ['b', 'c', 'd'].entries()) session.say(60 + place * 10, ...turn(name));
    await session.send(100);
    session.agentSays(200, user('and now?'), assistant('more', { id: 'a2' }));
    await session.send(210);
    const whole = await startReceiver();
    await session.send(220, { server: whole, home: tempFolder() });
    expect(keysOf(session.server)).toEqual(keysOf(whole));
    expect(messagesOf(whole)).toBe(8);
  });
});

describe('L6: an agent that no call leads to', () => {
  test('is sent as a trace of its own when it is quiet, also by one who read on meanwhile', async () => {
    const session = await growingSession();
    session.agentSays(0, user('Warmup'), assistant('ready', { id: 'a1' }));
    session.say(1, ...turn('a'));
    expect(await session.send(10)).toMatchObject({ turns: 1, open: 1, agents: [session.agent] });
    for (const [place, name] of ['b', 'c', 'd', 'e'].entries()) {
      session.say(20 + place * 10, ...turn(name));
      expect(await session.send(25 + place * 10)).toMatchObject({ turns: 1, open: 1, agents: [session.agent] });
    }
    expect(await session.send(15 * MINUTE)).toMatchObject({ turns: 1, open: 0, agents: [] });
    expect([...session.server.rows.values()].filter(({ name }) => name === 'Warmup').length).toBe(1);
    session.say(16 * MINUTE, ...turn('f'));
    expect(await session.send(17 * MINUTE)).toMatchObject({ turns: 1, open: 0 });
    expect(messagesOf(session.server)).toBe(7);
  });

  test('waits for a turn that is open, but not for ever', async () => {
    const session = await growingSession();
    session.agentSays(0, user('Warmup'), assistant('ready', { id: 'a1' }));
    session.say(1, user('go'), assistant(toolUse('t1'), { id: 'm1', stop: 'tool_use' }));
    expect(await session.send(30 * MINUTE)).toMatchObject({ turns: 0, open: 2 });
    expect(await session.send(25 * 60 * MINUTE)).toMatchObject({ turns: 1, open: 1 });
  });

  test('is not taken for one when only the turn that started it was not read', async () => {
    const session = await growingSession();
    const done = { toolUseResult: { status: 'completed', agentId: 'a1' } };
    session.say(0, ...LAUNCH.slice(0, 2), result('t1', 'done', done), assistant('it ran', { id: 'm2' }));
    session.agentSays(1, user('look around'), assistant('done', { id: 'a1' }));
    for (const [place, name] of ['b', 'c', 'd'].entries()) session.say(20 + place * 10, ...turn(name));
    await session.send(60);
    // Its file is touched, as by a copy.
    session.agentSays(100);
    session.say(101, ...turn('e'));
    await session.send(30 * MINUTE);
    expect(new Set([...session.server.rows.values()].flatMap(({ traceName }) => traceName ?? []))).toEqual(
      new Set(['Turn 1', 'Turn 2', 'Turn 3', 'Turn 4', 'Turn 5']),
    );
  });
});

test('L3: an agent that a later turn takes up again has there only what it did there', async () => {
  const session = await growingSession();
  const done = { toolUseResult: { status: 'completed', agentId: 'a1' } };
  session.say(0, ...LAUNCH.slice(0, 2), result('t1', 'done', done), assistant('it ran', { id: 'm2' }));
  session.agentSays(1, user('look around'), assistant('done', { id: 'a1' }));
  for (const [place, name] of ['b', 'c', 'd'].entries()) {
    session.say(20 + place * 10, ...turn(name));
    await session.send(25 + place * 10);
  }
  session.say(
    100,
    user('ask it again'),
    assistant(toolUse('t9', 'SendMessage', { to: 'a1', message: 'and now?' }), { id: 'm8', stop: 'tool_use' }),
    result('t9', 'sent'),
    assistant('asked', { id: 'm9' }),
  );
  session.agentSays(102, user('and now?'), assistant('more', { id: 'a2' }));
  await session.send(120);
  await session.send(30 * MINUTE);
  const whole = await startReceiver();
  await session.send(31 * MINUTE, { server: whole, home: tempFolder() });
  expect(keysOf(session.server)).toEqual(keysOf(whole));
  expect(messagesOf(session.server)).toBe(9);
});
