/** `skein move` and `skein merge` on real files. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { context } from '../../src/graph/context/context.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { assistant, transcript, user } from '../support/transcript.ts';

const A = '11111111-2222-4333-8444-555555555555';
const B = '22222222-2222-4333-8444-555555555555';

function session(cwd: string, words: string, more: readonly string[] = []): string {
  const lines = [user(1, null, words, { cwd }), assistant(2, 1, 'm1', 'A1', { cwd: `${cwd}/src` })];
  const added = more.map((text, n) => user(10 + n, n === 0 ? 2 : 9 + n, text, { cwd }));
  return transcript([...lines, ...added]);
}

/** A config root with sessions by project folder, and an empty folder to move to. */
function withSessions(sessions: Record<string, Record<string, string>>) {
  const root = tempFolder();
  for (const [cwd, files] of Object.entries(sessions)) {
    const folder = join(root, 'projects', projectSlug(cwd));
    mkdirSync(folder, { recursive: true });
    for (const [id, text] of Object.entries(files)) writeFileSync(join(folder, `${id}.jsonl`), text);
  }
  const to = realpathSync(tempFolder());
  return {
    ...machine(root),
    to,
    fileAt: (cwd: string, id: string) => join(root, 'projects', projectSlug(cwd), `${id}.jsonl`),
  };
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();
const cwdsIn = (file: string) => readSession(readFileSync(file), file).entries.map(({ head }) => head.cwd);
const sentBy = (file: string) => context(readSession(readFileSync(file), file).entries, { prompt: 'x' }).messages;

describe('L2: skein move', () => {
  test('all sessions of a project, by name; the originals stay', async () => {
    const { run, to, fileAt } = withSessions({
      '/work/app': { [A]: session('/work/app', 'one'), [B]: session('/work/app', 'two') },
    });
    const { code, text, err } = await run('move', 'project:app', '--to', to);
    expect(code).toBe(0);
    expect(text).toContain('2 of 2 sessions are found in');
    expect(err).toContain('--delete-source');
    expect(cwdsIn(fileAt(to, A))).toEqual([to, `${to}/src`]);
    expect(cwdsIn(fileAt('/work/app', A))).toEqual(['/work/app', '/work/app/src']);
    expect(sentBy(fileAt(to, A))).toEqual(sentBy(fileAt('/work/app', A)));
  });

  test('by the path of a folder that is gone; nothing is left behind, and one undo brings all back', async () => {
    const { run, to, root, fileAt } = withSessions({
      '/work/app': { [A]: session('/work/app', 'one'), [B]: session('/work/app', 'two') },
    });
    const before = filesBelow(root);
    const bytes = readFileSync(fileAt('/work/app', A));
    expect((await run('move', '/work/app', '--to', to, '--delete-source')).code).toBe(0);
    expect(existsSync(join(root, 'projects', '-work-app'))).toBe(false);
    expect(readdirSync(join(root, 'projects', projectSlug(to)))).toHaveLength(2);
    expect((await run('undo')).code).toBe(0);
    expect(filesBelow(root)).toEqual(before);
    expect(readFileSync(fileAt('/work/app', A))).toEqual(bytes);
    expect(existsSync(join(root, 'projects', projectSlug(to)))).toBe(false);
  });

  test('one session into a folder that is reached by a link: the real path counts', async () => {
    const { run, to, home, fileAt } = withSessions({
      '/work/app': { [A]: session('/work/app', 'one'), [B]: session('/work/app', 'two') },
    });
    symlinkSync(to, join(home, 'link'));
    const { json } = await run('move', A, '--to', join(home, 'link'), '--json');
    expect(json()).toMatchObject({
      sessionId: A,
      file: fileAt(to, A),
      before: { file: fileAt('/work/app', A), cwd: '/work/app' },
      after: { file: fileAt(to, A), cwd: to },
      to,
      sessions: [{ outcome: 'copied', resume: `cd ${to} && claude --resume ${A}` }],
    });
    expect(existsSync(fileAt(to, B))).toBe(false);
  });

  test('S8: sub-agents, their records and large outputs', async () => {
    for (const [version, scenario] of [
      ['2.1.325', 'd-agent'],
      ['2.1.325', 'c-edits'],
      ['2.0.76', 'd-agent'],
    ] as const) {
      const root = tempFolder();
      cpSync(join(FIXTURES, 'recorded', version, scenario), root, { recursive: true });
      const { run } = machine(root);
      const [slug = ''] = readdirSync(join(root, 'projects'));
      const before = filesBelow(join(root, 'projects', slug));
      const to = realpathSync(tempFolder());
      await run('move', `project:${slug}`, '--to', to, '--delete-source');
      const after = filesBelow(join(root, 'projects', projectSlug(to)));
      const left = existsSync(join(root, 'projects', slug)) ? filesBelow(join(root, 'projects', slug)) : [];
      expect([...after, ...left].sort()).toEqual(before);
      expect(
        left.every((file) => /agent-/.test(file) || readFileSync(join(root, 'projects', slug, file)).length === 0),
      ).toBe(true);
      for (const file of after.filter((name) => name.endsWith('.jsonl'))) {
        const cwds = new Set(cwdsIn(join(root, 'projects', projectSlug(to), file)).filter(Boolean));
        expect([...cwds].every((cwd) => cwd?.startsWith(to) || !cwd?.includes(scenario))).toBe(true);
      }
      expect((await run('check', '--json')).code).toBe(0);
    }
  });

  test('to another config folder, with the checkpoints', async () => {
    const { run, to, root, fileAt } = withSessions({ '/work/app': { [A]: session('/work/app', 'one') } });
    mkdirSync(join(root, 'file-history', A), { recursive: true });
    writeFileSync(join(root, 'file-history', A, 'abc@v1'), 'old text');
    const other = join(tempFolder(), '.claude');
    await run('move', A, '--to', to, '--into', other);
    expect(filesBelow(other)).toEqual([`file-history/${A}/abc@v1`, `projects/${projectSlug(to)}/${A}.jsonl`]);
    expect(existsSync(fileAt('/work/app', A))).toBe(true);
  });

  test('L5: what is there already: the same, behind, ahead, or apart', async () => {
    const long = (cwd: string) => session(cwd, 'one', ['more']);
    const { run, to, fileAt } = withSessions({ '/work/app': { [A]: long('/work/app') } });
    const outcome = async (...flags: string[]) => {
      const { json, code } = await run('move', fileAt('/work/app', A), '--to', to, '--json', ...flags);
      return [asObject(asArray(asObject(json())?.sessions)?.[0])?.outcome, code];
    };
    mkdirSync(join(fileAt(to, A), '..'), { recursive: true });
    writeFileSync(fileAt(to, A), session(to, 'one'));
    expect(await outcome()).toEqual(['copied', 0]);
    expect(readFileSync(fileAt(to, A), 'utf8')).toBe(long(to));
    expect(await outcome()).toEqual(['there', 0]);
    appendFileSync(fileAt(to, A), transcript([user(20, 10, 'went on')]));
    expect(await outcome()).toEqual(['there', 0]);
    expect(readFileSync(fileAt(to, A), 'utf8')).toContain('went on');
    appendFileSync(fileAt('/work/app', A), transcript([user(30, 10, 'went elsewhere')]));
    expect(await outcome('--delete-source')).toEqual(['apart', 1]);
    expect(readFileSync(fileAt('/work/app', A), 'utf8')).toContain('went elsewhere');
    await expect(run('undo')).rejects.toThrow('written to');
    expect((await run('undo', '--force')).text).toContain('move');
    expect(readFileSync(fileAt(to, A), 'utf8')).toBe(session(to, 'one'));
  });

  test('S8: what goes with a session that is there already is brought too, and nothing of it is lost', async () => {
    const { run, to, fileAt } = withSessions({
      '/work/app': { [A]: session('/work/app', 'one') },
    });
    const beside = (cwd: string, name: string) => join(fileAt(cwd, A).replace(/\.jsonl$/, ''), name);
    const put = (cwd: string, name: string, text: string) => {
      mkdirSync(join(beside(cwd, name), '..'), { recursive: true });
      writeFileSync(beside(cwd, name), text);
    };
    await run('move', A, '--to', to);
    put('/work/app', 'tool-results/new.txt', 'only ours');
    put('/work/app', 'custom-title.json', '{"customTitle":"ours"}');
    put(to, 'custom-title.json', '{"customTitle":"theirs"}');
    put('/work/app', 'subagents/agent-a1.jsonl', session('/work/app', 'agent', ['went on']));
    put(to, 'subagents/agent-a1.jsonl', session(to, 'agent'));
    const ran = await run('move', fileAt('/work/app', A), '--to', to, '--delete-source');
    expect(readFileSync(beside(to, 'tool-results/new.txt'), 'utf8')).toBe('only ours');
    expect(readFileSync(beside(to, 'subagents/agent-a1.jsonl'), 'utf8')).toBe(session(to, 'agent', ['went on']));
    expect(readFileSync(beside(to, 'custom-title.json'), 'utf8')).toContain('theirs');
    expect(readFileSync(beside('/work/app', 'custom-title.json'), 'utf8')).toContain('ours');
    expect(ran.err).toContain('custom-title.json  stays: another of this name is there');
    expect(existsSync(fileAt('/work/app', A))).toBe(false);
    expect(existsSync(beside('/work/app', 'subagents/agent-a1.jsonl'))).toBe(false);
  });

  test('L2: a folder of Windows, for another machine', async () => {
    const { run, root } = withSessions({ '/work/app': { [A]: session('/work/app', 'one') } });
    const other = join(tempFolder(), '.claude');
    await run('move', A, '--to', 'C:\\Users\\ada\\app', '--into', other);
    const file = join(other, 'projects', 'C--Users-ada-app', `${A}.jsonl`);
    expect(cwdsIn(file)).toEqual(['C:\\Users\\ada\\app', 'C:\\Users\\ada\\app\\src']);
    expect(filesBelow(root)).toHaveLength(1);
  });

  test('--dry-run writes nothing', async () => {
    const { run, to, root } = withSessions({ '/work/app': { [A]: session('/work/app', 'one') } });
    expect((await run('move', A, '--to', to, '--dry-run', '--delete-source')).text).toContain('would be found');
    expect(filesBelow(root)).toEqual([`projects/-work-app/${A}.jsonl`]);
  });

  test('wrong use', async () => {
    const { run, to } = withSessions({ '/work/app': { [A]: session('/work/app', 'one') } });
    await expect(run('move', A)).rejects.toMatchObject({ exitCode: 2 });
    await expect(run('move')).rejects.toMatchObject({ exitCode: 2 });
    await expect(run('move', 'project:nope', '--to', to)).rejects.toThrow('Nothing fits');
    writeFileSync(join(to, 'file'), '');
    await expect(run('move', A, '--to', join(to, 'file'))).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('skein merge', () => {
  const sessions = {
    '/old/app': { [A]: session('/old/app', 'one') },
    '/new/app': { [B]: session('/new/app', 'two') },
  };

  test('the sessions of the first are found with those of the second', async () => {
    const { run, fileAt, root } = withSessions(sessions);
    const { code, json } = await run('merge', '/old/app', '/new/app', '--delete-source', '--json');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ to: '/new/app', sessions: [{ sessionId: A, outcome: 'moved' }] });
    expect(readdirSync(join(root, 'projects'))).toEqual(['-new-app']);
    expect(cwdsIn(fileAt('/new/app', A))[0]).toBe('/new/app');
    expect((await run('list', '--json')).text).toContain('/new/app');
  });

  test('a session that went on in both stays in both', async () => {
    const { run, fileAt } = withSessions({
      '/old/app': { [A]: session('/old/app', 'one', ['here']) },
      '/new/app': { [A]: session('/new/app', 'one', ['there']) },
    });
    expect((await run('merge', '/old/app', '/new/app', '--delete-source')).code).toBe(1);
    expect(existsSync(fileAt('/old/app', A))).toBe(true);
    expect(readFileSync(fileAt('/new/app', A), 'utf8')).toContain('there');
  });

  test('wrong use', async () => {
    const { run } = withSessions(sessions);
    await expect(run('merge', '/old/app')).rejects.toMatchObject({ exitCode: 2 });
    await expect(run('merge', '/old/app', '/old/app')).rejects.toMatchObject({ exitCode: 2 });
    await expect(run('merge', '/nope', '/old/app')).rejects.toThrow('Nothing fits');
    await expect(run('merge', 'project:app', '/nope')).rejects.toThrow('Nothing fits');
  });
});
