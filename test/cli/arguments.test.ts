/** The short way over plain command lines says what Node's parser says. */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArguments, plainly } from '../../src/cli/arguments.ts';
import { COMMON_OPTIONS, type Option } from '../../src/cli/command.ts';
import { chat } from '../../src/cli/commands/chat.ts';
import { hook } from '../../src/cli/commands/hook.ts';
import { list } from '../../src/cli/commands/list.ts';
import { search } from '../../src/cli/commands/search.ts';
import { usage } from '../../src/cli/commands/usage.ts';
import { UsageError } from '../../src/cli/errors.ts';

const tables = [chat, hook, search].map(
  (command): Record<string, Option> => ({ ...command.options, ...COMMON_OPTIONS }),
);

/** What Node makes of it; undefined where it finds something wrong. */
function parsedByNode(args: string[], table: Record<string, Option>) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    return { values: { ...values }, positionals };
  } catch {
    return undefined;
  }
}

function lineOf(table: Record<string, Option>) {
  const names = Object.keys(table);
  const option = fc.constantFrom(...names).map((name) => `--${name}`);
  const word = fc.constantFrom('a', 'two words', '5', '', 'a=b', '5-7');
  const odd = fc.constantFrom(
    '-',
    '--',
    '-h',
    '-x',
    '-5',
    '--nothing',
    '--__proto__',
    '--constructor',
    '--json=1',
    '---',
  );
  const line = fc.array(fc.oneof({ weight: 4, arbitrary: option }, { weight: 5, arbitrary: word }, odd), {
    maxLength: 8,
  });
  return line.map((args) => ({ args, table }));
}

describe('plain command lines', () => {
  test('whatever is read the short way, Node reads in the same way', () => {
    let short = 0;
    fc.assert(
      fc.property(fc.oneof(...tables.map(lineOf)), ({ args, table }) => {
        const plain = plainly(args, table);
        if (plain === undefined) return;
        short += 1;
        expect({ values: { ...plain.values }, positionals: plain.positionals }).toEqual(parsedByNode(args, table));
      }),
      { numRuns: 3000 },
    );
    expect(short).toBeGreaterThan(300);
  });

  test.each([
    ['hook', 'run', '--archive', '--otlp', 'http://127.0.0.1:1'],
    ['fox', '--json', '--limit', '5'],
  ])('what a hook and a search are mostly given needs no other: %s %s', (...args) => {
    expect(tables.some((table) => plainly(args, table) !== undefined)).toBe(true);
  });

  test.each([['-p'], ['--limit'], ['--limit', '-5'], ['--json=1'], ['--nothing'], ['--', 'a'], ['-']])(
    'left to Node: %s',
    (...args) => {
      for (const table of tables) expect(plainly(args, table)).toBeUndefined();
    },
  );
});

describe('what is wrong is told with what to write instead', () => {
  const wrong = (command: typeof list, ...args: string[]) => {
    try {
      parseArguments(command, args);
    } catch (error) {
      if (error instanceof UsageError) return [error.message, error.next];
    }
    return [];
  };

  test('a value that begins as an option does, after either name of an option', () => {
    const next = 'If it is the value: --limit=-1';
    expect(wrong(list, '-n', '-1')).toEqual(['-n needs a value, and "-1" begins as an option does.', next]);
    expect(wrong(list, '--limit', '-1')).toEqual(['--limit needs a value, and "-1" begins as an option does.', next]);
  });

  test('an option among words to search for that may be one of them', () => {
    expect(wrong(search, 'git', '--force')[1]).toBe('To find it: skein search -- --force');
    expect(parseArguments(search, ['git', '--', '--force']).positionals).toEqual(['git', '--force']);
    expect(wrong(search, '--limt', '3')[1]).toBe('Did you mean: --limit? Run: skein search --help');
    expect(wrong(list, '--force')[1]).toBe('Run: skein list --help');
  });

  test('a time under the name that it has elsewhere, and a filter as an option', () => {
    expect(wrong(list, '--since', '7d')[1]).toBe('Did you mean: --after? Run: skein list --help');
    expect(wrong(usage, '--before', '7d')[1]).toBe('Did you mean: --until? Run: skein usage --help');
    const next = (filter: string) => `Write it among the words, as ${filter}:…. Run: skein search --help`;
    expect(wrong(search, 'git', '--since', '7d')[1]).toBe(next('after'));
    expect(wrong(search, 'git', '--project', 'app')[1]).toBe(next('project'));
  });
});
