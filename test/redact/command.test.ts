/** What the command shows has no secret in it, unless --reveal; `cat` and `follow --raw` are raw. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERBS as ALL_VERBS } from '../../src/cli/verbs.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { assistant, chain, result, text, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { runHere } from '../support/inprocess.ts';
import { BIN, rootWith } from '../support/skein.ts';
import { random } from './samples.ts';

const secretOf = (place: string) => `ghp_${random(36, place)}`;
const key = [
  '-----BEGIN PRIVATE KEY-----',
  ...Array.from({ length: 8 }, (_, i) => random(64, `key${i}`)),
  '-----END PRIVATE KEY-----',
];

const PLACES = [
  'prompt',
  'answer',
  'thinking',
  'input',
  'output',
  'record',
  'error',
  'patch',
  'todo',
  'json',
  'question',
  'last',
];

/** A chat with a secret in every place that some view shows. */
function sessionLines(): JsonObject[] {
  const patch = {
    oldStart: 1,
    oldLines: 0,
    newStart: 1,
    newLines: 9,
    lines: [`+${secretOf('patch')}`, ...key.map((line) => `+${line}`)],
  };
  return [
    user(`use ${secretOf('prompt')} for it`),
    assistant([thinking(`so ${secretOf('thinking')}`), text(`I use ${secretOf('answer')}`)], {
      id: 'm1',
      stop: 'tool_use',
    }),
    assistant(toolUse('t1', 'Bash', { command: `echo ${secretOf('input')}` }), { id: 'm1', stop: 'tool_use' }),
    result('t1', `out \u001b[31m${secretOf('output').slice(0, 9)}\u001b[0m${secretOf('output').slice(9)}`, {
      toolUseResult: { stdout: secretOf('record'), stderr: '' },
    }),
    assistant(toolUse('t2', 'Bash', { command: 'false' }), { id: 'm2', stop: 'tool_use' }),
    result('t2', `failed: ${secretOf('error')}`, { isError: true, toolUseResult: `Error: ${secretOf('error')}` }),
    assistant(toolUse('t3', 'Edit', { file_path: '/w/a.pem', old_string: '', new_string: key.join('\n') }), {
      id: 'm3',
      stop: 'tool_use',
    }),
    result('t3', 'edited', {
      toolUseResult: { filePath: '/w/a.pem', oldString: '', newString: key.join('\n'), structuredPatch: [patch] },
    }),
    assistant(toolUse('t4', 'TodoWrite', { todos: [] }), { id: 'm4', stop: 'tool_use' }),
    result('t4', 'ok', {
      toolUseResult: { oldTodos: [], newTodos: [{ content: `rotate ${secretOf('todo')}`, status: 'pending' }] },
    }),
    assistant(toolUse('t5', 'mcp__x__y', { password: 'Tr0ub4dor&3x', deep: { a: secretOf('json') } }), {
      id: 'm5',
      stop: 'tool_use',
    }),
    result('t5', JSON.stringify({ said: `line\n${secretOf('question')}` })),
    assistant('done', { id: 'm6' }),
    user(`again ${secretOf('last')}`),
    assistant('yes', { id: 'm7' }),
  ];
}

function planted(): { env: Record<string, string>; file: string; other: string } {
  const lines = chain(sessionLines());
  const written = (some: readonly JsonObject[]) => some.map((line) => `${JSON.stringify(line)}\n`).join('');
  const [a, b] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  const root = rootWith({ [`${a}.jsonl`]: written(lines), [`${b}.jsonl`]: written(lines.slice(0, 3)) }, writeFileSync);
  const folder = join(root, 'projects', '-work-app');
  return {
    env: { CLAUDE_CONFIG_DIR: root, HOME: root },
    file: join(folder, `${a}.jsonl`),
    other: join(folder, `${b}.jsonl`),
  };
}

const SECRETS = [...PLACES.map(secretOf), ...key.slice(1, -1), 'Tr0ub4dor&3x'];
const shownIn = (output: string) => SECRETS.filter((secret) => output.includes(secret));

const VERBS: readonly (readonly [words: string, least: number])[] = [
  ['show FILE --tools full --thinking --no-pager', 12],
  ['show FILE --tools full --thinking --format md', 12],
  ['show FILE --no-pager', 3],
  ['show FILE --json', 14],
  ['list', 1],
  ['list --json', 1],
  ['usage --by chat', 0],
  ['usage --by chat --json', 1],
  ['tree', 1],
  ['tree --json', 1],
  ['diff FILE OTHER', 1],
  ['diff FILE OTHER --json', 1],
  ['context FILE', 3],
  ['context FILE --json --prompt go', 10],
];

describe('every verb that shows', () => {
  test.each(VERBS)('skein %s', async (words, least) => {
    const { env, file, other } = planted();
    const argv = words.split(' ').map((word) => (word === 'FILE' ? file : word === 'OTHER' ? other : word));
    const masked = await runHere(argv, env);
    expect(shownIn(masked.text + masked.err)).toEqual([]);
    expect(masked.text).toMatch(/\[github-token:[0-9a-f]{4}\]/);
    const revealed = await runHere([...argv, '--reveal'], env);
    expect(shownIn(revealed.text).length).toBeGreaterThanOrEqual(least);
    if (argv.includes('--json')) expect(typeof masked.json()).toBe('object');
  });

  test.each([[[]], [['--json']]])('diff: a token that goes on in the second line of a prompt %j', async (more) => {
    const secret = secretOf('broken');
    const root = rootWith(
      {
        'a.jsonl': toJsonl(chain([user(`it is ${'-'.repeat(20)} ${secret.slice(0, 20)}\n${secret.slice(20)} now`)])),
        'b.jsonl': toJsonl(chain([user('something else')])),
      },
      writeFileSync,
    );
    const [folder, env] = [join(root, 'projects', '-work-app'), { CLAUDE_CONFIG_DIR: root, HOME: root }];
    const ran = await runHere(['diff', join(folder, 'a.jsonl'), join(folder, 'b.jsonl'), ...more], env);
    expect(ran.text).toMatch(/\[github-token:[0-9a-f]{4}\]/);
    expect(ran.text).not.toContain(secret.slice(4, 12));
  });

  test('context --json --reveal is exactly what is sent; without it only the secrets differ', async () => {
    const { env, file } = planted();
    const [masked, revealed] = await Promise.all([
      runHere(['context', file, '--json'], env),
      runHere(['context', file, '--json', '--reveal'], env),
    ]);
    const without = (output: string) =>
      output.replace(/\[[a-z-]+(?::[0-9a-f]{4})?\]|ghp_\w{36}|Tr0ub4dor&3x|-----BEGIN[^"]*KEY-----/g, '*');
    const gone = /(?:\\u001b|\\\\u001b)\[\d+m/g;
    expect(without(masked.text).replace(gone, '')).toBe(without(revealed.text.replace(gone, '')));
  });

  test('check', async () => {
    const { env, file } = planted();
    const ran = await runHere(['check', file, '--json', '--severity', 'info'], env);
    expect(shownIn(ran.text)).toEqual([]);
  });

  test('follow, and its raw lines', async () => {
    const { file } = planted();
    const follow = async (...more: string[]) => {
      const args = ['-s', 'INT', '2', process.execPath, BIN, 'follow', file, '--lines', '50', ...more];
      const child = spawn('timeout', args, { stdio: ['ignore', 'pipe', 'ignore'] });
      return (await child.stdout.toArray()).join('');
    };
    const [text = '', json = '', ...open] = await Promise.all([
      follow(),
      follow('--json'),
      follow('--reveal'),
      follow('--raw'),
    ]);
    expect(text).toContain('[github-token:');
    expect([shownIn(text), shownIn(json)]).toEqual([[], []]);
    for (const shown of open) expect(shownIn(shown)).toContain(secretOf('prompt'));
  });

  test('every verb that reads and shows can be told to reveal', async () => {
    // `cat` is raw, and the page of `serve` has a switch of its own: a server that masks nothing would show all to whoever looks.
    const others = new Set(['cat', 'serve']);
    const looking = ALL_VERBS.filter(({ group, name }) => group === 'look' && !others.has(name));
    const commands = await Promise.all(looking.map(({ load }) => load()));
    expect(commands.filter(({ options }) => options.reveal === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('cat is raw', async () => {
    const { env, file } = planted();
    expect(shownIn((await runHere(['cat', file], env)).text)).toContain(secretOf('prompt'));
  });
});
