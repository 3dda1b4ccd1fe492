import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchLine } from '../../src/edit/patch.ts';
import { asArray, asObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { decode, encode } from '../../src/format/text.ts';

const objectOf = (line: string): JsonObject => asObject(parseJson(line)) ?? {};

function patched(line: string, change: (value: JsonObject) => JsonObject): string {
  const before = objectOf(line);
  return decode(patchLine(encode(line), before, change(before)));
}

test('E2: members that are not changed keep their bytes', () => {
  const line = '{ "a" : 1.0, "uuid":"x","b":{"10":2,"z":12345678901234567890},"c":"\\u00e9" }';
  expect(patched(line, (value) => ({ ...value, uuid: 'y', new: [1] }))).toBe(
    '{"a" : 1.0,"uuid":"y","b":{"10":2,"z":12345678901234567890},"c":"\\u00e9","new":[1]}',
  );
  expect(patched(line, ({ uuid: _, ...rest }) => rest)).toBe(
    '{"a" : 1.0,"b":{"10":2,"z":12345678901234567890},"c":"\\u00e9"}',
  );
});

test('E2: a line that is not changed is the very same', () => {
  const line = '{ "a" : 1.0 , "b":null }';
  expect(patched(line, (value) => ({ ...value }))).toBe(line);
});

test('E2: inside of a value only what is changed is written anew', () => {
  const line =
    '{"message":{"id":"m","content":[{"type":"tool_use","input":{"x":1.0,"text":"long"}},{"n":1e2},{"z":12345678901234567890}],"usage":{"cost":0.10}},"k":2.50}';
  const content = (value: JsonObject) => asArray(asObject(value.message)?.content) ?? [];
  const withContent = (value: JsonObject, now: Json[]): JsonObject => ({
    ...value,
    message: { ...asObject(value.message), content: now },
  });
  const shortened = patched(line, (value) => {
    const [use, ...others] = content(value);
    const block = asObject(use) ?? {};
    return withContent(value, [{ ...block, input: { ...asObject(block.input), text: 's' } }, ...others]);
  });
  expect(shortened).toBe(line.replace('"long"', '"s"'));
  const cut = patched(line, (value) => withContent(value, [{ new: 1 }, ...content(value).slice(2)]));
  expect(cut).toBe(
    '{"message":{"id":"m","content":[{"new":1},{"z":12345678901234567890}],"usage":{"cost":0.10}},"k":2.50}',
  );
  expect(patched(line, (value) => withContent(value, []))).toBe(
    '{"message":{"id":"m","content":[],"usage":{"cost":0.10}},"k":2.50}',
  );
});

test('E2: a byte order mark before the line, names that every object has, numbers as names', () => {
  const mark = '\ufeff{"a":1.0,"b":2}';
  expect(decode(patchLine(encode(mark), { a: 1, b: 2 }, { a: 1, b: 3 }))).toBe('{"a":1.0,"b":3}');
  const line = '{"z":1.0,"10":2.0,"constructor":3.0,"__proto__":{"v":4.0},"b":5}';
  expect(patched(line, (value) => ({ ...value, b: 6 }))).toBe(line.replace('"b":5', '"b":6'));
  expect(patched(line, ({ constructor: _, ...rest }) => rest)).toBe(line.replace('"constructor":3.0,', ''));
});

test('where a name occurs twice the line is written anew', () => {
  expect(patched('{"a":1,"a":2,"b":1.0}', (value) => ({ ...value, b: 3 }))).toBe('{"a":2,"b":3}');
});

test('property: it says what was meant, whatever the line holds', () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 });
  fc.assert(
    fc.property(value, value, fc.array(fc.string()), (before, changes, gone) => {
      const line = JSON.stringify(before);
      const now = patched(line, (parsed) => {
        const after: JsonObject = { ...parsed, ...objectOf(JSON.stringify(changes)) };
        for (const name of [...gone, Object.keys(parsed)[0] ?? '']) delete after[name];
        return after;
      });
      const wanted: JsonObject = { ...objectOf(line), ...objectOf(JSON.stringify(changes)) };
      for (const name of [...gone, Object.keys(objectOf(line))[0] ?? '']) delete wanted[name];
      expect(parseJson(now)).toEqual(wanted);
    }),
  );
});

test('property: nested changes say what was meant and keep every other number as written', () => {
  // Each number is written so that building the line anew would show.
  const written = (value: Json): string => {
    if (typeof value === 'number') return `${value}.0`;
    if (Array.isArray(value)) return `[ ${value.map(written).join(' ,')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)} :${written(inner ?? null)}`)
      .join(', ')}}`;
  };
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 3 }), tree, { minKeys: 1, maxKeys: 5 }),
      fc.nat(),
      (value, pick) => {
        const line = written(value);
        const before = objectOf(line);
        let left = pick % 7;
        const change = (inner: Json | undefined): Json => {
          left -= 1;
          if (left < 0) return inner === 'changed' ? 'other' : 'changed';
          if (Array.isArray(inner))
            return inner.length % 2 === 0 ? inner.slice(1) : inner.map((item, i) => (i === 0 ? change(item) : item));
          const [name] = Object.keys(asObject(inner) ?? {});
          return name === undefined ? (inner ?? null) : { ...asObject(inner), [name]: change(asObject(inner)?.[name]) };
        };
        const after = asObject(change({ ...before })) ?? { all: 'changed' };
        const now = decode(patchLine(encode(line), before, after));
        expect(parseJson(now)).toEqual(after);
        const numbers = now.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.e+-]*/g) ?? [];
        expect(numbers.filter((number) => !number.endsWith('.0'))).toEqual([]);
      },
    ),
  );
});
