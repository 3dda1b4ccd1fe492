import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Problem } from '../../src/disk/errors.ts';
import { findSessions } from '../../src/disk/find.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { groupByProject, namingCwd, projectOf, projectOfEntries } from '../../src/disk/project.ts';
import { findRoots } from '../../src/disk/roots.ts';
import { readSession } from '../../src/format/session.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { encode } from '../../src/format/text.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { line, plant } from './helpers.ts';

function project(slug: string, ...cwds: (string | undefined)[]) {
  const text = cwds.map((cwd, index) => line(`u${index}`, { cwd })).join('\n');
  return projectOfEntries(readSession(encode(text)).entries, slug);
}

function find(root: string) {
  return findSessions(findRoots({ given: [root], env: {}, home: '/' }).roots).files;
}

test('L2: the path is the cwd that gives the folder its name, wherever the session wandered', () => {
  expect(project('-a-b', '/a/b/sub', '/a/b/sub', '/a/b')).toEqual({ path: '/a/b', from: 'cwd' });
  expect(project('E--a', 'E:\\a\\sub', 'E:\\a')).toEqual({ path: 'E:\\a', from: 'cwd' });
});

test('L2: where none fits, the cwd of most lines; the first on a tie', () => {
  expect(project('-moved', '/x', '/y', '/y', undefined)).toEqual({ path: '/y', from: 'cwd' });
  expect(project('-moved', '/x', '/y')).toEqual({ path: '/x', from: 'cwd' });
});

test('L2: without any cwd the slug stands for itself, marked, and is not decoded', () => {
  expect(project('-home-me-app')).toEqual({ path: '-home-me-app', from: 'slug' });
  expect(project('-home-me-app', undefined, '')).toEqual({ path: '-home-me-app', from: 'slug' });
});

test('L2: two projects with one slug are two projects', () => {
  const root = tempFolder();
  plant(root, {
    'projects/-a-b-c/s1.jsonl': line('u1', { cwd: '/a/b-c' }),
    'projects/-a-b-c/s2.jsonl': line('u2', { cwd: '/a/b/c' }),
    'projects/-a-b-c/s3.jsonl': line('u3', { cwd: '/a/b-c' }),
    'projects/-a-b-c/s4.jsonl': '',
  });
  const groups = groupByProject(find(root));
  expect(groups.map(({ path, from, sessions }) => [path, from, sessions.map((file) => file.sessionId)])).toEqual([
    ['-a-b-c', 'slug', ['s4']],
    ['/a/b-c', 'cwd', ['s1', 's3']],
    ['/a/b/c', 'cwd', ['s2']],
  ]);
});

test('L2: a file that vanished is told and kept under its slug', () => {
  const root = tempFolder();
  plant(root, { 'projects/-p/s1.jsonl': line('u1', { cwd: '/p' }) });
  const problems: Problem[] = [];
  const gone = find(root).map((file) => ({ ...file, file: `${file.file}.gone` }));
  const groups = groupByProject(gone, (problem) => problems.push(problem));
  expect(groups).toMatchObject([{ path: '-p', from: 'slug' }]);
  expect(problems).toMatchObject([{ kind: 'missing' }]);
});

test('L2: reading stops where the project is known', () => {
  const root = tempFolder();
  const first = `${line('u0', { cwd: '/p' })}\n`;
  plant(root, { 'projects/-p/s1.jsonl': first + `${line('u1', { cwd: '/p' })}\n`.repeat(20_000) });
  const before = { ...io };
  expect(find(root).map((file) => projectOf(file))).toEqual([{ path: '/p', from: 'cwd' }]);
  expect(ioSince(before)).toMatchObject({ opens: 1, reads: 1, bytesRead: 64 << 10 });
});

test('L2: no more is read than asked for', () => {
  const root = tempFolder();
  plant(root, { 'projects/-p/s1.jsonl': `${line('u1', { cwd: '/q' })}\n`.repeat(20_000) });
  const before = { ...io };
  expect(find(root).map((file) => projectOf(file, { maxBytes: 5000 }))).toEqual([{ path: '/q', from: 'cwd' }]);
  expect(ioSince(before).bytesRead).toBe(5000);
});

test('L2: the recorded sessions, by the directories they were made in', () => {
  const roots = ['n-slug', 'n3-symlink', 'd-agent'].map((scenario) => join(FIXTURES, 'recorded/2.1.325', scenario));
  // The long one was renamed after it was made.
  const groups = groupByProject(roots.flatMap(find).filter((file) => file.slug.length < 200));
  for (const { path, from, sessions } of groups) {
    expect([path.startsWith('/home/dev/ws/'), from]).toEqual([true, 'cwd']);
    expect(sessions.every((file) => file.slug === projectSlug(path))).toBe(true);
  }
  expect(groups.length).toBe(11);
});

test('L2: the folder of a project is told by the first lines of a session, however they are written', () => {
  const root = tempFolder();
  const [own, slug] = ['/work/größe "a"', '-work-gr--e--a-'];
  const long = JSON.stringify({ type: 'user', cwd: '/work', message: { content: 'x'.repeat(20_000) } });
  const said = JSON.stringify({ type: 'user', message: { content: `{"cwd":"/work/gro-e--a-"}` } });
  const line = JSON.stringify({ type: 'user', cwd: own });
  const escaped = line.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  for (const text of [line, escaped, `${said}\n${line}\n`, `${long}\n${line}\n`, `{"a":\n${line}`]) {
    writeFileSync(join(root, 'a.jsonl'), text);
    expect(namingCwd(join(root, 'a.jsonl'), slug)).toBe(own);
  }
  for (const text of ['', long, said, line.slice(0, -3)]) {
    writeFileSync(join(root, 'a.jsonl'), text);
    expect(namingCwd(join(root, 'a.jsonl'), slug)).toBeUndefined();
  }
});
