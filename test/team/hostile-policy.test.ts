/** What someone may write into a policy, or name a folder, so that more leaves than was meant. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { placesOfProcess } from '../../src/cli/shelf.ts';
import { createDecider } from '../../src/team/policy/decide.ts';
import { mergePolicies } from '../../src/team/policy/merge.ts';
import { policyPlaces, readPolicies } from '../../src/team/policy/read.ts';
import { resolveTarget } from '../../src/team/target.ts';

const HOME = '/home/zoe';
const folders: string[] = [];
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

function placesOf() {
  const made = () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-hostile-'));
    folders.push(folder);
    return folder;
  };
  return policyPlaces({ env: { SKEIN_HOME: made() }, home: HOME }, made());
}

function policyOf(user: unknown, managed?: unknown) {
  const places = placesOf();
  if (user !== undefined) writeFileSync(places.user, JSON.stringify(user));
  if (managed !== undefined) writeFileSync(places.managed, JSON.stringify(managed));
  return mergePolicies(readPolicies(places));
}

function isDenied(pattern: string, cwd: string, home = HOME): boolean {
  return !createDecider(policyOf({ projects: { deny: [pattern] } }), home).session(undefined, [cwd]).allowed;
}

test.each([
  ['~/work/../private', '/home/zoe/private/x'],
  ['/srv//private/', '/srv/private/x'],
  ['/srv/./private/**', '/srv/private'],
  ['./private', '/srv/private/x'],
  ['~/Priv\u00e9', '/home/zoe/Prive\u0301/x'],
  ['~/Prive\u0301', '/home/zoe/Priv\u00e9/x'],
  ['C:\\private\\*', 'C:\\private\\app'],
  ['C:\\private\\**', 'C:\\private'],
  ['C:\\*\\private', 'C:\\zoe\\private\\app'],
  ['C:\\[a]*\\private', 'C:\\abc\\private\\app'],
  ['\\\\host\\share\\*', '\\\\host\\share\\app'],
  ['**\\private\\*', 'C:\\zoe\\private\\app'],
  ['private\\**', 'C:\\zoe\\private\\app'],
  ['/srv/private', '/srv/open/../private/x/'],
])('denied: %s holds back %s', (pattern, cwd) => {
  expect(isDenied(pattern, cwd)).toBe(true);
});

test('a home folder on Windows', () => {
  expect(isDenied('~\\private\\*', 'C:\\Users\\zoe\\private\\app', 'C:\\Users\\zoe')).toBe(true);
  expect(isDenied('~\\private\\*', 'C:\\Users\\zoe\\open\\app', 'C:\\Users\\zoe')).toBe(false);
});

test('a pattern that leads out of all folders is not followed by guessing', () => {
  expect(() => policyOf({ projects: { deny: ['../private'] } })).toThrow(/no path or pattern/);
});

test('what is managed decides how long something is kept, also by its default', () => {
  const managed = { retention: { default: 'short' } };
  const user = { retention: { '/**': 'long', default: 'long' } };
  expect(createDecider(policyOf(user, managed), HOME).retention('/srv/a')).toBe('short');
  const some = { retention: { '/srv/b': 'short' } };
  expect(createDecider(policyOf(user, some), HOME).retention('/srv/b')).toBe('short');
  expect(createDecider(policyOf(user, some), HOME).retention('/srv/a')).toBe('long');
});

test('a policy that is a link to nothing is not the same as none', () => {
  const places = placesOf();
  symlinkSync(join(tmpdir(), 'skein-not-mounted', 'policy.json'), places.managed);
  expect(() => readPolicies(places)).toThrow(/cannot be read/);
});

test.each([
  'http://zoe:pass/word@host:8123/skein',
  'http://zoe:pass@word@host:99999999',
  'zoe:password@host:8123',
  'ftp://zoe:password@host/skein',
  'http://zoe:pass%zzword@host/skein',
])('an address that is wrong is told without its password: %s', (text) => {
  let told = '';
  try {
    resolveTarget({ env: { SKEIN_HOME: join(tmpdir(), 'skein-none') }, home: HOME }, text);
  } catch (error) {
    const { what = '', where = '', next = '' } = error as { what?: string; where?: string; next?: string };
    told = [what, where, next].join(' ').replace('(the password better in SKEIN_TEAM_PASSWORD)', '');
  }
  expect(told).not.toBe('');
  expect(told).not.toMatch(/pass|word/);
});

test('a process that is started to read a team has no password among its arguments', () => {
  const named = new Map([['team', 'https://zoe:s%40cret@host:8443/skein']]);
  const args = {
    positionals: [],
    flag: () => false,
    value: (name: string) => named.get(name),
    values: () => [],
  };
  expect(placesOfProcess(args)).toEqual({
    places: ['--team=https://zoe@host:8443/skein'],
    env: { SKEIN_TEAM_PASSWORD: 's@cret' },
  });
  named.set('team', 'work');
  expect(placesOfProcess(args)).toEqual({ places: ['--team=work'], env: {} });
});
