/** `skein config`: where each value comes from. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { expectValid } from '../support/schema.ts';
import { skein } from '../support/skein.ts';

function world() {
  const root = tempFolder();
  const [home, cwd] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [join(home, '.claude'), join(cwd, '.claude')]) mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(home, '.claude', 'settings.json'),
    '{\n  "model": "opus",\n  "theme": "dark",\n  "env": { "MY_API_KEY": "plain words" },\n  "permissions": { "deny": ["Bash(rm:*)"] }\n}\n',
  );
  writeFileSync(
    join(cwd, '.claude', 'settings.json'),
    '{ "model": "haiku",\n  "permissions": { "deny": ["Read(.env)"], "allow": ["Bash"] } }',
  );
  writeFileSync(join(cwd, '.claude', 'settings.local.json'), '{\n  "model": "sonnet",\n}');
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    skein(['config', ...args], { home, cwd, env });
  return { run, home, cwd };
}

test('every value with its file and line, what it overrides, and whether it counts', () => {
  const { run, home, cwd } = world();
  const { text, code } = run(['--json']);
  const told = JSON.parse(text);
  expectValid('config', told);
  expect(code).toBe(0);
  const by = (key: string) => told.values.filter((row: { key: string }) => row.key === key);
  const user = join(home, '.claude', 'settings.json');
  expect(by('model')).toMatchObject([
    {
      value: 'haiku',
      source: 'project',
      line: 1,
      overridden: [{ value: 'opus', source: 'user', file: user, line: 2 }],
    },
  ]);
  expect(by('permissions.deny').map((row: { value: string; line: number }) => [row.value, row.line])).toEqual([
    ['Read(.env)', 2],
    ['Bash(rm:*)', 5],
  ]);
  expect(by('permissions.allow')).toMatchObject([{ note: 'not used, see the problems' }]);
  expect(by('theme')).toMatchObject([{ note: 'kept, but not used here' }]);
  expect(by('env.MY_API_KEY')).toMatchObject([{ value: '***' }]);
  expect(told.problems).toMatchObject([
    { file: expect.stringContaining(join(cwd, '.claude', 'settings.local.json')), line: 3, column: 1 },
    { file: null, what: expect.stringContaining('not trusted') },
  ]);
});

test('text, one key, the environment, and nothing', () => {
  const { run } = world();
  expect(run(['model']).text).toMatch(
    /^model: "haiku"\n {2}project .*settings\.json:1\n {2}overrides "opus", user ~\/\.claude\/settings\.json:2\n/,
  );
  expect(run(['model'], { ANTHROPIC_MODEL: 'm' }).text).toMatch(
    /^model: "m"\n {2}environment ANTHROPIC_MODEL\n {2}overrides "haiku"/,
  );
  expect(run(['env', '--reveal']).text).toContain('plain words');
  const { text, code } = run(['nothing.such']);
  expect(code).toBe(1);
  expect(text).toContain('nothing.such is not set');
  expect(run(['--settings', '{"model":"x"}', 'model']).text).toContain('flag --settings:1');
  expect(run(['--setting-sources', 'user', 'model']).text).toMatch(/^model: "opus"/);
  expect(run(['--setting-sources', 'wrong']).code).toBe(2);
});
