/** Things that happen to archives: folders renamed, an index damaged, a chat in two folders, prompts scrubbed. */
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, at, type JsonObject } from '../../src/format/json.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000000';
const B = 'bbbbbbbb-0000-4000-8000-000000000000';

function rootOf(files: Record<string, readonly JsonObject[]>): string {
  const root = tempFolder();
  for (const [name, lines] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, toJsonl(lines));
  }
  return root;
}

const talk = (sessionId: string, words: string, id: string) =>
  chain([user(words), assistant(`answer to ${words}`, { id, requestId: `r-${id}`, output: 10 })], {
    sessionId,
    cwd: '/w/one',
    gitBranch: 'main',
  });

describe('a project folder that was renamed', () => {
  test.each(['-a', '-z'])('to %s: its chats are those on disk, each once', async (name) => {
    const { root, run } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: talk(A, 'hello', 'm1') }));
    await run('archive', 'sync');
    renameSync(join(root, 'projects', '-m'), join(root, 'projects', name));
    const [chat, ...others] = asArray(at((await run('list', '--json')).json(), 'chats')) ?? [];
    expect(others).toEqual([]);
    expect(chat).toMatchObject({ source: 'disk', sessions: [{ id: A, source: 'disk' }] });
    expect(asArray(at(chat, 'sessions'))).toHaveLength(1);
  });
});

describe('an index that is damaged', () => {
  async function damaged() {
    const many = Array.from({ length: 400 }, (_, n) => talk(A, `word${n} zebra`, `m${n}`)).flat();
    const lines = many.map((line, n) => ({
      ...line,
      uuid: `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
    }));
    const { run, env } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: lines }));
    await run('archive', 'sync');
    const index = join(env.SKEIN_HOME, 'index.db');
    const fd = openSync(index, 'r+');
    const size = statSync(index).size;
    for (let at = 2 * 8192; at < size; at += 8192) writeSync(fd, Buffer.alloc(8192, 0xab), 0, 8192, at);
    closeSync(fd);
    return run;
  }

  test('search reads the files and says so; rebuild makes it anew', async () => {
    const run = await damaged();
    const searched = await run('search', 'word7', '--json');
    expect(searched).toMatchObject({ code: 0 });
    expect(searched.json()).toMatchObject({ engine: 'files', total: 2 });
    expect(searched.err).toContain('archive rebuild');
    expect(await run('archive', 'rebuild')).toMatchObject({ code: 0 });
    expect((await run('search', 'word7', '--json')).json()).toMatchObject({ engine: 'index', total: 2 });
  });

  test('forget works all the same', async () => {
    const run = await damaged();
    expect(await run('archive', 'forget', A, '--yes')).toMatchObject({ code: 0 });
  });
});

test('usage of a chat that lies in two folders counts the agents of both', async () => {
  const agent = (id: string) =>
    talk(A, `agent ${id}`, `agent-${id}`).map((line) => ({
      ...line,
      isSidechain: true,
      agentId: id,
      uuid: `${line.uuid}${id}`,
    }));
  const own = talk(A, 'begin', 'm1');
  const more = talk(B, 'go on', 'm2').map((line, n) => ({
    ...line,
    uuid: `more-${n}`,
    ...(n === 0 && { parentUuid: own[1]?.uuid }),
  }));
  const { run } = machine(
    rootOf({
      [`projects/-w-one/${A}.jsonl`]: own,
      [`projects/-w-one/${A}/subagents/agent-a1.jsonl`]: agent('a1'),
      [`projects/-w-two/${B}.jsonl`]: [...own.map((line) => ({ ...line, sessionId: B })), ...more],
      [`projects/-w-two/${B}/subagents/agent-a2.jsonl`]: agent('a2'),
    }),
  );
  const total = at((await run('usage', '--json')).json(), 'totals', 'messages');
  expect(total).toBe(4);
  for (const id of [A, B]) expect(at((await run('usage', id, '--json')).json(), 'totals', 'messages')).toBe(total);
});

test('L4: a prompt of the history that was scrubbed is one prompt still', async () => {
  const root = tempFolder();
  mkdirSync(join(root, 'projects'));
  const key = `sk-ant-api03-${'Ab3dEf9hIj'.repeat(9)}abc-AA`;
  const line = (display: string, n: number) => ({
    display,
    timestamp: 1_790_000_000_000 + n,
    project: '/w/one',
    sessionId: A,
  });
  writeFileSync(join(root, 'history.jsonl'), toJsonl([line(`use ${key}`, 1), line('and then', 2)]));
  const { run } = machine(root);
  await run('archive', 'sync');
  expect(at((await run('archive', 'scrub', '--all', '--json')).json(), 'lines')).toBe(1);
  expect(asArray(at((await run('show', A, '--json')).json(), 'turns'))?.length).toBe(2);
});
