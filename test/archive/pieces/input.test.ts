import { expect, test } from 'vitest';
import { chunksOf, type Input } from '../../../src/archive/sync/input.ts';

const CHUNK = 1 << 20;

function inputOf(bytes: Buffer): Input {
  const fill = (buffer: Buffer, position: number) => bytes.copy(buffer, 0, position);
  return { size: bytes.length, mtimeMs: 0, fill, close() {} };
}

function read(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.concat([...chunksOf(inputOf(bytes), from, to)].map((chunk) => Buffer.from(chunk)));
}

test('a range of a file in chunks, ending where the file does', () => {
  const bytes = Buffer.from(Array.from({ length: 2 * CHUNK + 77 }, (_, n) => n % 251));
  expect(chunksOf(inputOf(bytes), 0, bytes.length).next().value?.length).toBe(CHUNK);
  for (const [from, to] of [
    [0, 0],
    [5, 6],
    [3, CHUNK + 3],
    [CHUNK - 1, bytes.length],
    [7, bytes.length + 10],
  ] as const)
    expect([...chunksOf(inputOf(bytes), from, to)].reduce((sum, chunk) => sum + chunk.length, 0)).toBe(
      Math.min(to, bytes.length) - from,
    );
  const last = [...chunksOf(inputOf(bytes), 9, bytes.length)].at(-1);
  expect(last?.equals(bytes.subarray(9 + 2 * CHUNK))).toBe(true);
});

test('two files read at once do not share a buffer, nor does one that was left amid', () => {
  const [a, b] = [Buffer.alloc(3 * CHUNK, 'a'), Buffer.alloc(3 * CHUNK, 'b')];
  const first = chunksOf(inputOf(a), 0, a.length);
  const kept = first.next().value;
  expect(read(b, 0, b.length).equals(b)).toBe(true);
  expect(kept?.every((byte: number) => byte === a[0])).toBe(true);
  first.return(undefined);
  expect(read(b, CHUNK - 5, 2 * CHUNK).equals(b.subarray(CHUNK - 5, 2 * CHUNK))).toBe(true);
});
