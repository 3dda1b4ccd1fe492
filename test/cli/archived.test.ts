import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asString, at, type Json, type JsonObject } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { machine, runHere } from '../support/inprocess.ts';
import { checkKeptReads, generatedRoot } from '../support/keptreads.ts';
import { skein } from '../support/skein.ts';

test('what the archive kept of a generated corpus reads as the files did', () => checkKeptReads(generatedRoot(7)));

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const APP = 'projects/-work-app';

function line(uuid: string, text: string, sessionId = A, more: JsonObject = {}): string {
  const message = { role: 'user', content: text };
  const timestamp = '2026-05-01T10:00:00.000Z';
  const entry = { type: 'user', uuid, parentUuid: null, sessionId, timestamp, cwd: '/work/app', message, ...more };
  return `${JSON.stringify(entry)}\n`;
}

function rootOf(files: Record<string, string>, root = tempFolder()): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

/** One session deleted, one still there; both archived. */
async function twoSessions() {
  const here = machine(
    rootOf({
      [`${APP}/${A}.jsonl`]: line('a', 'About apples'),
      [`${APP}/${B}.jsonl`]: line('b', 'About pears', B, { timestamp: '2026-05-02T10:00:00.000Z' }),
    }),
  );
  await here.run('archive', 'sync');
  const gone = join(here.root, APP, `${A}.jsonl`);
  rmSync(gone);
  return { ...here, gone, kept: join(here.root, APP, `${B}.jsonl`) };
}

function titlesIn(json: Json): string[] {
  return (asArray(at(json, 'chats')) ?? []).map(
    (chat) => `${asString(at(chat, 'title'))} ${asString(at(chat, 'source'))}`,
  );
}

describe('what is shown says where it was read from', () => {
  test('list marks what is archived, and only that', async () => {
    const { run } = await twoSessions();
    const { json } = await run('list', '--json');
    expect(titlesIn(json())).toEqual(['About pears disk', 'About apples archive']);
    const rows = (await run('list')).text.split('\n');
    expect(rows[1]).toMatch(/About pears(?!.*archived)/);
    expect(rows[2]).toMatch(/About apples.*archived/);
  });

  test('without anything archived there is no such column', async () => {
    const { run, kept } = await twoSessions();
    const { text } = await run('list', '--root', kept);
    expect(text).not.toMatch(/FROM|archived/);
  });

  test.each([
    ['show', 'About apples'],
    ['tree', 'About apples'],
    ['context', 'About apples'],
    ['cat', 'About apples'],
    ['check', '1 file: 0 errors'],
  ])('%s has a line for people', async (verb, text) => {
    const { run, gone, kept } = await twoSessions();
    const ran = await run(verb, A);
    expect(ran.err).toBe(`from the archive: ${gone} is gone from disk\n`);
    expect(ran.text).toContain(text);
    expect((await run(verb, kept)).err).toBe('');
  });

  test('JSON has the word for chats and sessions', async () => {
    const { run } = await twoSessions();
    expect(at((await run('show', A, '--json')).json(), 'chat')).toMatchObject({
      source: 'archive',
      sessions: [{ id: A, source: 'archive' }],
    });
    expect((await run('tree', A, '--json')).json()).toMatchObject({ chats: [{ source: 'archive' }] });
    expect((await run('context', A, '--json')).json()).toMatchObject({ source: 'archive' });
    expect((await run('check', A, '--json')).json()).toMatchObject({ inventory: [{ source: 'archive' }] });
    expect((await run('diff', A, B, '--json')).json()).toMatchObject({
      a: { source: 'archive' },
      b: { source: 'disk' },
    });
  });
});

describe('selecting among what is on disk and what is kept', () => {
  test.each([
    ['an id', A],
    ['the start of one', A.slice(0, 8)],
    ['words of a title', 'apples'],
    ['the one before the last', '@last~1'],
  ])('%s', async (_, selector) => {
    const { run } = await twoSessions();
    expect((await run('cat', selector)).text).toBe(line('a', 'About apples'));
  });

  test('a project, a path where nothing lies any more', async () => {
    const { run, root, gone } = await twoSessions();
    expect((await run('cat', gone)).text).toBe(line('a', 'About apples'));
    rmSync(join(root, APP), { recursive: true });
    expect((await run('cat', 'project:app')).text).toContain('About pears');
    expect((await run('check', 'project:app', '--json')).json()).toMatchObject({ inventory: [{}, {}] });
    expect((await run('check', join(root, APP), '--json')).json()).toMatchObject({ inventory: [{}, {}] });
    await expect(run('show', join(root, APP))).rejects.toThrow('fits 2 sessions');
    await expect(run('cat', join(root, APP, 'nothing.jsonl'))).rejects.toThrow('There is no file');
  });

  test('what is on disk wins, however old', async () => {
    const { run, gone } = await twoSessions();
    writeFileSync(gone, line('c', 'Something else'));
    expect((await run('cat', A)).text).toBe(line('c', 'Something else'));
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['About pears disk', 'Something else disk']);
  });

  test('--root names the places: the folder itself, a project, a file, a folder that is gone', async () => {
    const { run, root, home, gone } = await twoSessions();
    const titles = async (...places: string[]) =>
      titlesIn((await run('list', '--json', ...places.flatMap((place) => ['--root', place]))).json());
    expect(await titles(root)).toHaveLength(2);
    expect(await titles(join(root, 'projects'))).toHaveLength(2);
    expect(await titles(join(root, APP))).toHaveLength(2);
    expect(await titles(gone)).toEqual(['About apples archive']);
    expect(await titles(rootOf({ 'projects/-x/y.jsonl': line('y', 'Other') }))).toEqual(['Other disk']);
    renameSync(root, join(home, 'elsewhere'));
    expect(await titles(root)).toHaveLength(2);
    expect((await run('list', '--root', root)).err).toBe('');
    expect(await titles(join(root, APP))).toHaveLength(2);
    expect(await titles(join(root, 'projects', '-other'))).toEqual([]);
  });

  test('without --root: folders that are gone too, but not the sessions of another folder that is there', async () => {
    const { run, env, root, home } = await twoSessions();
    const other = rootOf({ 'projects/-x/y.jsonl': line('y', 'Other') });
    const fromOther = async () => {
      const ran = await runHere(['list', '--json'], { ...env, CLAUDE_CONFIG_DIR: other });
      return titlesIn(ran.json());
    };
    expect(await fromOther()).toEqual(['Other disk']);
    renameSync(root, join(home, 'elsewhere'));
    expect(await fromOther()).toHaveLength(3);
    expect(titlesIn((await run('list', '--json')).json())).toHaveLength(2);
  });

  test('a root reached by a link', async () => {
    const { run, root, home } = await twoSessions();
    const link = join(home, 'link');
    symlinkSync(root, link);
    const { json } = await run('list', '--root', link, '--json');
    expect(titlesIn(json())).toEqual(['About pears disk', 'About apples archive']);
    const [, apples] = asArray(at(json(), 'chats')) ?? [];
    expect(apples).toMatchObject({ sessions: [{ file: join(link, APP, `${A}.jsonl`) }] });
  });
});

describe('L3, L4: what lies around a deleted session', () => {
  test('titles, large outputs, agents and their meta files are read from the archive', async () => {
    const output = `<persisted-output>saved to: /x/${A}/tool-results/big.txt</persisted-output>`;
    const answer = {
      type: 'assistant',
      parentUuid: 'a',
      message: {
        role: 'assistant',
        id: 'm',
        content: [{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'go' } }],
      },
    };
    const result = {
      parentUuid: 'b',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: output }] },
    };
    const { root, run } = machine(
      rootOf({
        [`${APP}/${A}.jsonl`]: line('a', 'Start one') + line('b', '', A, answer) + line('c', '', A, result),
        [`${APP}/${A}/custom-title.json`]: '{"customTitle":"Named"}',
        [`${APP}/${A}/tool-results/big.txt`]: 'the whole output',
        [`${APP}/${A}/subagents/agent-abc1234.jsonl`]: line('s', 'go', A, { isSidechain: true, agentId: 'abc1234' }),
        [`${APP}/${A}/subagents/agent-abc1234.meta.json`]: '{"toolUseId":"t1","agentType":"Explore"}',
      }),
    );
    const before = (await run('show', A, '--json')).text;
    expect(before).toContain('Explore');
    await run('archive', 'sync');
    rmSync(join(root, 'projects'), { recursive: true });
    const after = await run('show', A, '--json');
    expect(after.text.replaceAll('"archive"', '"disk"')).toBe(before);
    expect(at(after.json(), 'chat')).toMatchObject({ title: 'Named' });
  });
});

describe('archives that are not there, not whole, or of other machines', () => {
  test('none is made by reading', async () => {
    const { run, env } = machine(rootOf({ [`${APP}/${A}.jsonl`]: line('a', 'x') }));
    await run('list');
    expect(existsSync(env.SKEIN_HOME)).toBe(false);
  });

  test.each([['list'], ['search x']])('one that cannot be opened is a warning, told once: %s', async (words) => {
    const { run, env } = machine(rootOf({ [`${APP}/${A}.jsonl`]: line('a', 'x') }));
    mkdirSync(env.SKEIN_HOME);
    writeFileSync(join(env.SKEIN_HOME, 'archive.db'), 'not a database, and long enough to be one'.repeat(200));
    const { code, text, err } = await run(...words.split(' '));
    expect([code, text]).toEqual([0, expect.stringContaining('x')]);
    expect(err).toMatch(/^warning: read without the archive: .*archive\.db/);
    expect(err.split('\n')).toHaveLength(2);
  });

  test('the demo set only where neither has sessions', async () => {
    const { run, root } = await twoSessions();
    rmSync(root, { recursive: true });
    expect((await run('list')).err).toBe('');
    const { run: runEmpty } = machine(join(tempFolder(), 'none'));
    expect((await runEmpty('list')).err).toContain('demo');
  });

  test('what another machine archived bears its name', async () => {
    const { run } = await twoSessions();
    const file = join(tempFolder(), 'all.db');
    await run('archive', 'export', file);
    const other = machine(rootOf({ 'projects/-x/y.jsonl': line('y', 'Here') }));
    // An archive that holds nothing takes over the identity of the one it imports.
    await other.run('archive', 'sync');
    await other.run('archive', 'import', file);
    const { json } = await other.run('list', '--json');
    expect(titlesIn(json()).sort()).toEqual(['About apples archive', 'About pears archive', 'Here disk']);
    const [chat] = asArray(at(json(), 'chats')) ?? [];
    const [session] = asArray(at(chat, 'sessions')) ?? [];
    const path = asString(at(session, 'file')) ?? '';
    expect(path).toMatch(/^[^/]+:\/.*\.jsonl$/);
    expect((await other.run('cat', path)).text).toContain('About pears');
    expect((await other.run('cat', basename(path, '.jsonl'))).text).toContain('About pears');
  });

  test('what is forgotten is not shown any more', async () => {
    const { run } = await twoSessions();
    await run('archive', 'forget', A, '--yes');
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['About pears disk']);
  });

  test('the command itself, in its own process', async () => {
    const { env, home, run } = await twoSessions();
    const ran = skein(['show', A], { env, home });
    expect([ran.code, ran.text]).toEqual([0, expect.stringContaining('About apples')]);
    expect(ran.err).toMatch(/^from the archive: .* is gone from disk\n$/);
    expect((await run('show', A)).text).toBe(ran.text);
  });
});
