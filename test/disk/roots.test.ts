import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSessions } from '../../src/disk/find.ts';
import { folderFs } from '../../src/disk/io.ts';
import { findRoots } from '../../src/disk/roots.ts';
import { tempFolder } from '../support/files.ts';
import { lines, plant, systemError } from './helpers.ts';

function look(given: string[], env: Record<string, string> = {}, home = '/nonexistent') {
  return findRoots({ given, env, home });
}

function tree(): string {
  const config = join(tempFolder(), 'config');
  plant(config, {
    'history.jsonl': '{}\n',
    'projects/-p/one.jsonl': lines('a'),
    'projects/-p/one/subagents/agent-a1.jsonl': lines('b'),
    'projects/-q/two.jsonl': lines('c'),
  });
  return config;
}

test('L1: the places given come first, then $CLAUDE_CONFIG_DIR, then ~/.claude', () => {
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: join(home, 'env') };
  plant(home, { '.claude/projects/-p/a.jsonl': '', 'env/projects/-p/a.jsonl': '', 'given/projects/-p/a.jsonl': '' });
  const paths = (given: string[], vars: Record<string, string>) => look(given, vars, home).roots.map((r) => r.path);
  expect(paths([join(home, 'given')], env)).toEqual([join(home, 'given')]);
  expect(paths([], env)).toEqual([join(home, 'env')]);
  expect(paths([], {})).toEqual([join(home, '.claude')]);
  expect(paths([], { CLAUDE_CONFIG_DIR: '' })).toEqual([join(home, '.claude')]);
  expect(paths([], { CLAUDE_CONFIG_DIR: '~/env' })).toEqual([join(home, 'env')]);
});

test('L1: any level of the tree may be given, and is named for what it is', () => {
  const config = tree();
  const kinds = (path: string) => look([join(config, path)]).roots.map(({ kind, config }) => ({ kind, config }));
  expect(kinds('')).toEqual([{ kind: 'config', config }]);
  expect(kinds('projects')).toEqual([{ kind: 'projects', config }]);
  expect(kinds('projects/-p')).toEqual([{ kind: 'project', config }]);
  expect(kinds('projects/-p/one.jsonl')).toEqual([{ kind: 'session', config }]);
  expect(kinds('projects/-p/one')).toEqual([{ kind: 'session', config }]);
});

test('L1: a home folder leads to its config root', () => {
  const home = tempFolder();
  plant(home, { '.claude/projects/-p/a.jsonl': lines('a') });
  expect(look([home]).roots).toMatchObject([{ kind: 'config', path: join(home, '.claude') }]);
});

test('L1: folders out of their tree are known by what they hold', () => {
  const folder = tempFolder();
  plant(folder, { 'backup/-p/a.jsonl': '', 'loose/a.jsonl': '', 'agents/subagents/agent-a1.jsonl': '' });
  const { roots, problems } = look(['backup', 'loose', 'agents'].map((name) => join(folder, name)));
  expect(roots.map((root) => root.kind)).toEqual(['projects', 'project', 'project']);
  expect(roots.every((root) => root.config === undefined)).toBe(true);
  expect(problems).toEqual([]);
});

test('L1: a project of which only sub-agents are left is one', () => {
  const config = join(tempFolder(), 'config');
  plant(config, { 'projects/-p/one/subagents/agent-a1.jsonl': lines('a') });
  const { roots } = look([join(config, 'projects', '-p')]);
  expect(roots).toMatchObject([{ kind: 'project', config }]);
  expect(findSessions(roots).files).toMatchObject([{ slug: '-p', parentSessionId: 'one', agentId: 'a1' }]);
});

test('L1: a projects folder that is empty, a folder with nothing, a place that is not there', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'projects'));
  mkdirSync(join(folder, 'nothing'));
  plant(folder, { 'history/history.jsonl': '{}\n' });
  const names = ['projects', 'nothing', 'history', 'gone'];
  const { roots, problems } = look(names.map((name) => join(folder, name)));
  expect(roots.map((root) => root.kind)).toEqual(['projects', 'config', 'config']);
  expect(problems.map(({ kind, where }) => [kind, where])).toEqual([
    ['empty', join(folder, 'nothing')],
    ['empty', join(folder, 'history')],
    ['missing', join(folder, 'gone')],
  ]);
});

test('L1: what cannot be listed is a problem with its cause, not an exception', () => {
  const config = tree();
  symlinkSync('self', join(config, 'self'));
  const list = (folder: string) => {
    if (folder === config) throw systemError('EACCES');
    return folderFs.list(folder);
  };
  const { roots, problems } = findRoots({
    given: [config, join(config, 'self'), join(config, 'history.jsonl/below')],
    env: {},
    home: '/',
    fs: { ...folderFs, list },
  });
  expect(roots).toEqual([]);
  expect(problems.map(({ kind, code }) => [kind, code])).toEqual([
    ['unreadable', 'EACCES'],
    ['link-loop', 'ELOOP'],
    ['unreadable', 'ENOTDIR'],
  ]);
  for (const { what, where, next } of problems) expect([what, where, next].every((text) => text !== '')).toBe(true);
});

test('L1: the same sessions come out, whichever level is given', () => {
  const config = tree();
  const files = (...given: string[]) =>
    findSessions(look(given.map((path) => join(config, path))).roots).files.map((file) => file.file);
  expect(files('projects')).toEqual(files(''));
  expect(files('projects/-p', 'projects/-q')).toEqual(files(''));
  expect(files('projects/-p/one.jsonl', 'projects/-q/two.jsonl').sort()).toEqual(files(''));
});
