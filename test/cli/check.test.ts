import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, at } from '../../src/format/json.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';

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
    expect(text).toMatch(/error {3}E1 +line 10: unreadable/);
    expect(text).not.toMatch(/unknown type/);
    expect(text).toMatch(/SESSION +LINES/);
    expect(text).toMatch(/1 file: 2 errors, 0 warnings/);
    expect(skein(['check', file, '--severity', 'info']).text).toMatch(
      /lines 1, 2, 3, 4, 5, 6 and 3 more: unknown type "new"/,
    );
  });
});
