import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edit } from '../../../src/agent/tools/edit.ts';
import { applyEdits } from '../../../src/agent/tools/files/edits.ts';
import { patchOf } from '../../../src/agent/tools/files/patch.ts';
import { read } from '../../../src/agent/tools/read.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { editResult, type Hunk } from '../../../src/graph/toolresults/files.ts';
import { fileHost, told, typed } from './filehost.ts';

const change = (file: string, from: string, to: string, more: JsonObject = {}) => ({
  file_path: file,
  old_string: from,
  new_string: to,
  ...more,
});

describe('properties', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n');
  const piece = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replace(/[\r\n§]/g, ' '));
  /** Bytes around the match may be anything, text or not. */
  const around = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
        lineEnd.map((end) => Buffer.from(end)),
      ),
    )
    .map((parts) => Buffer.concat(parts).filter((byte) => byte !== 0 && byte !== 0xa7))
    .map((bytes) => Buffer.from(bytes));

  test('an edit changes no byte outside of its match', () => {
    const words = fc.array(fc.tuple(piece, lineEnd), { maxLength: 3 });
    fc.assert(
      fc.property(around, words, piece, around, (before, lines, replacement, after) => {
        const inFile = `§${lines.map(([text, end]) => text + end).join('')}§`;
        const wanted = `§${lines.map(([text]) => `${text}\n`).join('')}§`;
        const bytes = Buffer.concat([before, Buffer.from(inFile), after]);
        const done = applyEdits(bytes, 'utf-8', [{ old_string: wanted, new_string: replacement }]);
        expect(done.bytes.equals(Buffer.concat([before, Buffer.from(replacement), after]))).toBe(true);
      }),
    );
  });

  test('in UTF-16 neither', () => {
    fc.assert(
      fc.property(
        piece,
        piece,
        piece,
        fc.constantFrom('utf-16le' as const, 'utf-16be' as const),
        (a, to, b, encoding) => {
          const bytesOf = (text: string) => {
            const bytes = Buffer.from(text, 'utf16le');
            return encoding === 'utf-16le' ? bytes : bytes.swap16();
          };
          const done = applyEdits(bytesOf(`\ufeff${a}§x§${b}`), encoding, [{ old_string: '§x§', new_string: to }]);
          expect(done.bytes.equals(bytesOf(`\ufeff${a}${to}${b}`))).toBe(true);
        },
      ),
    );
  });

  test('the patch of a result makes the new text out of the original one', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'd\r', '😀', '\\ No newline at end of file'), { maxLength: 12 })
      .chain((lines) => fc.constantFrom('', '\n').map((end) => lines.join('\n') + end));
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom(1000, -1), async (before, after, timeout) => {
        const hunks =
          editResult({ filePath: 'x', structuredPatch: await patchOf(before, after, timeout) })?.patch ?? [];
        expect(applied(before, hunks)).toBe(after);
      }),
    );
  });

  test('also of whole edits through the tool', async () => {
    const { run, put, get } = fileHost();
    const lines = fc.array(fc.constantFrom('alpha', 'beta', '', '中文', 'x'), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lines, lineEnd, fc.boolean(), async (some, end, mark) => {
        const text = (mark ? '\ufeff' : '') + [...some, '§'].join(end);
        put('p.txt', text);
        await run(read, { file_path: 'p.txt' });
        const outcome = await run(edit, change('p.txt', '§', 'new\nlines'));
        const result = typed(edit, outcome);
        if (result.kind !== 'edit') throw new Error(told(outcome));
        expect(applied(result.originalFile ?? '', result.patch)).toBe(get('p.txt').replaceAll('\r\n', '\n'));
      }),
      { numRuns: 40 },
    );
  });

  function applied(text: string, patch: readonly Hunk[]): string | false {
    const names = { oldFileName: 'a', newFileName: 'b', oldHeader: undefined, newHeader: undefined };
    return applyPatch(text, {
      ...names,
      index: undefined,
      hunks: patch.map((hunk) => ({ ...hunk, lines: [...hunk.lines] })),
    });
  }
});
