/** Rows as they are made, without a server. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toParsedEntry } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { memorySource } from '../../src/format/session.ts';
import { timeText } from '../../src/team/push/linerows.ts';
import { createShape } from '../../src/team/push/shape.ts';
import { structureOf } from '../../src/team/push/structure.ts';
import { createToolRows } from '../../src/team/push/toolrows.ts';
import { TABLES } from '../../src/team/schema/tables.ts';
import { wordListOf, wordsOf } from '../../src/views/search/words.ts';
import { answer, call, prompt, ROW_COLUMNS, result } from '../support/teamsession.ts';

function parsed(json: JsonObject) {
  const bytes = Buffer.from(JSON.stringify(json));
  const line = { number: 1, start: 0, end: bytes.length, terminated: true };
  return { parsed: toParsedEntry(memorySource('', bytes), line, bytes), raw: { line, bytes } };
}

test('the words of a row are those of the index', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      expect(wordListOf(text)).toEqual([...wordsOf(text)].map(({ word }) => word));
    }),
  );
  expect(wordListOf('Grüße, 中文字 and code_x')).toEqual(
    [...wordsOf('Grüße, 中文字 and code_x')].map(({ word }) => word),
  );
});

/** Every text has a space, so that it is no id, no word and no time. */
const said = fc.string({ maxLength: 8 }).map((text) => `needle ${text}`);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    said,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      ...[
        'type',
        'uuid',
        'cwd',
        'message',
        'content',
        'data',
        'toolUseResult',
        'attachment',
        'role',
        'usage',
        'model',
        'id',
        'name',
      ],
      ...[
        'text',
        'thinking',
        'input',
        'timestamp',
        'version',
        'subtype',
        'origin',
        'kind',
        'gitBranch',
        'summary',
        '__proto__',
        'new',
      ],
    ),
    tie('any'),
    { maxKeys: 6 },
  ),
}));

test('at content none nothing that was said is left, whatever the line', () => {
  fc.assert(
    fc.property(value.object, (made) => {
      const json: JsonObject = JSON.parse(JSON.stringify(made));
      const { parsed: one } = parsed(json);
      if (one.json === undefined) return;
      expect(JSON.stringify(structureOf(one.entry, one.json, undefined))).not.toContain('needle');
    }),
  );
});

describe('the id of a line', () => {
  test('is its uuid, or the same hash at every content level', () => {
    const shapes = (['none', 'masked', 'full'] as const).map((content) =>
      createShape({ content, home: '/home/zoe', paths: false }),
    );
    const idsOf = (json: JsonObject) => {
      const { parsed: one, raw } = parsed(json);
      const ids = shapes.map((shape) => {
        shape.learn(json);
        const line = shape.line(one, raw);
        return typeof line === 'string' ? line : line.id;
      });
      return new Set(ids);
    };
    const line = prompt({ id: 's', cwd: '/home/zoe/x', n: 1, text: 'hi' });
    expect([...idsOf(line)]).toEqual([line.uuid]);
    const summary = idsOf({ type: 'summary', summary: 'what was said', leafUuid: 'abc' });
    expect(summary.size).toBe(1);
    expect([...summary][0]).toMatch(/^x-[0-9a-f]{24}$/);
    // Nothing of what was said is in it: a guess could not be tried.
    expect(idsOf({ type: 'summary', summary: 'something else', leafUuid: 'abc' })).toEqual(summary);
    expect(idsOf({ type: 'summary', summary: 'what was said', leafUuid: 'abd' })).not.toEqual(summary);
  });
});

test('tool calls of a long session are those of pairing it as a whole', () => {
  const lines = fc
    .array(fc.record({ wait: fc.nat(6), fails: fc.boolean() }), { minLength: 1, maxLength: 120 })
    .map((calls) => {
      const later: JsonObject[][] = [];
      const all: JsonObject[] = [];
      for (const [n, { wait }] of calls.entries()) {
        const id = `toolu_${n}`;
        all.push(answer({ id: 's', cwd: '/x', n: 10 * n + 1, text: '' }, [call(id, { command: `run ${n % 5}` })]));
        later[n + wait] = [
          ...(later[n + wait] ?? []),
          result({ id: 's', cwd: '/x', n: 10 * n + 5, text: `out ${n}` }, id),
        ];
        all.push(...(later[n] ?? []), prompt({ id: 's', cwd: '/x', n: 10 * n + 8, text: 'and?' }));
      }
      return all;
    });
  const rowsOf = (all: readonly JsonObject[], window?: number) => {
    const shape = createShape({ content: 'full', home: '/', paths: true });
    const tools = createToolRows({
      columns: ROW_COLUMNS,
      project: '/x',
      shape,
      secret: '',
      ...(window !== undefined && { window }),
    });
    const rows = all.flatMap((json) => {
      const { parsed: one } = parsed(json);
      tools.add(one.entry, json, json, 0);
      return tools.take();
    });
    return [...rows, ...tools.end()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  fc.assert(
    fc.property(lines, (all) => {
      expect(rowsOf(all, 25)).toEqual(rowsOf(all));
    }),
    { numRuns: 30 },
  );
});

test('times are what DateTime64 can hold', () => {
  expect(timeText(Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe('2026-01-02 03:04:05.006');
  expect(timeText(-1)).toBe('1970-01-01 00:00:00.000');
  expect(timeText(Number.NaN)).toBe('1970-01-01 00:00:00.000');
  expect(timeText(8.64e15)).toBe('2299-12-31 00:00:00.000');
});

test('tables that are pushed can be taken back from', () => {
  const pushed = TABLES.filter(({ columns }) => columns.some(({ name }) => name === 'deleted')).map(({ name }) => name);
  expect(pushed).toEqual(['files', 'entries', 'messages', 'tool_calls', 'usage']);
});
