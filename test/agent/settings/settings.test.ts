/** Settings files of the published client: places, precedence, what is left out and what holds all the same. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explain } from '../../../src/agent/settings/explain.ts';
import { type LoadOptions, loadSettings } from '../../../src/agent/settings/load.ts';
import { problemLines } from '../../../src/agent/settings/problems.ts';
import { SOURCES, type Source } from '../../../src/agent/settings/types.ts';
import { tempFolder } from '../../support/files.ts';

type Files = Partial<Record<Source | 'trust', string>>;

function world(files: Files, more: Partial<LoadOptions> = {}): LoadOptions {
  const root = realpathSync(tempFolder());
  const [home, cwd, managed] = [join(root, 'home'), join(root, 'work'), join(root, 'etc')];
  const config = join(home, '.claude');
  const places: Record<string, string> = {
    user: join(config, 'settings.json'),
    project: join(cwd, '.claude', 'settings.json'),
    local: join(cwd, '.claude', 'settings.local.json'),
    managed: join(managed, 'managed-settings.json'),
    trust: join(home, '.claude.json'),
  };
  mkdirSync(cwd);
  for (const [name, file] of Object.entries(places)) {
    const text = files[name as Source];
    if (text === undefined) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll('$CWD', cwd));
  }
  return { cwd, home, config, managed, print: true, ...(files.flag !== undefined && { flag: files.flag }), ...more };
}

const ALLOW = JSON.stringify({ permissions: { allow: ['Bash(touch:*)'] } });

async function allowed(files: Files, more: Partial<LoadOptions> = {}): Promise<string[]> {
  const { rules } = await loadSettings(world(files, more));
  return rules.filter(({ behaviour }) => behaviour === 'allow').map(({ text }) => text);
}

describe('which files count, as seen of the client', () => {
  test.each<[string, Files, boolean]>([
    ['plain', { user: ALLOW }, true],
    ['comments and trailing commas', { user: '// c\n{"permissions":{"allow":["Bash(touch:*)"],},}' }, false],
    ['a byte order mark', { user: `\uFEFF${ALLOW}` }, true],
    ['cut off', { user: ALLOW.slice(0, -1) }, false],
    ['a wrong value elsewhere', { user: '{"model":3,"permissions":{"allow":["Bash(touch:*)"]}}' }, false],
    ['a wrong item', { user: '{"permissions":{"allow":[3,"Bash(touch:*)"]}}' }, true],
    ['a text for a list', { user: '{"permissions":{"allow":"Bash(touch:*)"}}' }, false],
    ['an unknown event', { user: '{"hooks":{"Nope":[]},"permissions":{"allow":["Bash(touch:*)"]}}' }, true],
    [
      'a hook without a command',
      { user: '{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]},"permissions":{"allow":["Bash(touch:*)"]}}' },
      true,
    ],
    ['an unknown mode', { user: '{"permissions":{"defaultMode":"wild","allow":["Bash(touch:*)"]}}' }, false],
    ['a project nobody trusted', { project: ALLOW }, false],
    ['a trusted project', { project: ALLOW, trust: '{"projects":{"$CWD":{"hasTrustDialogAccepted":true}}}' }, true],
    ['local, not trusted', { local: ALLOW }, true],
    ['--settings as text', { flag: ALLOW }, true],
    ['managed', { managed: ALLOW }, true],
    ['managed rules only', { user: ALLOW, managed: '{"allowManagedPermissionRulesOnly":true}' }, false],
    [
      'the same said by others',
      { user: '{"allowManagedPermissionRulesOnly":true,"permissions":{"allow":["Bash(touch:*)"]}}' },
      true,
    ],
  ])('%s', async (_name, files, isUsed) => {
    expect(await allowed(files)).toEqual(isUsed ? ['Bash(touch:*)'] : []);
  });

  test('--setting-sources: only those named; managed and --settings in any case', async () => {
    const files = {
      user: ALLOW,
      local: '{"permissions":{"allow":["Read"]}}',
      flag: '{"permissions":{"allow":["Edit"]}}',
    };
    expect(await allowed(files, { sources: ['local'] })).toEqual(['Edit', 'Read']);
    expect(await allowed(files, { sources: [] })).toEqual(['Edit']);
  });
});

test('local settings: of the repository and of the folder; what came with the repository allows nothing unless trusted', async () => {
  const place = world({ local: ALLOW });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: place.cwd });
  git('init', '-q');
  const sub = join(place.cwd, 'sub');
  mkdirSync(join(sub, '.claude'), { recursive: true });
  writeFileSync(join(sub, '.claude', 'settings.local.json'), '{"model":"sub","permissions":{"allow":["Read"]}}');
  const texts = async () => (await loadSettings({ ...place, cwd: sub })).rules.map(({ text }) => text);
  expect(await texts()).toEqual(['Bash(touch:*)', 'Read']);
  git('add', '-f', 'sub');
  expect(await texts()).toEqual(['Bash(touch:*)']);
  git('add', '-f', '.');
  git('commit', '-qm', 'x');
  expect(await texts()).toEqual([]);
});

test('a file that is left out is told with line and column, and what it forbids holds', async () => {
  const broken = '{\n  "permissions": {\n    // never\n    "deny": ["Bash(rm:*)"],\n    "allow": ["Bash"]\n  }\n}';
  const wrong = '{"permissions":{"ask":["Bash(git push:*)"]},\n "model": 3}';
  const settings = await loadSettings(world({ user: broken, local: wrong }));
  expect(settings.rules.map(({ text, behaviour }) => `${behaviour} ${text}`)).toEqual([
    'ask Bash(git push:*)',
    'deny Bash(rm:*)',
  ]);
  const lines = await problemLines(settings);
  expect(lines.map(({ line, column }) => [line, column])).toEqual([
    [2, 2],
    [3, 5],
  ]);
  expect(lines[1]?.text).toMatch(/settings\.json:3:5: It is not JSON \(comments/);
});

test('single values: the strongest source holds, whatever others say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray([...SOURCES], { minLength: 1 }), async (named) => {
      const files = Object.fromEntries(
        named.map((source) => [source, JSON.stringify({ model: source, own: { [source]: 1 } })]),
      );
      const settings = await loadSettings(world(files));
      expect(settings.model).toBe(SOURCES.find((source) => named.includes(source)));
      // Unknown keys are kept, and objects joined.
      expect(Object.keys(settings.get(['own']) ?? {}).sort()).toEqual([...named].sort());
    }),
    { numRuns: 15 },
  );
});

describe('modes', () => {
  test.each<[string, Files, string | undefined]>([
    ['of the user', { user: '{"permissions":{"defaultMode":"bypassPermissions"}}' }, 'bypassPermissions'],
    ['a project may not bypass', { project: '{"permissions":{"defaultMode":"bypassPermissions"}}' }, undefined],
    [
      'nor local settings',
      { local: '{"permissions":{"defaultMode":"bypassPermissions"}}', user: '{"permissions":{"defaultMode":"plan"}}' },
      'plan',
    ],
    ['a project may accept edits', { project: '{"permissions":{"defaultMode":"acceptEdits"}}' }, 'acceptEdits'],
  ])('%s', async (_name, files, mode) => {
    expect((await loadSettings(world(files))).mode).toBe(mode);
  });
});

describe('hooks', () => {
  const hook = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
  const commands = async (files: Record<string, object>, more: Partial<LoadOptions> = {}) => {
    const texts = Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)]));
    return (await loadSettings(world(texts, more))).hooks.map(({ command }) => command);
  };
  test('are joined over the sources', async () => {
    expect(await commands({ user: hook('u'), project: hook('p'), local: hook('l'), managed: hook('m') })).toEqual([
      'u',
      'p',
      'l',
      'm',
    ]);
  });
  test('can be turned off by anyone, but not those of whoever manages the machine', async () => {
    const files = { user: hook('u'), project: { disableAllHooks: true }, managed: hook('m') };
    expect(await commands(files)).toEqual(['m']);
    expect(await commands({ user: hook('u'), managed: { disableAllHooks: true, ...hook('m') } })).toEqual([]);
    expect(await commands({ user: hook('u'), managed: { allowManagedHooksOnly: true, ...hook('m') } })).toEqual(['m']);
  });
  test('of a folder nobody trusted run in print mode only', async () => {
    expect(await commands({ user: hook('u'), project: hook('p') }, { print: false })).toEqual(['u']);
  });
});

test('env: numbers become texts; what decides where keys go is not for a project nobody trusted', async () => {
  const project = '{"env":{"N":3,"FOO":"foo","ANTHROPIC_BASE_URL":"http://evil","PATH":"/evil"}}';
  const strange = await loadSettings(world({ project }));
  expect(strange.env).toEqual({ N: '3', FOO: 'foo' });
  expect(strange.notices.join()).toContain('ANTHROPIC_BASE_URL, PATH');
  const trusted = await loadSettings(world({ project, trust: '{"projects":{"/":{"hasTrustDialogAccepted":true}}}' }));
  expect(trusted.env.PATH).toBe('/evil');
});

test('whatever stands in a file: nothing is thrown, what is not taken is told, and what is denied stays denied', async () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  const settings = fc.record(
    {
      model: values,
      env: values,
      hooks: fc.oneof(values, fc.dictionary(fc.constantFrom('Stop', 'Nope', '__proto__'), values)),
      permissions: fc.oneof(
        values,
        fc.record({ allow: values, ask: values, defaultMode: values }, { requiredKeys: [] }),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        settings.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      async (text) => {
        const loaded = await loadSettings(world({ user: text, flag: '{"permissions":{"deny":["Bash"]}}' }));
        expect(loaded.rules.filter(({ behaviour }) => behaviour === 'deny').map(({ text: rule }) => rule)).toContain(
          'Bash',
        );
        expect((await problemLines(loaded)).every(({ line, column }) => line > 0 && column > 0)).toBe(true);
        for (const { command } of loaded.hooks) expect(typeof command).toBe('string');
        explain(loaded, {});
      },
    ),
    { numRuns: 150 },
  );
});
