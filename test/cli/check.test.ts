import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, at } from '../../src/format/json.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { BIN, skein } from '../support/skein.ts';

function checked(text: string | Buffer) {
  const file = join(tempFolder(), '44444444-4444-4444-8444-444444444444.jsonl');
  writeFileSync(file, text);
  const ran = skein(['check', file, '--json']);
  const issues = (asArray(at(ran.json(), 'issues')) ?? []).map((issue) => [
    at(issue, 'rule'),
    at(issue, 'severity'),
    at(issue, 'line'),
  ]);
  return { code: ran.code, issues, inventory: asArray(at(ran.json(), 'inventory'))?.[0] };
}

const line = (entry: object) => `${JSON.stringify(entry)}\n`;
const user = (uuid: string, more = {}) => ({
  type: 'user',
  uuid,
  parentUuid: null,
  timestamp: '2026-01-01T00:00:00.000Z',
  message: { role: 'user', content: 'hi' },
  ...more,
});

const answer = (uuid: string, block: object, id = 'm1') => ({
  ...user(uuid, { parentUuid: 'a' }),
  type: 'assistant',
  message: { id, role: 'assistant', content: [block] },
});

describe('check finds no error in undamaged recordings', () => {
  test.each(readdirSync(join(FIXTURES, 'recorded')))('of %s', (version) => {
    const ran = skein(['check', join(FIXTURES, 'recorded', version), '--json']);
    const errors = (asArray(at(ran.json(), 'issues')) ?? []).filter((issue) => at(issue, 'severity') === 'error');
    expect(errors).toEqual([]);
    expect(asArray(at(ran.json(), 'inventory'))?.length).toBeGreaterThan(5);
    expect(ran.code).toBe(0);
  });
});

describe('check names every departure with its rule and line', () => {
  test.each([
    [
      'E1: an unreadable line',
      `${line(user('a'))}{"type":"us\n${line(user('b', { parentUuid: 'a' }))}`,
      1,
      ['E1', 'error', 2],
    ],
    ['E1: a NUL line', `${line(user('a'))}\0\0\0\n`, 1, ['E1', 'error', 2]],
    ['E1: a torn last line', `${line(user('a'))}{"type":"us`, 0, ['E1', 'warning', 2]],
    ['E1: a blank line', `${line(user('a'))}\n`, 0, ['E1', 'info', 2]],
    ['E1: CR LF', `${JSON.stringify(user('a'))}\r\n`, 0, ['E1', 'warning', 1]],
    ['E1: a byte order mark', `\ufeff${line(user('a'))}`, 0, ['E1', 'warning', 1]],
    [
      'E1: invalid UTF-8',
      Buffer.concat([Buffer.from('{"type":"x","v":"'), Buffer.from([0xff]), Buffer.from('"}\n')]),
      0,
      ['E1', 'warning', 1],
    ],
    ['E2: no uuid', line(user('a', { uuid: undefined })), 0, ['E2', 'warning', 1]],
    ['E2: no parent', line(user('a', { parentUuid: undefined })), 0, ['E2', 'warning', 1]],
    ['E3: an unknown type', line({ type: 'brand-new' }), 0, ['E3', 'info', 1]],
    ['E12: a uuid twice', line(user('a')) + line(user('a')), 0, ['E12', 'warning', 2]],
    ['E12: a child before its parent', line(user('b', { parentUuid: 'a' })) + line(user('a')), 0, ['E12', 'info', 2]],
    [
      'E17: output tokens not recorded',
      line({
        ...user('a'),
        type: 'assistant',
        version: '2.1.29',
        message: { id: 'm', role: 'assistant', content: [], usage: { output_tokens: 1 } },
      }),
      0,
      ['E17', 'warning', 1],
    ],
    [
      'W1: no timestamp',
      line(user('a', { timestamp: undefined })) + line(user('b', { parentUuid: 'a' })),
      0,
      ['W1', 'warning', 1],
    ],
    ['W1: no timestamp anywhere', line(user('a', { timestamp: undefined })), 1, ['W1', 'error', 1]],
    ['E12: a parent that was never written', line(user('a', { parentUuid: 'zz' })), 0, ['E12', 'warning', 1]],
    [
      'E12: parents in a circle',
      line(user('a', { parentUuid: 'b' })) + line(user('b', { parentUuid: 'a' })),
      1,
      ['E12', 'error', 2],
    ],
    ['W2: a null parent in the middle', line(user('a')) + line(user('b')), 0, ['W2', 'warning', 2]],
    [
      'A1: a call without a result',
      line(user('a')) + line(answer('b', { type: 'tool_use', id: 't', name: 'Read', input: {} })),
      0,
      ['A1', 'info', 2],
    ],
    [
      'A2: a result without its call',
      line(user('a', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: '' }] } })),
      0,
      ['A2', 'warning', 1],
    ],
    [
      'A3: a tool id twice',
      line(user('a')) +
        line(answer('c', { type: 'tool_use', id: 't', name: 'Read', input: {} })) +
        line({ ...answer('b', { type: 'tool_use', id: 't', name: 'Bash', input: {} }, 'm2'), parentUuid: 'a' }),
      0,
      ['A3', 'warning', 3],
    ],
    [
      'A4: an empty text block',
      line(user('a')) + line(answer('b', { type: 'text', text: ' ' })),
      0,
      ['A4', 'warning', 2],
    ],
    [
      'A5: thinking without a signature',
      line(user('a')) + line(answer('b', { type: 'thinking', thinking: 'x', signature: '' })),
      1,
      ['A5', 'error', 2],
    ],
    [
      'A7: a tool name over 200 characters',
      line(user('a')) + line(answer('b', { type: 'tool_use', id: 't', name: 'x'.repeat(201), input: {} })),
      1,
      ['A7', 'error', 2],
    ],
    [
      'H1: another session id',
      line(user('a', { sessionId: 's1' })) + line(user('b', { parentUuid: 'a', sessionId: 's2' })),
      0,
      ['H1', 'info', 2],
    ],
    ['L6: an empty file', '', 0, ['L6', 'info', undefined]],
  ])('%s', (_, text, code, issue) => {
    const result = checked(text);
    expect(result.issues).toContainEqual(issue);
    expect(result.code).toBe(code);
  });

  test('the inventory counts types, versions, stop reasons, blocks, calls and turns', () => {
    const assistant = (uuid: string, block: object, stop: string | null) => ({
      ...user(uuid),
      type: 'assistant',
      version: '2.0.50',
      message: { id: 'm1', role: 'assistant', content: [block], stop_reason: stop },
    });
    const { inventory } = checked(
      [
        user('a', { version: '2.0.42' }),
        assistant('b', { type: 'thinking', thinking: 'x', signature: 's' }, null),
        assistant('c', { type: 'tool_use', id: 't1', name: 'Read', input: {} }, 'tool_use'),
        user('d', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] } }),
        { type: 'summary', summary: 's', leafUuid: 'a' },
      ]
        .map(line)
        .join(''),
    );
    expect(inventory).toMatchObject({
      lines: 5,
      types: { user: 2, assistant: 2, summary: 1 },
      versions: ['2.0.42', '2.0.50'],
      stopReasons: { null: 1, tool_use: 1 },
      blocks: { thinking: 1, tool_use: 1, tool_result: 1 },
      toolCalls: 1,
      humanTurns: 1,
    });
  });

  test('text output groups lines, hides notes unless asked, and prints the table', () => {
    const file = join(tempFolder(), 'x.jsonl');
    writeFileSync(file, line({ type: 'new' }).repeat(9) + '{"broken\n'.repeat(2));
    const text = skein(['check', file, '--inventory']).text;
    expect(text).toMatch(
      /error {3}E1 +lines 10, 11: unreadable line \(invalid or cut-off JSON\), 8 bytes at offset … /,
    );
    expect(text).not.toMatch(/unknown type/);
    expect(text).toMatch(/SESSION +LINES/);
    expect(text).toMatch(/1 file: 2 errors, 0 warnings/);
    expect(skein(['check', file, '--severity', 'info']).text).toMatch(
      /lines 1, 2, 3, 4, 5, 6 and 3 more: unknown type "new"/,
    );
  });

  test('thousands of the same kind are one line of text', () => {
    const file = join(tempFolder(), 'x.jsonl');
    const orphans = Array.from({ length: 3000 }, (_, n) => line(user(`u${n}`, { parentUuid: randomUUID() })));
    const broken = Array.from({ length: 50 }, (_, n) => `{"broken${'x'.repeat(n)}\n`);
    const times = Array.from({ length: 50 }, (_, n) =>
      line(user(`t${n}`, { parentUuid: 'u1', timestamp: `time ${n} of none` })),
    );
    writeFileSync(file, [...orphans, ...broken, ...times].join(''));
    const lines = skein(['check', file, '--severity', 'info']).text.trim().split('\n');
    expect(lines.length).toBeLessThan(10);
    expect(lines.join('\n')).toMatch(/lines 1, 2, 3, 4, 5, 6 and 2994 more: its parent … was never written/);
    expect(lines.join('\n')).toMatch(/and 44 more: timestamp … is not a time/);
    expect(lines.at(-1)).toMatch(/^1 file: 50 errors, 3050 warnings/);
  });

  test('stop reasons and blocks stand in tables of their own, also on a narrow terminal', () => {
    const file = join(tempFolder(), '44444444-4444-4444-8444-444444444444.jsonl');
    const stop = (uuid: string, reason: string) => ({
      ...user(uuid),
      type: 'assistant',
      message: { id: uuid, role: 'assistant', content: [{ type: 'text', text: 'x' }], stop_reason: reason },
    });
    writeFileSync(file, [stop('a', 'end_turn'), stop('b', 'end_turn'), stop('c', 'constructor')].map(line).join(''));
    const text = skein(['check', file, '--inventory'], { env: { COLUMNS: '80' } }).text;
    expect(text).toMatch(/Stop reasons\nSESSION +end_turn +constructor\n4\S+ +2 +1\n/);
    expect(text).toMatch(/Content blocks\nSESSION +text\n4\S+ +3\n/);
    const table = text.slice(text.indexOf('SESSION'), text.indexOf('1 file'));
    for (const each of table.split('\n')) expect(each.length).toBeLessThanOrEqual(80);
  });

  test('a secret in a name is masked before the name is cut', () => {
    const file = join(tempFolder(), '55555555-5555-4555-8555-555555555555.jsonl');
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}F6g7H8`;
    const message = { id: 'm1', role: 'assistant', content: [{ type: secret }], stop_reason: secret };
    writeFileSync(file, line({ ...user('a', { version: secret }), type: 'assistant', message }));
    const { text } = skein(['check', file, '--inventory'], { env: { COLUMNS: '120' } });
    expect(text).toContain('Stop reasons');
    expect(text).not.toContain(secret.slice(0, 12));
  });

  test('nothing in a transcript reaches the terminal raw', () => {
    const file = join(tempFolder(), 'x\u001b[31m.jsonl');
    const evil = '\u001b]0;title\u0007\u001b[31m\u009bX';
    const entries = [
      { type: evil },
      user('a', { parentUuid: evil, timestamp: evil }),
      answer(evil, { type: 'tool_use', id: evil, name: evil, input: {} }),
      answer('c', { type: evil }),
    ];
    writeFileSync(file, entries.map(line).join(''));
    const { text } = skein(['check', file, '--severity', 'info', '--inventory']);
    expect(text).toMatch(/unknown type "X"/);
    expect(text).not.toMatch(RAW);
    for (const mode of [[], ['--lines', '9']]) {
      const ran = spawnSync('timeout', ['-s', 'INT', '1.5', process.execPath, BIN, 'follow', file, ...mode]);
      expect(ran.stdout.toString()).toMatch(/call +X/);
      expect(ran.stdout.toString() + ran.stderr.toString()).not.toMatch(RAW);
    }
  });
});

const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

describe('what check takes', () => {
  test('several files, folders and selectors, each file once', () => {
    const folder = tempFolder();
    const [a, b] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
    writeFileSync(a, line(user('a')));
    writeFileSync(b, '{"broken\n');
    expect(skein(['check', a, b]).text).toMatch(/^2 files: 1 errors/m);
    expect(skein(['check', a, folder, a]).text).toMatch(/^2 files: 1 errors/m);
    expect(skein(['check', a, join(folder, 'c.jsonl')])).toMatchObject({ code: 1, text: '' });
  });

  test('a folder or root without a file, or not there, is exit code 1 with what, where, next', () => {
    const [empty, full] = [tempFolder(), tempFolder()];
    writeFileSync(join(full, 'a.jsonl'), line(user('a')));
    const gone = join(empty, 'gone');
    const cases: [string[], string][] = [
      [[empty], empty],
      [[full, empty], empty],
      [['--root', empty], empty],
      [['--root', gone], gone],
      [['--root', full, '--root', gone], gone],
    ];
    for (const [args, where] of cases) {
      const ran = skein(['check', ...args]);
      expect([ran.code, ran.text]).toEqual([1, '']);
      expect(ran.err).toMatch(/^skein: .+\n {2}at: .+\n {2}next: .+\n$/);
      expect(ran.err).toContain(where);
    }
  });

  test('what was met while looking counts as a warning, and is in --json', () => {
    const root = tempFolder();
    mkdirSync(join(root, 'projects', '-app'), { recursive: true });
    writeFileSync(join(root, 'projects', '-app', 'a.jsonl'), line(user('a')));
    symlinkSync('nowhere', join(root, 'projects', '-app', 'b.jsonl'));
    for (const args of [['--root', root], [root]]) {
      const ran = skein(['check', ...args]);
      expect(ran.code).toBe(0);
      expect(ran.text).toMatch(/b\.jsonl\n {2}warning L1 {2}a link to nothing/);
      expect(ran.text).toMatch(/^1 file: 0 errors, 1 warnings/m);
      expect(asArray(at(skein(['check', ...args, '--json']).json(), 'issues'))).toContainEqual(
        expect.objectContaining({ rule: 'L1', severity: 'warning', what: 'a link to nothing' }),
      );
    }
  });
});
