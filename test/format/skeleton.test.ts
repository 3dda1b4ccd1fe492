import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headKeep } from '../../src/format/head.ts';
import { type Json, parseJson } from '../../src/format/json.ts';
import { enableKernel, QUOTE } from '../../src/format/jsonscan.ts';
import { prune, skeleton } from '../../src/format/skeleton.ts';
import { decode, encode } from '../../src/format/text.ts';

/** Values with the keys the scan looks for at every level, so that it has something to find. */
const json = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u2028', '"', '\\', '日本', 'tool_use', '\ud800'),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'type',
        'uuid',
        'message',
        'content',
        'id',
        'usage',
        'data',
        'isSidechain',
        'parentUuid',
        'origin',
        'kind',
      ),
      fc.string(),
    ),
    tie('value'),
    { maxKeys: 6 },
  ),
}));

const quick = enableKernel(1 << 20);

/** The line where sixteen characters at a time are passed; what stands around it would end a string, or be escaped. */
function inQuickMemory(line: Uint8Array): Uint8Array {
  if (quick === undefined) throw new Error('this Node has no WebAssembly with 128 bits');
  const at = line.length % 7;
  quick.fill(QUOTE, 0, at);
  quick.set(line, at);
  quick.set(encode('"u0041\\"'), at + line.length);
  return quick.subarray(at, at + line.length);
}

const places = { 'in any memory': (line: Uint8Array) => line, 'in quick memory': inQuickMemory };

describe.each(Object.entries(places))('%s the metadata scan agrees with JSON.parse', (_, placed) => {
  function agree(line: Uint8Array): void {
    const scanned = skeleton(placed(line), headKeep());
    const parsed = parseJson(decode(line));
    if (parsed === undefined) expect(scanned).toBeUndefined();
    else if (scanned !== undefined) expect(scanned).toEqual(prune(parsed, headKeep()));
  }

  test('on any JSON value, with any white space', () => {
    fc.assert(
      fc.property(json.object, fc.constantFrom(undefined, 1, '\t', '\r\n'), (value, space) => {
        const line = encode(JSON.stringify(value, null, space));
        const scanned = skeleton(placed(line), headKeep());
        expect(scanned).toEqual(prune(parseJson(decode(line)) ?? null, headKeep()));
      }),
      { numRuns: 2000 },
    );
  });

  test('on a string with any byte at any place', () => {
    const letters = ' abcdefghijklmnopqrstuvwxyz0123456789';
    const bytes = [...Array(0x24).keys(), 0x5b, 0x5c, 0x5d, 0x5e, 0x7e, 0x7f, 0x80, 0xa2, 0xdc, 0xff];
    for (let length = 0; length <= 35; length += 1) {
      const line = encode(`{"uuid":"${letters.slice(0, length)}","type":"é"}`);
      for (let at = 0; at < length; at += 1) {
        for (const byte of bytes) {
          const scanned = skeleton(placed(line.with(9 + at, byte)), headKeep());
          const parsed = parseJson(decode(line.with(9 + at, byte)));
          if (JSON.stringify(scanned) !== JSON.stringify(parsed))
            expect([at, byte, scanned]).toEqual([at, byte, parsed]);
        }
      }
    }
  });

  test('on JSON with any byte replaced, cut or inserted: never a value where JSON.parse has none', () => {
    fc.assert(
      fc.property(
        json.object,
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.constantFrom(0, 1, 2),
        (value, where, byte, how) => {
          const whole = encode(JSON.stringify(value));
          const at = where % whole.length;
          const rest =
            how === 0
              ? [byte, ...whole.slice(at + 1)]
              : how === 1
                ? [...whole.slice(at + 1)]
                : [byte, ...whole.slice(at)];
          agree(Uint8Array.from([...whole.slice(0, at), ...rest]));
        },
      ),
      { numRuns: 5000 },
    );
  });

  test('on a string with an escape, or half of one, at any place', () => {
    for (const part of [
      '\\n',
      '\\"',
      '\\\\',
      '\\u00e9',
      '\\u00E9',
      '\\u00g9',
      '\\u00',
      '\\x',
      '\\',
      'é',
      '\u0001',
      '"',
    ]) {
      for (let before = 0; before <= 35; before += 1) {
        for (const after of [0, 1, 15, 16, 17]) {
          agree(encode(`{"uuid":"${'a'.repeat(before)}${part}${'b'.repeat(after)}"}`));
          agree(encode(`{"uuid":"${'a'.repeat(before)}${part}${'b'.repeat(after)}`));
        }
      }
    }
  });

  test('on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => agree(bytes)),
      { numRuns: 2000 },
    );
  });

  test.each([
    '{"type":"user","type":"assistant"}',
    '{"message":{"id":"a","role":"user"},"message":{"id":"b"}}',
    '{"\\u0074ype":"user"}',
    '{"type":"us\\u0065r","__proto__":{"uuid":"x"}}',
    '{"type":01}',
    '{"type":1.0,"uuid":-0,"cwd":1e400}',
    '{"type":truex}',
    '{"type":"a"}}',
    '{"type":"a",}',
    '{"a":[1,]}',
    '{"a" 1}',
    '{a:1}',
    '[]',
    '"text"',
    'null',
    '',
    '{"type":"a\u0001"}',
    '{"type":"\\x"}',
    '{"type":"\\u12g4"}',
    '{"type":"abc',
    '{"message":"not an object","content":[1,"two",null,{"type":"text"}]}',
  ])('on %j', (text) => agree(encode(text)));

  test('on nesting deeper than it follows, where it leaves the answer to JSON.parse', () => {
    const deep = encode(`{"type":"user","x":${'['.repeat(5000)}${']'.repeat(5000)}}`);
    expect(skeleton(placed(deep), headKeep())).toBeUndefined();
    agree(deep);
  });
});
