/** Things that happen to archives: folders renamed, an index damaged, a chat in two folders, prompts scrubbed. */
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { get, openDatabase } from '../../src/archive/sqlite.ts';
import { asArray, at, type JsonObject } from '../../src/format/json.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine, runHere } from '../support/inprocess.ts';
import { skein } from '../support/skein.ts';

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

describe('an archive in a place that cannot be entered', () => {
  test.each(['list', 'show @last', 'search hello', 'search --scan hello', 'search ~hello', 'usage', 'tree @last'])(
    'is told, and the disk is read without it: %s',
    async (verb) => {
      const { env } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: talk(A, 'hello', 'm1') }));
      // Not for root either, whom permissions do not keep out.
      symlinkSync(env.SKEIN_HOME, env.SKEIN_HOME);
      const { code, text, err } = skein(verb.split(' '), { home: env.HOME, env });
      expect(err).toMatch(/warning: read without the archive: cannot open the archive: .* Remove or mend the link/);
      expect([code, text === '']).toEqual([0, false]);
    },
  );

  test.each(['status', 'sync', 'verify', `restore ${A} --to x`, 'export x', 'rebuild'])('archive %s', async (verb) => {
    const { env } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: talk(A, 'hello', 'm1') }));
    symlinkSync(env.SKEIN_HOME, env.SKEIN_HOME);
    const { code, err } = skein(['archive', ...verb.split(' ')], { home: env.HOME, env });
    expect(err).toContain('its symbolic links lead in a circle');
    expect([code, err.includes('fault in Skein')]).toEqual([1, false]);
  });
});

describe('an archive in a folder in which nothing may be made', () => {
  test.skipIf(process.platform === 'win32').each([
    ['search hello --json', '"engine": "index"'],
    ['show @last', 'hello'],
    ['usage --json', '"output": 10'],
    ['archive verify', 'whole: 1 file'],
  ])('is read, its index too: %s', async (words, told) => {
    const { env } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: talk(A, 'hello', 'm1') }));
    const options = { home: env.HOME, env, obeys: true };
    expect(skein(['archive', 'sync'], options).code).toBe(0);
    chmodSync(env.SKEIN_HOME, 0o500);
    onTestFinished(() => chmodSync(env.SKEIN_HOME, 0o700));
    const { code, text, err } = skein(words.split(' '), options);
    expect([code, err]).toEqual([0, '']);
    expect(text).toContain(told);
    expect(readdirSync(env.SKEIN_HOME)).toEqual(['archive.db', 'index.db']);
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

describe('what cannot be done is told in the right words', () => {
  async function synced() {
    const { env, run } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: talk(A, 'hello', 'm1') }));
    await run('archive', 'sync');
    return { env, archive: (...args: string[]) => runHere(['archive', ...args], env, { told: true }) };
  }

  test('import of a folder, of another file, of what a newer Skein wrote', async () => {
    const { env, archive } = await synced();
    const folder = await archive('import', env.SKEIN_HOME);
    expect([folder.code, folder.err]).toEqual([1, expect.stringContaining('not a file')]);
    writeFileSync(join(env.HOME, 'x.db'), 'text'.repeat(100));
    await archive('export', join(env.HOME, 'newer.db'));
    const db = openDatabase(join(env.HOME, 'newer.db'));
    db.exec('PRAGMA user_version = 9');
    db.close();
    const [text, newer] = [await archive('import', 'x.db'), await archive('import', 'newer.db')];
    expect([text.code, text.err]).toEqual([1, expect.stringContaining('Name what skein archive export wrote')]);
    expect([newer.code, newer.err]).toEqual([1, expect.stringContaining('Use a newer Skein.')]);
    for (const { err } of [folder, text, newer]) expect(err).not.toMatch(/SKEIN_HOME|space|jsonl/);
  });

  test('export to a folder, or onto the archive', async () => {
    const { env, archive } = await synced();
    const folder = await archive('export', env.HOME, '--force');
    expect([folder.code, folder.err]).toEqual([1, expect.stringContaining('It is a folder')]);
    expect(folder.err).not.toContain('jsonl');
    const own = await archive('export', join(env.SKEIN_HOME, 'archive.db'), '--force');
    expect([own.code, own.err]).toEqual([1, expect.stringContaining('file of the archive itself')]);
    expect((await archive('verify')).code).toBe(0);
  });

  test('restore of a version that nothing has, and of files of another machine', async () => {
    const { env, archive } = await synced();
    const none = await archive('restore', A, '--version', '9');
    expect([none.code, none.text]).toEqual([1, expect.stringContaining('1 without such a version')]);
    const other = machine(rootOf({ [`projects/-m/${B}.jsonl`]: talk(B, 'theirs', 'm2') }));
    await other.run('archive', 'sync');
    await other.run('archive', 'export', join(env.HOME, 'theirs.db'));
    await archive('import', 'theirs.db');
    const all = await archive('restore', '--all');
    expect([all.code, all.text]).toEqual([
      1,
      expect.stringContaining('1 file of another machine: skein archive restore --all --to DIR'),
    ]);
    const one = await archive('restore', B, '--json');
    expect([one.code, one.json()]).toMatchObject([1, { files: [{ outcome: 'foreign' }] }]);
    expect((await archive('restore', B, '--to', 'back')).code).toBe(0);
  });

  test('damage is told with what mends it, and sync --full says that it did', async () => {
    const { env, archive } = await synced();
    const db = openDatabase(join(env.SKEIN_HOME, 'archive.db'));
    db.exec("UPDATE pack SET data = x'00'");
    db.close();
    expect((await archive('verify')).text).toContain('skein archive sync --full');
    expect((await archive('sync')).text).toContain('nothing new');
    expect((await archive('sync', '--full')).text).toContain('1 damaged in the archive, whole again');
    expect((await archive('verify')).code).toBe(0);
  });
});

describe('a page of archive.db that SQLite cannot read', () => {
  async function broken(table: string) {
    const { env, run } = machine(rootOf({ [`projects/-m/${A}.jsonl`]: talk(A, 'hello', 'm1') }));
    await run('archive', 'sync');
    const path = join(env.SKEIN_HOME, 'archive.db');
    const db = openDatabase(path);
    const page = Number(get(db, 'SELECT rootpage FROM sqlite_schema WHERE name = ?', table)?.rootpage);
    db.close();
    const fd = openSync(path, 'r+');
    writeSync(fd, Buffer.alloc(300, 0x55), 0, 300, (page - 1) * 8192);
    closeSync(fd);
    return { env, path, archive: (...args: string[]) => runHere(['archive', ...args], env, { told: true }) };
  }

  test('verify says what helps, and that does', async () => {
    const { env, archive } = await broken('piece');
    const { code, text } = await archive('verify');
    expect([code, text]).toEqual([1, expect.stringContaining('skein archive restore --all --to DIR')]);
    expect(text).not.toContain('skein archive verify');
    expect(await archive('restore', '--all', '--to', 'saved')).toMatchObject({ code: 0 });
    expect(readFileSync(join(env.HOME, `saved/projects/-m/${A}.jsonl`), 'utf8')).toBe(toJsonl(talk(A, 'hello', 'm1')));
    const forgot = await archive('forget', A, '--yes');
    expect([forgot.code, forgot.err]).toEqual([1, expect.stringContaining('skein archive restore --all --to DIR')]);
    renameSync(join(env.SKEIN_HOME, 'archive.db'), join(env.HOME, 'old.db'));
    expect((await archive('sync')).text).toContain('1 new');
    expect((await archive('verify')).code).toBe(0);
  });

  test.each(['pack', 'file', 'version', 'run'])('verify goes on where it can: %s', async (table) => {
    const { code, text } = await (await broken(table)).archive('verify');
    expect([code, text]).toEqual([1, expect.stringContaining('fault')]);
    expect(text).not.toContain('skein archive verify');
  });

  test.each(['pack', 'file', 'version', 'run', 'root'])('nobody takes it for a fault of Skein: %s', async (table) => {
    const { archive } = await broken(table);
    const restored = await archive('restore', '--all', '--to', 'saved');
    expect([restored.code, restored.err + restored.text]).toEqual([1, expect.stringContaining('damaged')]);
    // What just failed is no advice.
    expect(restored.err).not.toContain('skein archive restore');
    for (const args of [['status'], ['versions', '--all'], ['sync'], ['verify']])
      expect((await archive(...args)).err).not.toContain('fault in Skein');
  });

  test('an import says which file it is', async () => {
    const { path } = await broken('pack');
    const other = machine(rootOf({ [`projects/-m/${B}.jsonl`]: talk(B, 'theirs', 'm2') }));
    await other.run('archive', 'sync');
    const { code, err } = await runHere(['archive', 'import', path], other.env, { told: true });
    expect([code, err]).toEqual([1, expect.stringContaining(path)]);
    expect(err).toContain('The file to import is damaged');
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
