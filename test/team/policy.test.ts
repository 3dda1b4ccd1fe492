import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { machineOf, personOf, projectPseudonym } from '../../src/team/identity.ts';
import { createDecider } from '../../src/team/policy/decide.ts';
import { mergePolicies } from '../../src/team/policy/merge.ts';
import { policyPlaces, readPolicies } from '../../src/team/policy/read.ts';
import { expectValid } from '../support/schema.ts';
import { skein } from '../support/skein.ts';
import { turns, writeSession } from '../support/teamsession.ts';

const HOME = '/home/zoe';
const folders: string[] = [];
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'skein-policy-'));
  folders.push(made);
  return made;
}

/** Both as files; what is undefined is not there. */
function policyOf(user: unknown, managed?: unknown) {
  const [home, etc] = [folder(), folder()];
  const places = policyPlaces({ env: { SKEIN_HOME: home }, home: HOME }, etc);
  const write = (path: string, value: unknown) =>
    value === undefined ? undefined : writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  write(places.user, user);
  write(places.managed, managed);
  return mergePolicies(readPolicies(places));
}

function decides(user: unknown, managed: unknown, ...cwds: string[]) {
  return createDecider(policyOf(user, managed), HOME).session(undefined, cwds);
}

describe('which projects', () => {
  test('without rules all; a folder stands for all that is in it', () => {
    expect(decides(undefined, undefined, '/srv/a').allowed).toBe(true);
    expect(decides(undefined, undefined).allowed).toBe(true);
    const user = { projects: { allow: ['~/work/**', '/srv/team'], deny: ['**/private/**'] } };
    for (const cwd of ['/home/zoe/work', '/home/zoe/work/a/b', '/srv/team/x'])
      expect(decides(user, undefined, cwd).allowed).toBe(true);
    for (const cwd of [
      '/home/zoe',
      '/home/zoe/worker',
      '/srv',
      '/',
      '/home/zoe/work/private',
      '/srv/team/private/x',
      '/srv/team/Private/x',
    ])
      expect(decides(user, undefined, cwd).allowed, cwd).toBe(false);
  });

  test('one folder that is denied, or not allowed, holds the whole session back', () => {
    const user = { projects: { deny: ['/srv/secret'] } };
    const decision = decides(user, undefined, '/srv/open', '/srv/secret/x');
    expect(decision).toMatchObject({ allowed: false, rule: 'denied' });
    expect(decision.why).toContain('"/srv/secret" in ');
    const only = { projects: { allow: ['/srv/open'] } };
    expect(decides(only, undefined, '/srv/open', '/tmp')).toMatchObject({ allowed: false, rule: 'not-allowed' });
    expect(decides(only, undefined)).toMatchObject({ allowed: false, rule: 'unknown-project' });
  });

  test('a link to a denied folder is denied', () => {
    const base = folder();
    mkdirSync(join(base, 'secret'));
    symlinkSync(join(base, 'secret'), join(base, 'open'));
    expect(decides({ projects: { deny: [join(base, 'secret')] } }, undefined, join(base, 'open')).allowed).toBe(false);
  });

  test('Windows paths', () => {
    const user = { projects: { allow: ['C:\\Work'], deny: ['C:\\Work\\Secret\\**'] } };
    expect(decides(user, undefined, 'C:\\Work\\app').allowed).toBe(true);
    expect(decides(user, undefined, 'C:\\work\\secret\\x').allowed).toBe(false);
    expect(decides(user, undefined, 'D:\\Work\\app').allowed).toBe(false);
  });
});

describe('a user may be stricter than what is managed, never looser', () => {
  test.each([
    [undefined, undefined, 'masked'],
    ['full', undefined, 'full'],
    ['full', 'masked', 'masked'],
    ['none', 'full', 'none'],
    [undefined, 'full', 'full'],
    ['full', 'none', 'none'],
  ])('content: user %s, managed %s gives %s', (user, managed, content) => {
    expect(policyOf({ content: user }, { content: managed }).content).toBe(content);
  });

  test('denied adds up, allowed is what both allow', () => {
    const user = { projects: { allow: ['/srv/**'], deny: ['/srv/u'] } };
    const managed = { projects: { allow: ['/srv/a', '/srv/u', '/opt'], deny: ['/srv/a/m'] } };
    const allowed = ['/srv/a/x', '/srv/a/m/x', '/srv/u', '/opt/x', '/srv/b'].filter(
      (cwd) => decides(user, managed, cwd).allowed,
    );
    expect(allowed).toEqual(['/srv/a/x']);
  });

  test('a pseudonym wins over a name, the managed name over the own', () => {
    const who = (user: unknown, managed: unknown) =>
      policyOf({ who: { person: user } }, { who: { person: managed } }).person;
    expect([
      who(undefined, undefined),
      who('Zoe', undefined),
      who('Zoe', 'Z'),
      who('pseudonym', 'Z'),
      who('Zoe', 'pseudonym'),
    ]).toEqual([undefined, 'Zoe', 'Z', undefined, undefined]);
  });

  test('retention: the first pattern that fits, what is managed first', () => {
    const user = { retention: { default: 'long', '/srv/**': 'standard' } };
    const managed = { retention: { '/srv/secret': 'short' } };
    const { retention } = createDecider(policyOf(user, managed), HOME);
    expect([retention('/srv/secret/x'), retention('/srv/x'), retention('/opt'), retention(undefined)]).toEqual([
      'short',
      'standard',
      'long',
      'long',
    ]);
  });
});

describe('a policy that cannot be followed stops everything', () => {
  test.each([
    ['{', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    [{ contents: 'full' }, '"contents" is not known'],
    [{ content: 'everything' }, 'one of none, masked, full'],
    [{ projects: { allowed: [] } }, '"projects.allowed" is not known'],
    [{ projects: { deny: 'x' } }, 'not a list'],
    [{ projects: { deny: ['!x'] } }, 'no path or pattern'],
    [{ projects: { allow: [''] } }, 'no path or pattern'],
    [{ retention: { default: 30 } }, 'no name of a class'],
    [{ who: { person: 7 } }, 'neither "pseudonym" nor a name'],
  ])('%j', (policy, why) => {
    expect(() => policyOf(policy)).toThrow(why);
    expect(() => policyOf(undefined, policy)).toThrow(why);
  });

  test('the verb says where and what, and sends nothing', () => {
    const home = folder();
    writeFileSync(join(home, 'team-policy.json'), '{"content": "masked",}');
    const ran = skein(['team', 'push', '--team', 'http://127.0.0.1:9', '--yes'], { env: { SKEIN_HOME: home } });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('not a JSON object');
    expect(ran.err).toContain(join(home, 'team-policy.json'));
  });
});

test('the schema for editors knows what the reader knows', () => {
  const policy = {
    content: 'masked',
    projects: { allow: ['~/work/**'], deny: ['**/private/**'], names: 'path' },
    retention: { default: 'standard', '~/work/secret/**': 'short' },
    who: { person: 'pseudonym', machine: 'laptop' },
  };
  expectValid('team-policy', policy);
  expect(policyOf(policy)).toMatchObject({ content: 'masked', names: 'path', machine: 'laptop' });
});

test('pseudonyms are the same everywhere and tell no name', () => {
  expect(personOf('zoe')).toMatch(/^p-[0-9a-f]{12}$/);
  expect(personOf('zoe')).toBe(personOf('zoe'));
  expect(personOf('zoe')).not.toBe(personOf('Zoe'));
  expect(machineOf('id')).toMatch(/^m-[0-9a-f]{12}$/);
  expect(projectPseudonym('~/work')).toMatch(/^project-[0-9a-f]{12}$/);
});

test('skein team policy explains: all of it, and one session with a line of it', () => {
  const [home, root] = [folder(), folder()];
  const [open, secret] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  writeSession(root, { id: open, cwd: '/srv/open', lines: turns(open, '/srv/open', 1) });
  writeSession(root, { id: secret, cwd: '/srv/secret', lines: turns(secret, '/srv/secret', 1) });
  writeFileSync(
    join(home, 'team-policy.json'),
    JSON.stringify({ content: 'none', projects: { deny: ['/srv/secret'] } }),
  );
  const env = { SKEIN_HOME: home, CLAUDE_CONFIG_DIR: root };
  skein(['archive', 'sync'], { env });
  const told = skein(['team', 'policy'], { env });
  expect(told).toMatchObject({ code: 0 });
  expect(told.text).toContain('1 archived session may leave');
  expect(told.text).toContain('/srv/secret is denied by "/srv/secret"');
  const one = skein(['team', 'policy', open, '--json'], { env }).json();
  expectValid('team-push', one);
  expect(one).toMatchObject({
    content: 'none',
    chosen: [{ session: open, allowed: true }],
    sample: { after: expect.stringContaining('[not sent]') },
  });
  const held = skein(['team', 'policy', secret], { env });
  expect(held.code).toBe(1);
  expect(held.text).toContain('stays here');
});
