import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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

describe('skein hook uninstall', () => {
  test.each([
    '{"a":1}',
    '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "x" } ] } ] } }',
    WITH_COMMENTS,
  ])('gives back the bytes that were there: %s', (text) => {
    const file = settings(text);
    install(file);
    removeHooks(file, REAL);
    expect(read(file)).toBe(text);
  });

  test('what was changed since stays, blanks too', () => {
    const file = settings('{"a":1}');
    install(file);
    const formatted = `${JSON.stringify(JSON.parse(read(file)), null, 4)}\n`;
    writeFileSync(file, formatted);
    removeHooks(file, REAL);
    expect(read(file)).toBe('{\n    "a": 1\n}\n');
  });
});

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
    ["SKEIN_HOME='/a b' skein hook run", true],
    ['"C:\\Program Files\\nodejs\\node.exe" "C:\\tools\\bin\\skein" hook run --archive', true],
    ['/opt/my\\ tools/skein hook run', true],
    ['node --no-warnings /x/skein hook run', true],
    [`'${process.execPath}' /x/skein hook run`, true],
    ['skein hook run --archive 2>/dev/null || true', true],
    ['notify-send "skein hook run" finished', false],
    ['notify-send skein hook run', false],
    ['/opt/my-skein hook run', false],
    ['/opt/skein-old hook run', false],
    ['/opt/skein/other hook run', false],
    ['skein "hook run"', false],
    ['skein hook runner', false],
    ['node', false],
    ['', false],
  ])('%s is ours: %s', (command, ours) => expect(isOurs(command)).toBe(ours));
});

describe('what others wrote stays', () => {
  const OTHER = 'skein hook run --langfuse';
  const COMMENTED = `{
  // my settings
  "hooks": {
    // explains why Stop is here
    "Stop": [
      // the tracer
      {"hooks":[{"type":"command","command":"skein hook run --archive"}]}
    ]
  },
  "model": "opus"
}
`;

  test('comments in and above a list, when installed again with other options: only the command is another', () => {
    const file = settings(COMMENTED);
    install(file);
    const first = read(file);
    install(file, OTHER);
    expect(read(file)).toBe(first.replaceAll(JSON.stringify(COMMAND), JSON.stringify(OTHER)));
    for (const comment of ['// my settings', '// explains', '// the tracer']) expect(first).toContain(comment);
    expect(hooksIn(file)).toHaveLength(EVENTS.length);
  });

  test('and when uninstalled', () => {
    const file = settings(COMMENTED);
    removeHooks(file, REAL);
    expect(read(file)).toBe(COMMENTED.replace(/\n +\{"hooks".+/, ''));
  });

  test('of several of ours for one event one is left, changed where it stands; the timeout with it', () => {
    const own = (command: string) => `{ "hooks": [ { "command": "${command}", /* long */ "timeout": 99 } ] }`;
    const stop = `[ ${own('skein hook run')}, /* between */ ${own('node /x/skein hook run')} ]`;
    const file = settings(`{ "hooks": { "Stop": ${stop}, "Notification": [${own('skein hook run')}] } }`);
    install(file, OTHER);
    expect(hooksIn(file)).toEqual(EVENTS.map((event) => ({ event, command: OTHER })));
    expect(read(file)).toContain(
      `"Stop": [ { "hooks": [ { "command": "${OTHER}", /* long */ "timeout": 13 } ] } /* between */ ]`,
    );
    expect(valueIn(read(file)).hooks).not.toHaveProperty('Notification');
  });

  test.each(['"hooks": {}', '"hooks": { "Stop": [] }', '"hooks": { "Stop": [], "Notification": [] }'])(
    'what was there empty is there again: %s',
    (own) => {
      const before = `{\n  ${own}\n}\n`;
      const file = settings(before);
      install(file);
      install(file, OTHER);
      removeHooks(file, REAL);
      expect(valueIn(read(file))).toEqual(valueIn(before));
      // As often as one likes.
      install(file);
      removeHooks(file, REAL);
      expect(valueIn(read(file))).toEqual(valueIn(before));
    },
  );

  test('the copies tell what was there; without them, and of copies that tell nothing, what is left empty goes', () => {
    const file = settings('{"hooks":{"Stop":[]}}');
    install(file);
    for (const name of readdirSync(dirname(file)).filter((each) => each.includes('.before-skein')))
      rmSync(join(dirname(file), name));
    writeFileSync(`${file}.before-skein-7`, '{ damaged');
    removeHooks(file, REAL);
    expect(read(file)).toBe('{}');
  });

  test('a group with more in it than ours is not ours', () => {
    const own = '{"type":"command","command":"skein hook run"}';
    const file = settings(`{"hooks":{"Stop":[{"matcher":"x","hooks":[${own}]},{ /* mine */ "hooks":[${own}]}]}}`);
    removeHooks(file, REAL);
    expect(read(file)).toBe('{"hooks":{"Stop":[{"matcher":"x","hooks":[]},{ /* mine */ "hooks":[]}]}}');
  });

  test('hooks that only name ours', () => {
    const commands = ['notify-send "skein hook run" finished', '/opt/my-skein hook run'];
    const groups = commands.map((command) => ({ hooks: [{ type: 'command', command }] }));
    const before = `${JSON.stringify({ hooks: { Stop: groups } }, null, 2)}\n`;
    const file = settings(before);
    install(file);
    expect(valueIn(read(file)).hooks.Stop.slice(0, 2)).toEqual(groups);
    removeHooks(file, REAL);
    expect(read(file)).toBe(before);
  });

  const OWN = '{"hooks":[{"type":"command","command":"skein hook run"}]}';
  test.each([
    ['[{"a":1}, // keep me\n  OWN ]', '[{"a":1} // keep me\n  ]'],
    ['[{"a":1} // keep me\n, OWN ]', '[{"a":1} // keep me\n ]'],
    ['[{"a":1}, // keep me\n  OWN // and me\n]', '[{"a":1} // keep me\n  // and me\n]'],
    ['[{"a":1}, // keep me\n  OWN\n]', '[{"a":1} // keep me\n]'],
    ['[{"a":1}, // keep me\r\n  OWN\r\n]', '[{"a":1} // keep me\r\n]'],
    ['[// keep me\n  OWN, {"a":1}]', '[// keep me\n  {"a":1}]'],
    ['[// keep me [\n  OWN]', '[// keep me [\n  ]'],
    ['[OWN /* keep me */, {"a":1}]', '[ /* keep me */ {"a":1}]'],
    ['[OWN // keep me\n]', '[ // keep me\n]'],
    ['[{"a":1}, OWN,]', '[{"a":1},]'],
  ])('a line comment keeps its line end, and every comment stays: %s', (list, left) => {
    const file = settings(`{ "hooks": { "Stop": ${list.replace('OWN', OWN)} } }`);
    removeHooks(file, REAL);
    expect(read(file)).toBe(`{ "hooks": { "Stop": ${left} } }`);
  });

  test('a comma after the last', () => {
    const before = '{\n  "hooks": {\n    "Stop": [\n      {"a": 1},\n    ],\n  },\n}\n';
    const file = settings(before);
    install(file);
    expect(hooksIn(file)).toHaveLength(EVENTS.length);
    removeHooks(file, REAL);
    expect(read(file)).toBe(before);
  });

  test('a byte order mark', () => {
    const before = '\uFEFF{\n  "a": 1\n}\n';
    const file = settings(before);
    const { backup } = install(file);
    expect(read(file).startsWith('\uFEFF{\n  "a": 1,')).toBe(true);
    expect(read(backup ?? '')).toBe(before);
    expect(hooksIn(file)).toHaveLength(EVENTS.length);
    removeHooks(file, REAL);
    expect(read(file)).toBe(before);
  });

  test('a link: the file it leads to is changed; one that leads nowhere is refused', () => {
    const [file, target] = [settings(), settings('{\n  "a": 1\n}\n')];
    symlinkSync(target, file);
    install(file);
    expect([lstatSync(file).isSymbolicLink(), hooksIn(target).length]).toEqual([true, EVENTS.length]);
    rmSync(target);
    expect(() => install(file)).toThrow(/a link to .*settings\.json, which is not there/);
    expect(() => addHooks(file, COMMAND, 13, { dryRun: true })).toThrow(/which is not there/);
    expect(removeHooks(file, REAL).changed).toBe(false);
    expect([readlinkSync(file), existsSync(target)]).toEqual([target, false]);
  });
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
