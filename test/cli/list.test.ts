import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at } from '../../src/format/json.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';

const ID = '22222222-2222-4222-8222-222222222222';

function rootOf(lines: readonly object[]): string {
  const root = tempFolder();
  mkdirSync(join(root, 'projects', '-work-app'), { recursive: true });
  writeFileSync(
    join(root, 'projects', '-work-app', `${ID}.jsonl`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  return root;
}

const user = (uuid: string, text: string, more = {}) => ({
  type: 'user',
  uuid,
  parentUuid: null,
  sessionId: ID,
  timestamp: '2026-05-01T10:00:00.000Z',
  cwd: '/work/app',
  gitBranch: 'main',
  message: { role: 'user', content: text },
  ...more,
});
const first = (root: string) => at(skein(['list', '--root', root, '--json']).json(), 'chats');

describe('list', () => {
  test('page by page: the last line says that there are more, and ids are such that they open', () => {
    const root = tempFolder();
    mkdirSync(join(root, 'projects', '-work-app'), { recursive: true });
    const ids = Array.from({ length: 5 }, (_, n) => `session-00000000000000000${n}`);
    for (const [n, id] of ids.entries())
      writeFileSync(
        join(root, 'projects', '-work-app', `${id}.jsonl`),
        `${JSON.stringify(user(id, `hi ${n}`, { sessionId: id }))}\n`,
      );
    const page = (...args: string[]) => skein(['list', '--root', root, ...args]);
    const pages = [1, 2, 3].map((number) => page('--limit', '2', '--page', String(number)).text);
    expect(pages.map((text) => /^.*more: .*$/m.exec(text)?.[0])).toEqual([
      '1–2 shown; more: --page 2',
      '3–4 shown; more: --page 3',
      undefined,
    ]);
    const shown = pages.flatMap((text) => text.match(/session-\d+/g) ?? []);
    expect(shown.toSorted()).toEqual(ids);
    for (const id of shown) expect(skein(['show', id, '--root', root]).code).toBe(0);
    expect(page('--limit', '2', '--page', '9')).toMatchObject({ code: 1, err: 'There is no page 9; the last is 3.\n' });
    expect(page('--page', '2')).toMatchObject({ code: 1, err: 'There is no page 2; the last is 1.\n' });
    expect(page('--limit', '0').err).toContain('--limit takes a whole number from 1');
    expect(at(page('--limit', '2', '--page', '3', '--json').json(), 'chats')).toMatchObject([{ id: shown[4] }]);
    expect(page('--page', '0').code).toBe(2);
  });

  test.each([
    [
      'E7: the first prompt, not a caveat or a command output',
      [user('m', 'Caveat: x', { isMeta: true }), user('a', 'Please\n fix   it')],
      'Please fix it',
    ],
    [
      'E11: a summary whose leaf is in the file',
      [user('a', 'hello'), { type: 'summary', summary: 'Greeting', leafUuid: 'a' }],
      'Greeting',
    ],
    [
      'E11: a summary of another conversation is not ours',
      [user('a', 'hello'), { type: 'summary', summary: 'Other', leafUuid: 'zz' }],
      'hello',
    ],
    [
      'the title the model wrote',
      [user('a', 'hello'), { type: 'ai-title', aiTitle: 'Said hello', sessionId: ID }],
      'Said hello',
    ],
    [
      'the title the person gave, the last one',
      [
        { type: 'custom-title', customTitle: 'One', sessionId: ID },
        user('a', 'hello'),
        { type: 'ai-title', aiTitle: 'A' },
        { type: 'custom-title', customTitle: 'Two', sessionId: ID },
      ],
      'Two',
    ],
  ])('title: %s', (_, lines, title) => expect(first(rootOf(lines))).toMatchObject([{ title }]));

  test('--json has the documented shape', () => {
    const lines = [
      user('a', 'hello'),
      {
        ...user('b', ''),
        type: 'assistant',
        parentUuid: 'a',
        timestamp: '2026-05-01T10:05:00.000Z',
        message: {
          role: 'assistant',
          id: 'm1',
          model: 'claude-opus-4-5-20251101',
          content: [{ type: 'text', text: 'hi' }],
        },
      },
    ];
    const root = rootOf(lines);
    expect(first(root)).toMatchObject([
      {
        id: ID,
        title: 'hello',
        project: '/work/app',
        cwd: '/work/app',
        gitBranch: 'main',
        started: '2026-05-01T10:00:00.000Z',
        updated: '2026-05-01T10:05:00.000Z',
        turns: 1,
        sessions: [
          { id: ID, file: join(root, 'projects', '-work-app', `${ID}.jsonl`), sessionIds: [ID], superseded: false },
        ],
      },
    ]);
  });

  test('filters by words, project, time; sorts; limits; says when nothing fits', () => {
    const root = join(FIXTURES, 'recorded', '2.1.325', 'f-resume');
    const count = (...args: string[]) => {
      const chats = at(skein(['list', '--root', root, '--json', ...args]).json(), 'chats');
      return Array.isArray(chats) ? chats.length : -1;
    };
    const all = count();
    expect(all).toBeGreaterThan(0);
    expect(count('--limit', '1')).toBe(1);
    expect(count('--project', 'f-resume')).toBe(all);
    expect(count('--project', 'resume')).toBe(0);
    expect(count('--before', '2020-01-01')).toBe(0);
    expect(count('--after', '2020-01-01')).toBe(all);
    expect(count('no such words anywhere')).toBe(0);
    expect(skein(['list', '--root', root, 'no such words']).code).toBe(1);
    expect(skein(['list', '--root', root, '--after', 'soon']).code).toBe(2);
  });

  test('with no sessions on the machine the demo set is shown, and said so', () => {
    const ran = skein(['list', '--json']);
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/demo/);
    expect(ran.json()).toMatchObject({ demo: true });
  });

  test('a root that is not there is an empty list with the reason', () => {
    const ran = skein(['list', '--root', '/nowhere/at/all']);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/no such file or folder: \/nowhere\/at\/all/);
  });

  test('fits the width it is given, wide characters too', () => {
    const root = rootOf([user('a', '日本語のとても長いタイトルです。'.repeat(10))]);
    const lines = skein(['list', '--root', root], { env: { COLUMNS: '60' } })
      .text.trimEnd()
      .split('\n');
    expect(lines).toHaveLength(2);
    // Every CJK character is two columns wide.
    const width = [...(lines[1] ?? '')].reduce((sum, char) => sum + (char.charCodeAt(0) > 0x2fff ? 2 : 1), 0);
    expect(width).toBeLessThanOrEqual(60);
    expect(lines[1]).toContain('…');
  });

  test('text from transcripts cannot drive the terminal; colours can be turned on and off', () => {
    const root = rootOf([user('a', '\u001b[31mred\u0007 title')]);
    const plain = skein(['list', '--root', root]).text;
    expect(plain).not.toMatch(/\u001b|\u0007/);
    expect(skein(['list', '--root', root, '--color', 'always']).text).toMatch(/\u001b\[/);
    expect(skein(['list', '--root', root], { env: { FORCE_COLOR: '1' } }).text).toMatch(/\u001b\[/);
    expect(skein(['list', '--root', root], { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }).text).not.toMatch(/\u001b/);
  });
});
