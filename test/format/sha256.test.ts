/** Each in a module of its own: how much was hashed before decides who hashes. */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';

async function fresh() {
  vi.resetModules();
  return import('../../src/format/sha256.ts');
}

/** Whether node:crypto was asked for. */
let asked = 0;
const { getBuiltinModule } = process;

beforeEach(() => {
  asked = 0;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation((name: string) => {
    if (name === 'node:crypto') asked += 1;
    return getBuiltinModule(name);
  });
  return () => vi.restoreAllMocks();
});

test('little is hashed without node:crypto, and as it hashes', async () => {
  const { sha256, sha256Hex } = await fresh();
  const sizes = [0, 1, 55, 56, 63, 64, 65, 511, 512, 513, 1024, 5000, 16_416];
  for (const size of sizes) {
    const data = Buffer.alloc(size, 'what was said');
    expect(sha256(data).toString('hex')).toBe(hash('sha256', data));
    expect(sha256Hex(data)).toBe(hash('sha256', data));
  }
  expect(asked).toBe(0);
});

test('any bytes and any text, also of half a pair', async () => {
  const { sha256, sha256Hex } = await fresh();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), fc.string({ unit: 'binary', maxLength: 60 }), (bytes, text) => {
      expect(sha256(bytes).toString('hex')).toBe(hash('sha256', bytes));
      expect(sha256Hex(`${text}\ud800`)).toBe(hash('sha256', `${text}\ud800`));
    }),
  );
});

test('more than a little goes to node:crypto, which says the same', async () => {
  const { sha256, sha256Hex } = await fresh();
  const data = Buffer.alloc(200 << 10, 'more');
  const hex = hash('sha256', data);
  expect([sha256(data).toString('hex'), asked]).toEqual([hex, 0]);
  expect([sha256(data).toString('hex'), asked]).toEqual([hex, 1]);
  expect([sha256Hex(data), sha256Hex('a text'), asked]).toEqual([hex, hash('sha256', 'a text'), 1]);
});

test('what was given stays as it is when more is hashed', async () => {
  const { sha256 } = await fresh();
  const first = sha256(Buffer.from('first'));
  sha256(Buffer.from('second'));
  expect(first.toString('hex')).toBe(hash('sha256', 'first'));
});

test('where there is no WebAssembly', async () => {
  vi.stubGlobal('WebAssembly', undefined);
  const { sha256 } = await fresh();
  expect([sha256(Buffer.from('a')).toString('hex'), asked]).toEqual([hash('sha256', 'a'), 1]);
  vi.unstubAllGlobals();
});
