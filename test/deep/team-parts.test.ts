/** A line as the rows it is found by. */
import { expect, test } from 'vitest';
import { toParsedEntry } from '../../src/format/entry.ts';
import { rowsOfLine } from '../../src/team/push/linerows.ts';
import { createShape } from '../../src/team/push/shape.ts';
import { answer, call } from '../support/teamsession.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const COLUMNS = {
  session: ID,
  name: `${ID}.jsonl`,
  person: '',
  retention: 'standard',
  version: 1,
  deleted: 0,
  slug: '',
  agent: '',
} as const;

test('of a line with more parts than there are places the first are sent, none in the place of another', () => {
  const calls = Array.from({ length: 65_540 }, (_, n) => call(`t${n}`, {}, 'X'));
  const bytes = Buffer.from(JSON.stringify(answer({ id: ID, cwd: '/a', n: 1, text: 'first' }, calls)));
  const line = { number: 1, start: 0, end: bytes.length, terminated: true };
  const shape = createShape({ content: 'full', home: '/nonexistent', paths: false });
  const source = { name: '', read: (start: number, end: number) => bytes.subarray(start, end) };
  const shaped = shape.line(toParsedEntry(source, line, bytes), { line, bytes });
  if (typeof shaped === 'string') throw new Error(shaped);
  const { messages } = rowsOfLine(shaped, 1, 0, { columns: COLUMNS, shape, calls: new Map() });
  expect(messages).toHaveLength(65_535);
  expect(messages[0]?.words).toBe(' first ');
  expect(messages.at(-1)?.place).toBe(65_534);
});
