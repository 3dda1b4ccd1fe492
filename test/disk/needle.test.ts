import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { linesHolding } from '../../src/disk/needle.ts';
import { splitLines } from '../../src/format/lines.ts';
import { tempFolder } from '../support/files.ts';

const NEEDLE = Buffer.from('"usage"');

/** Enough to tell lines apart without printing them whole. */
function digest(text: string): string {
  return text.length < 1000 ? text : `${text.length} ${text.slice(0, 20)} ${text.slice(-20)}`;
}

function found(file: string) {
  const lines = [];
  for (const { line, bytes } of linesHolding(file, NEEDLE, { numbered: true })) {
    lines.push({ ...line, text: digest(Buffer.from(bytes).toString('latin1')) });
  }
  return lines;
}

function expected(bytes: Buffer) {
  return [...splitLines([bytes])].flatMap(({ line, bytes: each }) => {
    const text = Buffer.from(each).toString('latin1');
    return text.includes('"usage"') ? [{ ...line, text: digest(text) }] : [];
  });
}

const piece = fc.constantFrom('"usage"', '\n', '{"a":1}', '"usag', 'e"', '\r', 'é', 'x'.repeat(300));

test('E1: the same lines, numbers and places as reading all of them', () => {
  const file = join(tempFolder(), 'a.jsonl');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''));
      writeFileSync(file, bytes);
      expect(found(file)).toEqual(expected(bytes));
    }),
  );
});

test('lines across windows, and lines larger than one', () => {
  const file = join(tempFolder(), 'a.jsonl');
  const lines = Array.from(
    { length: 40 },
    (_, index) => `${'y'.repeat(index * 9000)}${index % 3 === 0 ? '"usage"' : ''}z`,
  );
  const bytes = Buffer.from(`${lines.join('\n')}\n${'"usage"'.padEnd(700_000, '-')}\ntorn "usage"`);
  writeFileSync(file, bytes);
  expect(found(file)).toEqual(expected(bytes));
  const before = { ...io };
  expect(found(file)).toHaveLength(16);
  expect(ioSince(before).bytesRead).toBe(bytes.length);
});

test('from a place on, and two at once', () => {
  const file = join(tempFolder(), 'a.jsonl');
  writeFileSync(file, 'a "usage"\nb\nc "usage"\n');
  const starts = [...linesHolding(file, NEEDLE, { from: 10 })].map(({ line }) => line.start);
  expect(starts).toEqual([12]);
  const outer: string[] = [];
  for (const { bytes } of linesHolding(file, NEEDLE)) {
    expect([...linesHolding(file, NEEDLE)]).toHaveLength(2);
    outer.push(Buffer.from(bytes).toString());
  }
  expect(outer).toEqual(['a "usage"', 'c "usage"']);
});
