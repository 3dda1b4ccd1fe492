import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArchiveError } from '../../../src/archive/errors.ts';
import { createDigest, lastBlock } from '../../../src/archive/pieces/digest.ts';
import { cutsOf, fromPiece, lengthFromPiece, toPiece } from '../../../src/archive/pieces/piece.ts';
import { BLOCK, MAX_LINE, splitPieces } from '../../../src/archive/pieces/split.ts';
import { pushVarint, readVarints } from '../../../src/archive/pieces/varint.ts';
import { FIXTURES, transcriptsBelow } from '../../support/files.ts';
import { entry, FORK, SESSION } from '../helpers.ts';

const SCRAPS = [
  '"sessionId":"',
  '"session_id":"',
  '"session',
  SESSION,
  FORK,
  'a/b',
  '"',
  '\\"',
  '\n',
  '\r\n',
  '\0',
  'é',
  ',',
];
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
  fc.array(fc.constantFrom(...SCRAPS), { maxLength: 30 }).map((parts) => Buffer.from(parts.join(''))),
);

describe('a piece', () => {
  test('H1: copies that differ in the session id are one', () => {
    const [one, two] = [SESSION, FORK].map((id) => toPiece(Buffer.from(entry('a', id))));
    expect(one?.bytes).toEqual(two?.bytes);
    expect([one?.param, two?.param]).toEqual([SESSION, FORK]);
  });

  test('only values equal to the first are cut out', () => {
    const line = `{"sessionId":"${SESSION}","session_id":"${SESSION}","forkedFrom":{"sessionId":"${FORK}"}}`;
    const { bytes: cut, param } = toPiece(Buffer.from(line));
    expect(cut.toString()).toContain(`{"sessionId":"","session_id":"","forkedFrom":{"sessionId":"${FORK}"}}`);
    expect(fromPiece(cut, param).toString()).toBe(line);
  });

  test('what is cut out is the first id and every one like it, wherever in the line they stand', () => {
    fc.assert(
      fc.property(bytes, (raw) => {
        const text = raw.toString('latin1');
        const named = [...text.matchAll(/(?<="session(?:Id|_id)":")[\w-]{8,64}(?=")/g)];
        const [first] = named.map(([id]) => id);
        const starts = named.filter(([id]) => id === first).map(({ index }) => index);
        expect(cutsOf(raw)).toMatchObject({ param: first, starts });
      }),
      { numRuns: 3000 },
    );
  });

  test('any bytes come back as they were', () => {
    fc.assert(
      fc.property(bytes, (raw) => {
        const { bytes: cut, param } = toPiece(raw);
        expect(fromPiece(cut, param).equals(raw)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('two lines are one piece only with what was cut out of each', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const [one, two] = [toPiece(a), toPiece(b)];
        expect(one.bytes.equals(two.bytes) && one.param === two.param).toBe(a.equals(b));
      }),
      { numRuns: 3000 },
    );
  });

  test('every recorded line', () => {
    for (const file of transcriptsBelow(FIXTURES)) {
      for (const line of readFileSync(file, 'latin1').split('\n')) {
        const raw = Buffer.from(line, 'latin1');
        const { bytes: cut, param } = toPiece(raw);
        expect(fromPiece(cut, param).equals(raw)).toBe(true);
      }
    }
  });
});

function pieces(mode: 'lines' | 'blocks', chunks: readonly Buffer[]): { found: string[]; rest: string } {
  const found: string[] = [];
  const splitter = splitPieces(mode, (raw) => found.push(raw.toString('latin1')));
  for (const chunk of chunks) {
    // The reader uses its buffer again.
    const reused = Buffer.from(chunk);
    splitter.push(reused);
    reused.fill(0);
  }
  return { found, rest: splitter.rest().toString('latin1') };
}

describe('splitting', () => {
  test('E1: the same lines however the bytes arrive', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 8 }), (chunks) => {
        const whole = Buffer.concat(chunks);
        const split = pieces('lines', chunks);
        expect(split).toEqual(pieces('lines', [whole]));
        expect([...split.found, split.rest].join('')).toBe(whole.toString('latin1'));
        expect(split.found.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 2 * MAX_LINE, 2 * MAX_LINE + 5])('a line of %i bytes', (length) => {
    const whole = Buffer.concat([Buffer.alloc(length, 120), Buffer.from('\nnext\nto')]);
    const parts: Buffer[] = [];
    for (let at = 0; at < whole.length; at += 777_777) parts.push(whole.subarray(at, at + 777_777));
    const split = pieces('lines', parts);
    expect(split).toEqual(pieces('lines', [whole]));
    expect(split.found.every((piece) => piece.length <= MAX_LINE)).toBe(true);
    expect([split.found.join('').length, split.found.at(-1), split.rest]).toEqual([length + 6, 'next\n', 'to']);
  });

  test('blocks', () => {
    const { found, rest } = pieces('blocks', [Buffer.alloc(BLOCK - 1), Buffer.alloc(BLOCK), Buffer.from('abc')]);
    expect([found.map((block) => block.length), rest.length]).toEqual([[BLOCK, BLOCK], 2]);
  });
});

describe('the digest', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 6 });

  test('is the same however the bytes arrive, and goes on from its last block', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (lengths, seed) => {
        const whole = Buffer.concat(lengths.map((length, n) => Buffer.alloc(length, `${seed}-${n}`)));
        const once = createDigest();
        once.update(whole);
        let carried = createDigest();
        let size = 0;
        for (const length of lengths) {
          const link = carried.link();
          expect(link.at).toBe(lastBlock(size));
          carried = createDigest(link);
          carried.update(whole.subarray(link.at, size + length));
          size += length;
        }
        expect([carried.size(), carried.value()]).toEqual([whole.length, once.value()]);
      }),
      { numRuns: 300 },
    );
  });

  test('is a chain of SHA-256 over blocks of 16 kB', () => {
    const digest = createDigest();
    digest.update(Buffer.alloc(16_384, 'a'));
    digest.update(Buffer.from('b'));
    const link = createHash('sha256').update(Buffer.alloc(32)).update(Buffer.alloc(16_384, 'a')).digest();
    expect(digest.value()).toEqual(createHash('sha256').update(link).update('b').digest());
  });
});

test('a header that is wrong is damage, whatever it asks for', () => {
  const { bytes } = toPiece(Buffer.from(entry('a')));
  expect(bytes[0]).toBe(1);
  const wrong = [[0xff, 0xff, 0xff, 0xff, 0x7f], [0xff], [1, 0xff, 0xff, 0x7f], [200]];
  for (const header of wrong) {
    const piece = Buffer.concat([Buffer.from(header), bytes.subarray(2)]);
    expect(() => fromPiece(piece, SESSION)).toThrow(ArchiveError);
  }
  for (const header of wrong.slice(0, 1)) {
    expect(() => lengthFromPiece(Buffer.from(header), SESSION)).toThrow(ArchiveError);
  }
});

test('numbers of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
      const packed: number[] = [];
      for (const number of numbers) pushVarint(packed, number);
      const reader = readVarints(Buffer.from(packed));
      expect(numbers.map(() => reader.next())).toEqual(numbers);
      expect(reader.at()).toBe(packed.length);
    }),
  );
});
