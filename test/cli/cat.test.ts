import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { skein } from '../support/skein.ts';

const FILES = transcriptsBelow(FIXTURES).map((file) => relative(FIXTURES, file));
/** One process a file would take minutes; every seventh keeps all versions and scenarios in turn. */
const SAMPLE = FILES.filter((_, index) => index % 7 === 0);

describe('cat', () => {
  test.each(SAMPLE)('prints %s byte for byte', (file) => {
    const path = join(FIXTURES, file);
    const ran = skein(['cat', path]);
    expect(ran.code).toBe(0);
    expect(Buffer.compare(ran.out, readFileSync(path))).toBe(0);
  });

  const ODD = Buffer.concat([
    Buffer.from('\ufeff{"type":"user","uuid":"aaaa-1"}\r\n\n{"type":"assi\n'),
    Buffer.from([0, 0, 0xff, 10]),
    Buffer.from('{"type":"system","subtype":"local_command","uuid":"bbbb-2"}\n{"type":"new","x":1.0}\n{"torn":'),
  ]);
  const odd = () => {
    const file = join(tempFolder(), 'odd.jsonl');
    writeFileSync(file, ODD);
    return file;
  };

  test('prints a damaged file byte for byte, also line by line', () => {
    const file = odd();
    expect(Buffer.compare(skein(['cat', file]).out, ODD)).toBe(0);
    expect(Buffer.compare(skein(['cat', file, '--lines', '1-']).out, ODD)).toBe(0);
  });

  test.each([
    [['--kind', 'user'], '\ufeff{"type":"user","uuid":"aaaa-1"}\r\n'],
    [['--kind', 'system/local_command'], '{"type":"system","subtype":"local_command","uuid":"bbbb-2"}\n'],
    [['--kind', 'new'], '{"type":"new","x":1.0}\n'],
    [['--kind', 'unknown', '--kind', 'blank'], '\n{"type":"new","x":1.0}\n'],
    [['--uuid', 'bbbb'], '{"type":"system","subtype":"local_command","uuid":"bbbb-2"}\n'],
    [['--lines', '2-3'], '\n{"type":"assi\n'],
    [['--lines=-1'], '{"torn":'],
    [['--lines', '6', '--lines', '7'], '{"type":"new","x":1.0}\n{"torn":'],
    [['--kind', 'unreadable', '--lines', '3'], '{"type":"assi\n'],
  ])('filters whole lines: %j', (args, expected) => {
    expect(skein(['cat', odd(), ...args]).text).toBe(expected);
  });

  test('--json gives a record per line', () => {
    const records = skein(['cat', odd(), '--json', '--lines', '3']).json();
    expect(records).toMatchObject({
      line: 3,
      kind: 'unreadable',
      problem: 'invalid or cut-off JSON',
      text: '{"type":"assi\n',
    });
  });

  test('nothing that fits is exit code 1, a bad range 2', () => {
    expect(skein(['cat', odd(), '--uuid', 'zzzz']).code).toBe(1);
    const wrong = skein(['cat', odd(), '--lines', 'x']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/--lines takes/);
  });
});
