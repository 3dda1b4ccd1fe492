import { readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { Problem } from '../../src/disk/errors.ts';
import { findSessions } from '../../src/disk/find.ts';
import { folderFs } from '../../src/disk/io.ts';
import { findRoots } from '../../src/disk/roots.ts';
import { agentMetaOf, findSidecars, readJsonObject } from '../../src/disk/sidecars.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { lines, plant, systemError } from './helpers.ts';

function sidecars(given: string, base = given) {
  const { roots } = findRoots({ given: [given], env: {}, home: '/' });
  const { files, problems } = findSidecars(roots, findSessions(roots));
  return { files: files.map(({ kind, file, sessionId }) => [relative(base, file), kind, sessionId]), problems };
}

function tree(): string {
  const root = tempFolder();
  plant(root, {
    'history.jsonl': '{}\n',
    'plans/quiet-river.md': '# plan',
    'todos/s1-agent-s1.json': '[]',
    'todos/s2-agent-s2.json': '[]',
    'file-history/s1/0a1b@v1': 'one',
    'file-history/s9/0a1b@v2': 'of a session that is gone',
    'projects/-p/sessions-index.json': '{}',
    'projects/-p/s1.jsonl': lines('a'),
    'projects/-p/s1/tool-results/b1.txt': 'long',
    'projects/-p/s1/custom-title.json': '{"customTitle":"T"}',
    'projects/-p/s1/subagents/agent-a1.jsonl': lines('b'),
    'projects/-p/s1/subagents/agent-a1.meta.json': '{"toolUseId":"t1"}',
    'projects/-p/s1/notes/summary.md': 'x',
    'projects/-p/s9/tool-results/b2.txt': 'of a session that is gone',
    'projects/-p/memory/notes.md': 'not of a session',
    'projects/-q/s2.jsonl': lines('c'),
  });
  return root;
}

test('L4: everything around the sessions of a root, also of sessions that are gone', () => {
  expect(sidecars(tree())).toEqual({
    files: [
      ['file-history/s1/0a1b@v1', 'file-history', 's1'],
      ['file-history/s9/0a1b@v2', 'file-history', 's9'],
      ['history.jsonl', 'history', undefined],
      ['plans/quiet-river.md', 'plan', undefined],
      ['projects/-p/s1/custom-title.json', 'custom-title', 's1'],
      ['projects/-p/s1/notes/summary.md', 'other', 's1'],
      ['projects/-p/s1/subagents/agent-a1.meta.json', 'agent-meta', 's1'],
      ['projects/-p/s1/tool-results/b1.txt', 'tool-result', 's1'],
      ['projects/-p/s9/tool-results/b2.txt', 'tool-result', 's9'],
      ['projects/-p/sessions-index.json', 'sessions-index', undefined],
      ['todos/s1-agent-s1.json', 'todo', 's1'],
      ['todos/s2-agent-s2.json', 'todo', 's2'],
    ],
    problems: [],
  });
});

test('L4: one project or one session gives what is its own', () => {
  const root = tree();
  const paths = (given: string) => sidecars(join(root, given), root).files.map(([path]) => path);
  expect(paths('projects/-q')).toEqual(['todos/s2-agent-s2.json']);
  expect(paths('projects/-p/s1.jsonl')).toEqual([
    'file-history/s1/0a1b@v1',
    'projects/-p/s1/custom-title.json',
    'projects/-p/s1/notes/summary.md',
    'projects/-p/s1/subagents/agent-a1.meta.json',
    'projects/-p/s1/tool-results/b1.txt',
    'todos/s1-agent-s1.json',
  ]);
});

test('L4: every file of the recorded roots that is not a transcript is listed or known not to be ours', () => {
  let listed = 0;
  for (const version of readdirSync(join(FIXTURES, 'recorded'))) {
    for (const scenario of readdirSync(join(FIXTURES, 'recorded', version))) {
      const root = join(FIXTURES, 'recorded', version, scenario);
      const found = new Set(sidecars(root).files.map(([path]) => path));
      const there = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((item) => item.isFile())
        .map((item) => relative(root, join(item.parentPath, item.name)))
        .filter((path) => !/^(sent|stats-cache)\.json$|^hooks\/|^sessions\/|^projects\/.*\.jsonl$/.test(path));
      expect([...found].sort()).toEqual(there.sort());
      listed += there.length;
    }
  }
  expect(listed).toBeGreaterThan(90);
});

test('L4: links out of the tree are not followed, and troubles are told', () => {
  const root = tree();
  symlinkSync('/', join(root, 'projects/-p/s1/everything'));
  symlinkSync('/nowhere', join(root, 'todos/dangling.json'));
  const { roots } = findRoots({ given: [root], env: {}, home: '/' });
  const list = (folder: string) => {
    if (folder.endsWith('plans')) throw systemError('EACCES');
    return folderFs.list(folder);
  };
  const { files, problems } = findSidecars(roots, findSessions(roots), { fs: { ...folderFs, list } });
  expect(files.length).toBe(11);
  expect(problems.map(({ kind, code }) => [kind, code])).toEqual([
    ['dangling-link', 'ENOENT'],
    ['unreadable', 'EACCES'],
  ]);
});

test('L3: meta files that are missing, broken or odd', () => {
  const folder = tempFolder();
  plant(folder, { 'bad.json': '{"a":', 'array.json': '[1]', 'odd.json': '{"toolUseId":7,"agentType":"x","new":true}' });
  const problems: Problem[] = [];
  for (const name of ['bad.json', 'array.json', 'gone.json', '.']) {
    expect(readJsonObject(join(folder, name), (problem) => problems.push(problem))).toBeUndefined();
  }
  expect(problems.map((problem) => problem.kind)).toEqual(['unreadable', 'unreadable', 'missing', 'unreadable']);
  const agent = { file: '', root: '', slug: '', sessionId: '', kind: 'agent', bytes: 0, mtimeMs: 0 } as const;
  expect(agentMetaOf(agent)).toBeUndefined();
  const meta = agentMetaOf({ ...agent, metaFile: join(folder, 'odd.json') });
  expect(meta).toMatchObject({ toolUseId: undefined, agentType: 'x', raw: { new: true } });
});

test('L3, L4: nothing is passed over, and nothing is there twice, in layouts that are seldom seen', () => {
  const root = tempFolder();
  const planted = {
    'plans/deep/river.md': 'in a folder',
    'projects/-p/s1.jsonl': lines('a'),
    'projects/-p/s1/agent-b2.jsonl': lines('not among agents'),
    'projects/-p/s1/tool-results/agent-c3.jsonl': 'an output',
    'projects/-p/s1/subagents/agent-a1.jsonl': lines('b'),
    'projects/-p/subagents/agent-d4.jsonl': lines('d'),
    'projects/-p/subagents/agent-d4.meta.json': '{}',
  };
  plant(root, planted);
  const { roots } = findRoots({ given: [root], env: {}, home: '/' });
  const found = findSessions(roots);
  const all = [...found.files, ...findSidecars(roots, found).files].map(({ file }) => relative(root, file));
  expect(all.sort()).toEqual(Object.keys(planted).sort());
});
