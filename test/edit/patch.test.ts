import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchLine } from '../../src/edit/patch.ts';
import { asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
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
