import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { asArray, at } from '../../src/format/json.ts';
import { nestedMarkdown } from '../../src/views/safemarkdown.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { expectGolden } from '../support/golden.ts';
import { rootWith, skein } from '../support/skein.ts';

const DEMO = fileURLToPath(new URL('../../demo', import.meta.url));
const demo = (...args: string[]) => skein([...args, '--root', DEMO]);

describe('show, on the demo set', () => {
  test.each([
    ['stale-tide.txt', ['show', 'f6e7']],
    ['stale-tide-turn-2-full.txt', ['show', 'f6e7', '--turn', '2', '--tools', 'full', '--thinking']],
    ['rate-limit.txt', ['show', 'cda1']],
    ['rate-limit-branch-1.txt', ['show', 'cda1', '--branch', '1', '--turn', 'last']],
    ['audit-full.txt', ['show', '3cb0', '--turn', '1', '--tools', 'full']],
    ['sqlite-no-tools.txt', ['show', 'bf4e', '--tools', 'none']],
    ['bookshelf.txt', ['show', '70ac', '--tools', 'full']],
    ['rules.md', ['show', 'e3b8', '--format', 'md']],
    ['stale-tide-full.md', ['show', 'f6e7', '--format', 'md', '--tools', 'full', '--thinking']],
    ['context.txt', ['context', 'f6e7', '--prompt', 'go on']],
  ])('%s', (name, args) => {
    const ran = demo(...args);
    expect(ran.code).toBe(0);
    expectGolden(join('views', name), ran.text.replaceAll(DEMO, '<demo>'));
  });

  test('E11, H1: a resumed chat is shown once, under the title its summary gives', () => {
    const text = demo('show', 'cafd').text;
    expect(demo('show', 'e3b8').text).toBe(text);
    expect(text.match(/^── turn /gm)).toHaveLength(3);
  });

  test('L4: an output saved to a file is read from the session’s own folder, and from nowhere else', () => {
    const turns = asArray(at(demo('show', 'bf4e', '--json').json(), 'turns')) ?? [];
    const results = turns
      .flatMap((turn) => asArray(at(turn, 'toolCalls')) ?? [])
      .map((call) => String(at(call, 'result')));
    expect(Math.max(...results.map((text) => text.length))).toBeGreaterThan(30_000);

    const root = tempFolder();
    const secret = join(root, 'secret.txt');
    writeFileSync(secret, 'TOP SECRET');
    const project = join(root, 'projects', '-p');
    mkdirSync(project, { recursive: true });
    const id = '12345678-1234-4234-8234-123456789012';
    const use = {
      type: 'assistant',
      uuid: 'b',
      parentUuid: 'a',
      timestamp: '2026-01-01T00:00:01Z',
      message: {
        id: 'm',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'x' } }],
      },
    };
    const result = {
      type: 'user',
      uuid: 'c',
      parentUuid: 'b',
      timestamp: '2026-01-01T00:00:02Z',
      message: {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't',
            content: `<persisted-output>\nOutput too large. Full output saved to: ${secret}\n\nPreview`,
          },
        ],
      },
    };
    const prompt = {
      type: 'user',
      uuid: 'a',
      parentUuid: null,
      timestamp: '2026-01-01T00:00:00Z',
      message: { role: 'user', content: 'hi' },
    };
    writeFileSync(
      join(project, `${id}.jsonl`),
      [prompt, use, result].map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    );
    expect(skein(['show', id, '--root', root, '--tools', 'full']).text).not.toContain('TOP SECRET');
  });

  test('hostile text cannot drive the terminal or leave its fence', () => {
    const root = tempFolder();
    const project = join(root, 'projects', '-p');
    mkdirSync(project, { recursive: true });
    const text = 'a\u001b]0;title\u0007b\u001b[2Jc\u202ed\r\n```\n# not a heading';
    const lines = [
      {
        type: 'user',
        uuid: 'a',
        parentUuid: null,
        timestamp: '2026-01-01T00:00:00Z',
        message: { role: 'user', content: text },
      },
      {
        type: 'assistant',
        uuid: 'b',
        parentUuid: 'a',
        timestamp: '2026-01-01T00:00:01Z',
        message: {
          id: 'm',
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: text } }],
        },
      },
      {
        type: 'user',
        uuid: 'c',
        parentUuid: 'b',
        timestamp: '2026-01-01T00:00:02Z',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }] },
      },
    ];
    writeFileSync(
      join(project, '12345678-1234-4234-8234-123456789012.jsonl'),
      lines.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    );
    for (const args of [
      ['show', '@last', '--tools', 'full'],
      ['list'],
      ['tree'],
      ['context', '@last'],
      ['follow', '@last'],
    ]) {
      if (args[0] === 'follow') continue;
      expect(skein([...args, '--root', root]).text).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
      );
    }
    const markdown = skein(['show', '@last', '--root', root, '--format', 'md', '--tools', 'full']).text;
    expect(markdown).toContain('````console');
    expect(markdown).not.toMatch(/^# not a heading/m);
    expect(nestedMarkdown('# A\n```\n# b\n<i>')).toBe('### A\n```\n# b\n<i>\n```');
    expect(nestedMarkdown('<details> `<b>` a<b')).toBe('&lt;details> `<b>` a&lt;b');
  });

  test.each([
    [['show', 'f6e7', '--turn', '99'], 1, /There is no turn 99; the last is 5/],
    [['cat', 'f6e7', '--turn', '99'], 1, /There is no turn 99/],
    [['show', 'f6e7', '--turn', ''], 2, /There is no turn ""/],
    [['show', 'f6e7', 'bf4e'], 2, /an argument too many: "bf4e"/],
    [['context', 'f6e7', '--prompt', ' '], 2, /An empty prompt/],
    [['show', 'f6e7', '--turn', 'soon'], 2, /There is no turn "soon"/],
    [['show', 'f6e7', '--branch', '7'], 2, /There is no branch "7"; the chat has 1/],
    [['diff', 'f6e7'], 2, /Two chats are needed/],
  ])('%j says what is wrong', (args, code, message) => {
    const ran = demo(...args);
    expect(ran.code).toBe(code);
    expect(ran.err).toMatch(message);
  });
});

describe('tree, diff, cat --turn', () => {
  test('tree draws lineage, branches, compactions and agents', () => {
    expectGolden(
      'views/tree.txt',
      demo('tree').text.replace(/· (?:\d+ \w+ ago|just now|\d{4}-\d\d-\d\d)$/gm, '· <ago>'),
    );
  });

  test('H2: a superseded session shows the conversation that goes on from it; a path means the same as an id', () => {
    const root = tempFolder();
    const project = join(root, 'projects', '-p');
    mkdirSync(project, { recursive: true });
    const id = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;
    const line = (session: number, uuid: string, parentUuid: string | null, minute: number) =>
      `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: id(session), cwd: '/p', version: '1.0.111', timestamp: `2026-01-01T00:${minute}:00.000Z`, message: { role: 'user', content: uuid } })}\n`;
    const put = (session: number, lines: string[]) =>
      writeFileSync(join(project, `${id(session)}.jsonl`), lines.join(''));
    put(1, [line(1, 'one', null, 10)]);
    put(3, [line(3, 'one', null, 10), line(3, 'six-b', 'one', 20)]);
    put(4, [line(4, 'one', null, 10), line(4, 'six-b', 'one', 20), line(4, 'nine', 'six-b', 30)]);
    put(2, [line(2, 'one', null, 10), line(2, 'six-a', 'one', 40)]);
    const prompts = (selector: string) =>
      (asArray(at(skein(['show', selector, '--root', root, '--json']).json(), 'turns')) ?? []).map((turn) =>
        at(turn, 'prompt'),
      );
    expect(prompts(id(3))).toEqual(['one', 'six-b', 'nine']);
    expect(prompts(id(4))).toEqual(['one', 'six-b', 'nine']);
    expect(prompts(id(2))).toEqual(['one', 'six-a']);
    expect(prompts(join(project, `${id(3)}.jsonl`))).toEqual(['one', 'six-b', 'nine']);
  });

  test('L3: a sub-agent can be selected; one that repeats the call that started it leads in no circle', () => {
    const root = tempFolder();
    const project = join(root, 'projects', '-p');
    const session = '0000000a-0000-4000-8000-000000000000';
    mkdirSync(join(project, session, 'subagents'), { recursive: true });
    const entry = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) =>
      `${JSON.stringify({ type, uuid, parentUuid, sessionId: session, cwd: '/p', timestamp: '2026-01-01T00:00:00.000Z', message: { role: type, ...(type === 'assistant' ? { id: `m-${uuid}` } : {}), content }, ...more })}\n`;
    const call = [{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'look', description: 'look' } }];
    const result = [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }];
    writeFileSync(
      join(project, `${session}.jsonl`),
      entry('a', null, 'user', 'go') +
        entry('b', 'a', 'assistant', call) +
        entry('c', 'b', 'user', result, { toolUseResult: { agentId: 'a111111', status: 'completed' } }),
    );
    const side = { isSidechain: true, agentId: 'a111111' };
    writeFileSync(
      join(project, session, 'subagents', 'agent-a111111.jsonl'),
      entry('a', null, 'user', 'go', side) +
        entry('b', 'a', 'assistant', call, side) +
        entry('d', 'b', 'user', 'look', side) +
        entry('e', 'd', 'assistant', [{ type: 'text', text: 'I see' }], side),
    );
    const show = (...args: string[]) => skein(['show', ...args, '--root', root]);
    expect(show(session, '--tools', 'full').text).toContain('I see');
    expect(show(session, '--json').json()).toMatchObject({
      turns: [{ toolCalls: [{ agent: { agentId: 'a111111' } }] }],
    });
    expect(show('agent-a111111').text).toContain('I see');
    expect(show('agent-a111111').text).toMatch(/^sub-agent a111111\n.* · 2 turns · /);
    expect(skein(['context', 'agent-a111111', '--prompt', 'x', '--root', root]).text).toContain('I see');
  });

  test('diff of two branches of one conversation, forked into files', () => {
    const root = tempFolder();
    cpSync(join(FIXTURES, 'recorded', '2.1.325', 'f-resume'), root, { recursive: true });
    const sessions =
      asArray(at(skein(['list', '--root', root, '--json']).json(), 'chats'))?.flatMap(
        (chat) => asArray(at(chat, 'sessions')) ?? [],
      ) ?? [];
    const [a, b] = sessions.map((session) => String(at(session, 'id')));
    const ran = skein(['diff', a ?? '', b ?? '', '--root', root, '--json']);
    expect(ran.code).toBe(1);
    expect(asArray(at(ran.json(), 'common'))?.length).toBeGreaterThan(0);
    expect(skein(['diff', a ?? '', a ?? '', '--root', root]).code).toBe(0);
  });

  test('cat --turn prints the raw lines of a turn', () => {
    const whole = demo('cat', 'f6e7').text;
    const turn = demo('cat', 'f6e7', '--turn', '2').text;
    expect(turn.split('\n').length).toBeGreaterThan(5);
    for (const line of turn.trimEnd().split('\n')) expect(whole).toContain(`${line}\n`);
    expect(demo('cat', 'f6e7', '--turn', '2', '--kind', 'user').text.split('\n')[0]).toContain('Fix it like that');
  });
});

test('--turn with a uuid of a branch that was left goes there', () => {
  const [first, left, back] = ['one', 'left', 'back'].map((words, n) => ({
    ...user(words),
    uuid: `${'abc'[n]}aaaaaaa-0000-4000-8000-000000000000`,
    timestamp: `2026-11-14T10:00:0${n}.000Z`,
    sessionId: 'session-1',
    isSidechain: false,
  }));
  const answer = {
    ...assistant('yes', { id: 'm1' }),
    uuid: 'daaaaaaa-0000-4000-8000-000000000000',
    sessionId: 'session-1',
    isSidechain: false,
    timestamp: '2026-11-14T10:00:00.500Z',
  };
  const lines = [
    { ...first, parentUuid: null },
    { ...answer, parentUuid: first?.uuid ?? null },
    { ...left, parentUuid: answer.uuid },
    { ...back, parentUuid: answer.uuid },
  ];
  const root = rootWith({ 'session-1.jsonl': toJsonl(lines) }, writeFileSync);
  expect(skein(['show', 'session-1', '--turn', 'baaaaaaa', '--root', root]).text).toContain('left');
  expect(skein(['show', 'session-1', '--turn', 'caaaaaaa', '--root', root]).text).toContain('back');
  expect(skein(['show', 'session-1', '--turn', 'eaaaaaaa', '--root', root]).code).toBe(2);
});

test('what a typed command printed and what it complained of are told apart, and masked apart', () => {
  const token = (letter: string) => `ghp_${`${letter}1x9Q7z2`.repeat(5).slice(0, 36)}`;
  const said = `<bash-stdout>${token('a')}</bash-stdout><bash-stderr>${token('b')}</bash-stderr>`;
  const lines = chain([user('<bash-input>printenv</bash-input>'), user(said)]);
  const root = rootWith({ 'session-1.jsonl': toJsonl(lines) }, writeFileSync);
  const { text } = skein(['show', 'session-1', '--root', root]);
  expect(text).toMatch(/\[output\] \[github-token:\w{4}\]\n\s*\[github-token:\w{4}\]\n/);
});
