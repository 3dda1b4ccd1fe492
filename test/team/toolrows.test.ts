/** Calls without an id, as rows. */
import { expect, test } from 'vitest';
import { toParsedEntry } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { memorySource } from '../../src/format/session.ts';
import { createShape } from '../../src/team/push/shape.ts';
import { createToolRows } from '../../src/team/push/toolrows.ts';
import { answer, call, prompt, ROW_COLUMNS } from '../support/teamsession.ts';

function rowsOf(lines: readonly JsonObject[], name: string, window?: number) {
  const shape = createShape({ content: 'full', home: '/', paths: true });
  const tools = createToolRows({ columns: { ...ROW_COLUMNS, name }, project: '/x', shape, secret: '', window });
  const rows = lines.flatMap((json, place) => {
    const bytes = Buffer.from(JSON.stringify(json));
    const line = { number: place + 1, start: 0, end: bytes.length, terminated: true };
    tools.add(toParsedEntry(memorySource('', bytes), line, bytes).entry, json, json, 0);
    return tools.take();
  });
  return [...rows, ...tools.end()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

test('each has an id of its place: another in every file, the same in every push, with sizes of its own', () => {
  const say = (n: number) => ({ id: 's', cwd: '/x', n, text: '' });
  const lines = Array.from({ length: 40 }, (_, n) => [
    answer(say(10 * n + 1), [call('', { command: 'a' }), call('', { command: 'longer' })]),
    prompt(say(10 * n + 2)),
  ]).flat();
  const rows = rowsOf(lines, 's.jsonl');
  expect(new Set(rows.map(({ id }) => id)).size).toBe(80);
  expect(new Set(rows.map(({ input_bytes }) => input_bytes))).toEqual(new Set([15, 20]));
  expect(rows.every(({ id, status }) => /^place-[0-9a-f]{32}$/.test(id) && status === 'pending')).toBe(true);
  expect(rowsOf(lines, 's.jsonl', 5)).toEqual(rows);
  const others = new Set(rowsOf(lines, 't.jsonl').map(({ id }) => id));
  expect(rows.some(({ id }) => others.has(id))).toBe(false);
});
