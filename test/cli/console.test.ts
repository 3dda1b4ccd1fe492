/** `skein chat` in a terminal: the real program, its keys and its screen. Golden screens at three sizes: UPDATE=1 writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf } from '../support/chat.ts';
import { consoleWith } from '../support/console.ts';
import { expectGolden } from '../support/golden.ts';
import { calls, hold, says, text, toolUse } from '../support/scripted-model.ts';

const ANSWER = `## What it does

It **greets** people, see \`greet.txt\`. 宽字符 take two columns.

- one point
- another one, which is long enough to be broken in a window of sixty columns

\`\`\`ts
const name: string = 'you';
\`\`\`
`;

const edit = { file_path: 'greet.txt', old_string: 'Hello', new_string: 'Hello,\nyou' };

const SIZES = [
  { columns: 60, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

test('prompt, stream, permission and diff at 60×20, 80×24 and 120×40', async () => {
  await Promise.all(SIZES.map(goThrough));
});

async function goThrough(size: (typeof SIZES)[number]): Promise<void> {
  const world = await consoleWith([
    says(ANSWER),
    calls('Read', { file_path: 'greet.txt' }),
    says([text('I change it.'), toolUse('Edit', edit)]),
    calls('Bash', { command: 'tee copy.txt < greet.txt', description: 'Copy it' }),
    says('Done.'),
  ]);
  writeFileSync(join(world.cwd, 'greet.txt'), 'Hello\nworld\n');
  const terminal = world.open([], size);
  const golden = (name: string, screen: string) =>
    expectGolden(`console/${name}-${size.columns}.txt`, world.plain(screen));
  golden('prompt', await terminal.until('? for keys'));
  terminal.type('What does it do?');
  terminal.keys('Enter');
  golden('answer', await terminal.until((screen) => screen.includes("'you'") && screen.includes('? for keys')));
  terminal.type('Mend it');
  terminal.keys('Enter');
  golden('permission', await terminal.until('May it change'));
  terminal.type('y');
  await terminal.until('May it run');
  terminal.type('y');
  golden('diff', await terminal.until((screen) => screen.includes('Done.') && screen.includes('? for keys')));
  expect(readFileSync(join(world.cwd, 'greet.txt'), 'utf8')).toBe('Hello,\nyou\nworld\n');
  terminal.keys('C-d');
  await terminal.until('[exit 0]');
}

test('a command that is denied with a word is not run, and the model is told the word', async () => {
  const world = await consoleWith([calls('Bash', { command: 'touch made' }), says('As you like.')]);
  const terminal = world.open();
  await terminal.until('? for keys');
  terminal.type('go');
  terminal.keys('Enter');
  await terminal.until('touch made');
  terminal.type('n');
  terminal.type('use tee');
  await terminal.until('No: use tee');
  terminal.keys('Enter');
  await terminal.until('As you like.');
  expect(JSON.stringify(world.model.requests[1]?.messages)).toContain('use tee');
});

test('"always" writes the rule, and is not asked again (E6)', async () => {
  const again = calls('Bash', { command: 'touch made' });
  const world = await consoleWith([again, again, says('Twice.')]);
  const terminal = world.open();
  await terminal.until('? for keys');
  terminal.type('go');
  terminal.keys('Enter');
  await terminal.until('do not ask again for Bash(touch made)');
  terminal.type('a');
  await terminal.until('Twice.');
  const file = join(world.cwd, '.claude', 'settings.local.json');
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('Bash(touch made)');
});

test('typed while it works: it waits, can be taken back, and is told (E9); Esc stops the turn', async () => {
  const [first, second] = [hold(), hold()];
  const world = await consoleWith([
    says('One moment.', { holdAt: { at: { inside: 0 }, hold: first } }),
    says('Then this.', { holdAt: { at: { inside: 0 }, hold: second } }),
  ]);
  const terminal = world.open();
  await terminal.until('? for keys');
  terminal.type('start');
  terminal.keys('Enter');
  await first.reached;
  for (const words of ['keep this', 'not this']) {
    terminal.type(words);
    terminal.keys('Enter');
    await terminal.until(`⧗ ${words}`);
  }
  terminal.keys('Up');
  await terminal.until((screen) => screen.includes('❯ not this') && !screen.includes('⧗ not this'));
  terminal.keys('C-u');
  first.release();
  await second.reached;
  expect(JSON.stringify(world.model.requests[1]?.messages.at(-1))).toContain('keep this');
  terminal.keys('Escape');
  await terminal.until('Interrupted.');
  expect(JSON.stringify(world.model.requests)).not.toContain('not this');
  const [file = ''] = world.sessions();
  const operations = entriesOf(file).flatMap(({ type, operation }) => (type === 'queue-operation' ? [operation] : []));
  expect(operations).toEqual(['enqueue', 'enqueue', 'popAll', 'enqueue', 'dequeue']);
});
