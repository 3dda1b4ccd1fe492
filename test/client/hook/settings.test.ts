import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { addHooks, EVENTS, hooksIn, isOurs, removeHooks } from '../../../src/client/hook/settings.ts';
import { tempFolder } from '../../support/files.ts';

const COMMAND = "/usr/bin/node '/opt/my tools/bin/skein' hook run --archive";
const REAL = { dryRun: false };

function settings(text?: string): string {
  const file = join(tempFolder(), 'settings.json');
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

const read = (file: string) => readFileSync(file, 'utf8');
const install = (file: string, command = COMMAND) => addHooks(file, command, 13, REAL);
const valueIn = (text: string) => parse(text, [], { allowTrailingComma: true });

const WITH_COMMENTS = `{
\t// what I like
\t"model": "opus", // the large one
\t"big": 12345678901234567890,
\t"one": 1.0,
\t"hooks": {
\t\t/* mine */
\t\t"Stop": [{"matcher":"","hooks":[{"type":"command","command":"say done"}]}], // loud
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Bash", "hooks": [] }
\t\t]
\t}
\t// the end
}
`;

describe('skein hook install changes nothing but its own entries', () => {
  test('comments, order, numbers, indentation and the hooks of others stay', () => {
    const file = settings(WITH_COMMENTS);
    const { changed, backup } = install(file);
    expect(changed).toBe(true);
    expect(read(backup ?? '')).toBe(WITH_COMMENTS);
    const after = read(file);
    // Every line is still there, some with a comma more.
    const lines = after.split('\n').map((line) => line.trim());
    for (const line of WITH_COMMENTS.split('\n')) {
      const words = line
        .trim()
        .replace(/\],? (\/\/ loud)$/, '')
        .replace(/[\]},]+$/, '');
      expect(lines.some((each) => each.startsWith(words))).toBe(true);
    }
    expect(after).toContain('// loud');
    expect(after).toContain('12345678901234567890');
    expect(valueIn(after).hooks.Stop[0]).toEqual({ matcher: '', hooks: [{ type: 'command', command: 'say done' }] });
    expect(
      hooksIn(file)
        .map(({ event }) => event)
        .sort(),
    ).toEqual([...EVENTS].sort());
    removeHooks(file, REAL);
    expect(valueIn(read(file))).toEqual(valueIn(WITH_COMMENTS));
    for (const comment of ['// what I like', '// the large one', '/* mine */', '// loud', '// the end'])
      expect(read(file)).toContain(comment);
  });

  test('a file that is not there is made, for the owner alone, and is empty again afterwards', () => {
    const file = settings();
    expect(install(file)).toMatchObject({ changed: true, backup: undefined });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(read(file)).hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: COMMAND, timeout: 13 }] },
    ]);
    removeHooks(file, REAL);
    expect(read(file)).toBe('{}\n');
  });

  test('again: nothing to do; another command takes the place of the first; each change keeps the file as it was', () => {
    const file = settings('{\n  "a": 1\n}\n');
    chmodSync(file, 0o644);
    install(file);
    const before = read(file);
    expect(install(file)).toMatchObject({ changed: false, backup: undefined });
    expect(install(file, 'skein hook run --langfuse').backup).toBe(`${file}.before-skein-2`);
    expect(hooksIn(file)).toEqual(EVENTS.map((event) => ({ event, command: 'skein hook run --langfuse' })));
    expect(read(`${file}.before-skein-2`)).toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    removeHooks(file, REAL);
    expect(read(file)).toBe('{\n  "a": 1\n}\n');
  });

  test('a dry run writes nothing', () => {
    const file = settings('{}');
    expect(addHooks(file, COMMAND, 13, { dryRun: true }).changed).toBe(true);
    expect([read(file), existsSync(`${file}.before-skein`)]).toEqual(['{}', false]);
  });

  test.each([
    ['{"a":1', /not JSON/],
    ['[]', /not an object/],
    ['{"hooks":[]}', /"hooks" is not an object/],
    ['{"hooks":{"Stop":{}}}', /"hooks.Stop" is not a list/],
  ])('what cannot be understood is left alone: %s', (text, why) => {
    const file = settings(text);
    expect(() => install(file)).toThrow(why);
    expect(read(file)).toBe(text);
  });

  test.each([
    ['skein hook run', true],
    ['/a/b/node /x/bin/skein hook run --archive', true],
    ["'/a b/skein' hook run", true],
    ['skein hook status', false],
    ['cc-langfuse', false],
  ])('%s is ours: %s', (command, ours) => expect(isOurs(command)).toBe(ours));
});

describe('whatever the settings', () => {
  const key = fc.constantFrom('model', 'env', 'a b', 'permissions', '"', 'ö');
  const hook = fc.record({
    type: fc.constant('command'),
    command: fc.constantFrom('x', 'say "hi"', 'skein archive sync'),
  });
  const group = fc.record({
    matcher: fc.constantFrom('', 'Bash'),
    hooks: fc.array(hook, { minLength: 1, maxLength: 2 }),
  });
  const events = fc.dictionary(
    fc.constantFrom(...EVENTS, 'PreToolUse'),
    fc.array(group, { minLength: 1, maxLength: 2 }),
    {
      minKeys: 1,
    },
  );
  const object = fc
    .tuple(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), fc.option(events, { nil: undefined }))
    .map(([rest, hooks]) => (hooks === undefined ? rest : { ...rest, hooks }));
  const layout = fc.constantFrom<string | number>(0, 2, 4, '\t');
  const text = fc.tuple(object, layout, fc.boolean(), fc.boolean()).map(([value, indent, crlf, end]) => {
    const plain = JSON.stringify(value, null, indent) + (end ? '\n' : '');
    return crlf ? plain.replaceAll('\n', '\r\n') : plain;
  });

  test('installed, all else has the same value; uninstalled, all has', () => {
    fc.assert(
      fc.property(text, (before) => {
        const file = settings(before);
        install(file);
        const { hooks, ...rest } = JSON.parse(read(file));
        const { hooks: were = {}, ...others } = JSON.parse(before);
        expect(rest).toEqual(others);
        for (const [event, groups] of Object.entries<unknown[]>(hooks)) {
          const ours = EVENTS.some((each) => each === event) ? 1 : 0;
          expect(groups.slice(0, groups.length - ours)).toEqual(were[event] ?? []);
        }
        expect(hooksIn(file)).toHaveLength(EVENTS.length);
        removeHooks(file, REAL);
        expect(JSON.parse(read(file))).toEqual(JSON.parse(before));
      }),
      { numRuns: 60 },
    );
  });

  test('written over several lines, uninstalling gives every byte back', () => {
    const lined = fc
      .tuple(object, fc.constantFrom<string | number>(2, 4, '\t'))
      .map(([value, indent]) => `${JSON.stringify(value, null, indent)}\n`);
    fc.assert(
      fc.property(lined, (before) => {
        const file = settings(before);
        install(file);
        removeHooks(file, REAL);
        expect(read(file)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });
});
