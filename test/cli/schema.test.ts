import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FIXTURES } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { expectValid } from '../support/schema.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const ROOTS = [
  path('demo'),
  ...['1.0.111', '2.0.76', '2.1.45', '2.1.325'].flatMap((version) =>
    ['d-agent', 'f-resume', 'k-interactive', 'g-compact'].map((name) => join(FIXTURES, 'recorded', version, name)),
  ),
];

describe('--json is as docs/schema says', () => {
  test.each(ROOTS)('%s', async (root) => {
    const { run } = machine(root);
    const json = async (...args: string[]) => (await run(...args, '--root', root, '--json')).json();
    for (const verb of ['list', 'tree', 'check']) expectValid(verb, await json(verb));
    for (const verb of ['show', 'context']) expectValid(verb, await json(verb, '@last'));
    expectValid('search', await json('search', 'the'));
    expectValid('diff', await json('diff', '@last', '@last'));
    for (const args of [['--by', 'day,model', '--heatmap'], ['--by', 'tool'], ['--explain']])
      expectValid('usage', await json('usage', ...args));
  });

  test('a schema refuses what is not so', () => {
    expect(() => expectValid('list', { chats: [{ id: 1 }] })).toThrow();
  });

  test('every schema is named in docs/json.md', () => {
    const page = readFileSync(path('docs/json.md'), 'utf8');
    for (const name of readdirSync(path('docs/schema'))) expect(page).toContain(`(schema/${name})`);
  });
});
