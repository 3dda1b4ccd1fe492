/** What patterns of a policy fit: through links, with brackets and spaces in names, in other people's homes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TeamError } from '../../src/team/errors.ts';
import { createDecider } from '../../src/team/policy/decide.ts';
import { mergePolicies } from '../../src/team/policy/merge.ts';
import { faultOf, toFits } from '../../src/team/policy/pattern.ts';
import { policyPlaces, readPolicies } from '../../src/team/policy/read.ts';
import { type Surroundings, thisMachine } from '../../src/team/policy/surroundings.ts';

const HOME = '/home/zoe';
/** No links, and no home but the one of the variable. */
const bare: Surroundings = { realPath: (path) => path, homes: () => [] };
let base = '';
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'skein-patterns-')));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function policyOf(projects: { allow?: string[]; deny?: string[] }, retention = {}) {
  const places = policyPlaces({ env: { SKEIN_HOME: mkdtempSync(join(base, 'home-')) }, home: HOME }, join(base, 'etc'));
  writeFileSync(places.user, JSON.stringify({ projects, retention }));
  return mergePolicies(readPolicies(places));
}

function isDenied(pattern: string, cwd: string, around = bare): boolean {
  return createDecider(policyOf({ deny: [pattern] }), HOME, around).session(undefined, [cwd]).rule === 'denied';
}

function isAllowed(allow: string[], cwd: string, around = bare): boolean {
  return createDecider(policyOf({ allow }), HOME, around).session(undefined, [cwd]).allowed;
}

/** `links`: from where to where. */
function linked(links: Record<string, string>, homes: string[] = []): Surroundings {
  const realPath = (path: string) => {
    const from = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`));
    return from === undefined ? path : links[from] + path.slice(from.length);
  };
  return { realPath, homes: () => homes };
}

describe('links', () => {
  test('a pattern that is a link, or passes through one, denies where it leads', () => {
    const around = linked({ '/home/zoe/secret': '/disk/[x] secret', '/data': '/mnt/data' });
    for (const pattern of ['~/secret', '/home/zoe/secret/', '/home/zoe/secret/**']) {
      expect(isDenied(pattern, '/disk/[x] secret', around), pattern).toBe(true);
      expect(isDenied(pattern, '/disk/[x] secret/app', around), pattern).toBe(true);
      expect(isDenied(pattern, '/home/zoe/secret/app', around), pattern).toBe(true);
      expect(isDenied(pattern, '/disk/other', around), pattern).toBe(false);
      expect(isDenied(pattern, '/disk/x secret', around), pattern).toBe(false);
    }
    expect(isDenied('/data/*/secret', '/mnt/data/a/secret/b', around)).toBe(true);
    expect(isDenied('/data/s*', '/mnt/data/secret', around)).toBe(true);
    expect(isDenied('/data/s*', '/mnt/data/open', around)).toBe(false);
    expect(isDenied('/data/[id]', '/mnt/data/[id]/app', around)).toBe(true);
  });

  test('on a disk: also of folders that are gone', () => {
    const at = (...names: string[]) => join(base, 'links', ...names);
    mkdirSync(at('disk', 'secret'), { recursive: true });
    mkdirSync(at('home'));
    symlinkSync(at('disk', 'secret'), at('home', 'secret'));
    symlinkSync('../unmounted/private', at('home', 'private'));
    symlinkSync('loop', at('home', 'loop'));
    const real = (path: string) => thisMachine.realPath(path);
    expect(isDenied(at('home', 'secret'), at('disk', 'secret', 'app'), thisMachine)).toBe(true);
    expect(isDenied(at('home', 'secret', 'gone', '**'), at('disk', 'secret', 'gone'), thisMachine)).toBe(true);
    expect(isDenied(`${at('home', 'x')}/../secret`, at('disk', 'secret'), thisMachine)).toBe(true);
    expect(isDenied(at('disk', 'secret', 'gone'), at('home', 'secret', 'gone'), thisMachine)).toBe(true);
    expect(isDenied(at('home', 'private'), at('unmounted', 'private', 'app'), thisMachine)).toBe(true);
    expect(real(at('home', 'loop', 'x'))).toBe(at('home', 'loop', 'x'));
    expect(['C:\\a', 'a/b', ''].map(real)).toEqual(['C:\\a', 'a/b', '']);
    const deep = '/x'.repeat(60_000);
    expect(real(at('home', 'secret') + deep)).toBe(at('disk', 'secret') + deep);
  });

  test('a link in an allowed folder that leads out of it stays', () => {
    const around = linked({ '/home/zoe/work/out': '/srv/other', '/home/zoe/work/in': '/home/zoe/work/app' });
    expect(isAllowed(['~/work'], '/home/zoe/work/app', around)).toBe(true);
    expect(isAllowed(['~/work'], '/home/zoe/work/in/x', around)).toBe(true);
    expect(isAllowed(['~/work'], '/home/zoe/work/out/x', around)).toBe(false);
    expect(isAllowed(['~/work', '/srv/**'], '/home/zoe/work/out/x', around)).toBe(true);
    const { why } = createDecider(policyOf({ allow: ['~/work'] }), HOME, around).session(undefined, [
      '/home/zoe/work/out',
    ]);
    expect(why).toContain('/home/zoe/work/out leads to /srv/other, which is not among the allowed of ');
  });

  test('an allowed folder that is a link allows what is written, not where it leads', () => {
    const around = linked({ '/home/zoe/work': '/data/work' });
    expect(isAllowed(['~/work/**'], '/home/zoe/work/app', around)).toBe(true);
    expect(isAllowed(['~/work/**'], '/data/work/app', around)).toBe(false);
    // What stands behind a sign is where it was.
    expect(isAllowed(['/home/zoe/work/*/src'], '/home/zoe/work/a/src', around)).toBe(true);
  });
});

describe('brackets', () => {
  test.each([
    '/srv/a[b',
    'x[',
    '[a-',
    '/srv/[a/b]',
    '[]',
    '[!]',
    '/srv/[[:no:]]',
    'C:\\a[b',
    '/srv/[a]/b[/**',
    '[a\\]',
  ])('%s is refused, with what to write', (pattern) => {
    for (const wrong of [
      () => policyOf({ deny: [pattern] }),
      () => policyOf({ allow: [pattern] }),
      () => policyOf({}, { [pattern]: 'short' }),
    ]) {
      expect(wrong).toThrow(TeamError);
      expect(wrong).toThrow(
        expect.objectContaining({
          what: expect.stringContaining(`${JSON.stringify(pattern)}, in which a "[" begins no set of signs`),
          where: expect.stringContaining('team-policy.json'),
          next: expect.stringContaining('write "[[]" for the sign itself'),
        }),
      );
    }
  });

  test('those that end are read, and the sign itself can be written', () => {
    expect(isDenied('/srv/[ab]c', '/srv/bc/x')).toBe(true);
    expect(isDenied('/srv/[]]', '/srv/]')).toBe(true);
    expect(isDenied('/srv/[![:digit:]]', '/srv/a')).toBe(true);
    expect(isDenied('/srv/a]b', '/srv/a]b')).toBe(true);
    for (const pattern of ['/srv/a[[]b', '/srv/a\\[b']) {
      expect(isDenied(pattern, '/srv/a[b/x'), pattern).toBe(true);
      expect(isAllowed([pattern], '/srv/a[b/x'), pattern).toBe(true);
    }
  });

  test('a folder that is called so is denied too, and not allowed', () => {
    for (const name of ['[id]', '[!x]', '[...slug]', '[[lang]]', 'a[0]b']) {
      for (const pattern of [`/srv/${name}`, `/srv/${name}/`, `/srv/${name}/**`, name, `**/${name}/**`]) {
        expect(isDenied(pattern, `/srv/${name}`), pattern).toBe(true);
        expect(isDenied(pattern, `/srv/${name}/app`), pattern).toBe(true);
      }
    }
    expect(isDenied('C:\\srv\\[id]', 'C:\\srv\\[id]\\app')).toBe(true);
    expect(isDenied('/srv/[id]', '/srv/i')).toBe(true);
    expect(isAllowed(['/srv/[id]'], '/srv/i')).toBe(true);
    expect(isAllowed(['/srv/[id]'], '/srv/[id]')).toBe(false);
  });
});

describe('spaces', () => {
  test.each(['/srv/a ', '/srv/a /', '/srv/a /**', '/srv/a /b', '**/a /**', 'C:\\a \\b', 'C:\\a\\ ', '/srv/a\t/b'])(
    '%j is refused, with what to write',
    (pattern) => {
      expect(() => policyOf({ deny: [pattern] })).toThrow(
        expect.objectContaining({
          what: expect.stringContaining('in which the name of a folder ends in a space'),
          next: expect.stringContaining('write "[ ]"'),
        }),
      );
    },
  );

  test('one that is meant can be written', () => {
    for (const pattern of ['/srv/a\\ ', '/srv/a\\ /**', '/srv/a[ ]', '/srv/a[ ]/**']) {
      expect(isDenied(pattern, '/srv/a /x'), pattern).toBe(true);
      expect(isAllowed([pattern], '/srv/a /x'), pattern).toBe(true);
      expect(isAllowed([pattern], '/srv/a'), pattern).toBe(false);
    }
    expect(isDenied('/srv/a b', '/srv/a b/x')).toBe(true);
    expect(createDecider(policyOf({ allow: ['~'] }), '/home/zoe ', bare).isDenied('/home/zoe /x')).toBe(false);
    expect(createDecider(policyOf({ allow: ['~'] }), '/home/zoe ', bare).isDenied('/home/zoe')).toBe(true);
  });
});

test('what denies all denies the root', () => {
  for (const pattern of ['*', '/*', '**', '**/*', '/', '/**', '/*/', '*/**', '/**/*']) {
    expect(isDenied(pattern, '/'), pattern).toBe(true);
    expect(isDenied(pattern, '/srv'), pattern).toBe(true);
  }
  for (const pattern of ['/*/*', 's*', '/srv/*', '?']) expect(isDenied(pattern, '/'), pattern).toBe(false);
  expect(isAllowed(['*'], '/')).toBe(false);
});

test('a folder deeper than any stays', () => {
  const deep = `/srv${'/x'.repeat(60_000)}`;
  expect(isDenied('/opt', deep)).toBe(true);
  expect(isAllowed(['/srv'], deep)).toBe(false);
});

describe('~', () => {
  const homes = ['/home/anna', '/Users/anna', 'C:\\Users\\anna', 'c:\\users\\Anna', 'D:\\Users\\anna', '/root'];

  test.each([...homes, '/var/home/anna', '/mnt/c/Users/anna'])('what is denied is denied in %s too', (home) => {
    for (const pattern of ['~/private', '~/private/**', '~\\private']) {
      expect(isDenied(pattern, `${home}/private/app`), pattern).toBe(true);
      expect(isDenied(pattern, `${home}/open`), pattern).toBe(false);
      expect(isDenied(pattern, `${home}/open/private`), pattern).toBe(false);
    }
    expect(isDenied('~', home)).toBe(true);
    expect(isAllowed(['~/private', '~'], `${home}/private/app`)).toBe(false);
  });

  test('it is the home that the system knows, whatever the variable says', () => {
    const around = linked({ '/net/homes/zoe': '/net/disk7/zoe' }, ['/net/homes/zoe']);
    expect(isDenied('~/private', '/net/homes/zoe/private', around)).toBe(true);
    expect(isDenied('~/private', '/net/disk7/zoe/private/app', around)).toBe(true);
    expect(isDenied('~/private', '/net/homes/zoe/open', around)).toBe(false);
    expect(isAllowed(['~/private'], '/net/homes/zoe/private', around)).toBe(false);
    expect(isAllowed(['~/private'], '/home/zoe/private', around)).toBe(true);
  });

  test('a user whom the system does not know has none there, and that is no trouble', () => {
    const spy = vi.spyOn(os, 'userInfo').mockReturnValue({ ...os.userInfo(), homedir: '/net/zoe' });
    try {
      syncBuiltinESMExports();
      expect(isDenied('~/private', '/net/zoe/private', thisMachine)).toBe(true);
      spy.mockImplementation(() => {
        throw new Error('ENOENT: no such user');
      });
      expect(isDenied('~/private', '/net/zoe/private', thisMachine)).toBe(false);
      expect(isDenied('~/private', '/home/zoe/private', thisMachine)).toBe(true);
    } finally {
      spy.mockRestore();
      syncBuiltinESMExports();
    }
  });
});

test('every name that a pattern may have is denied by it', () => {
  const signs = [...`aB0[](){}+^$|.!#- @~é'`];
  const names = signs.flatMap((one) => signs.flatMap((two) => [`x${one}${two}y`, `${one}x${two}`]));
  const patterns = names.map((name) => `/srv/${name}`);
  const read = patterns.filter((pattern) => faultOf(pattern) === undefined);
  expect(read.length).toBeGreaterThan(patterns.length / 2);
  expect(read).toEqual(expect.arrayContaining(patterns.filter((pattern) => !/\[| $/.test(pattern))));
  expect(read.filter((pattern) => !toFits(pattern, 'deny', HOME, bare).asWritten(`${pattern}/app`))).toEqual([]);
});
