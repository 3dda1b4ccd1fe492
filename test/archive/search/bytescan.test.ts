/** Two ways to look for a needle in bytes, by patterns and by the loop over sixteen: both must come to the same. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { byteScan } from '../../../src/archive/search/bytescan.ts';
import { createFinder, type LineFinder } from '../../../src/archive/search/finder.ts';
import { letterScan } from '../../../src/archive/search/letterscan.ts';
import { createScan } from '../../../src/archive/search/scan.ts';
import { foldTest } from '../../../src/archive/search/spelling.ts';
import { linesHolding, linesIn } from '../../../src/disk/needle.ts';
import { FOLDING, needlesOf } from '../../../src/views/search/prefilter.ts';
import { parseQuery } from '../../../src/views/search/query.ts';
import { fold } from '../../../src/views/search/words.ts';
import { tempFolder } from '../../support/files.ts';
import '../../support/properties.ts';
import { NOW, onDisk } from './helpers.ts';

const SLICE = 16 << 10;
const queryOf = (text: string) => parseQuery(text, { now: NOW });
const byPatterns = kept((text) => createFinder(queryOf(text), false));
const byBytes = kept((text) => createFinder(queryOf(text), false, Infinity));

/** Patterns of all spellings take a while to make. */
function kept(make: (text: string) => LineFinder): (text: string) => LineFinder {
  const made = new Map<string, LineFinder>();
  return (text) => {
    const finder = made.get(text) ?? make(text);
    made.set(text, finder);
    return finder;
  };
}

/** Where the lines begin that would be parsed. */
function linesOf({ find, mayMatch }: LineFinder, bytes: Buffer): number[] {
  const lines = [...linesIn(bytes, find, 0, () => 0)];
  return lines.filter((line) => mayMatch(Buffer.from(line.bytes))).map(({ line }) => line.start);
}

function compare(text: string, bytes: Buffer): number[] {
  const lines = linesOf(byBytes(text), bytes);
  expect(lines).toEqual(linesOf(byPatterns(text), bytes));
  return lines;
}

test('it is there for most needles, by their bytes or by a letter of them', () => {
  const scansOf = (text: string) => needlesOf(queryOf(text)).map((needle) => [byteScan(needle), letterScan(needle)])[0];
  for (const text of ['word', 'café', 'a', '~_', '~"src/x"']) expect(scansOf(text)?.[0]).toBeDefined();
  for (const text of ['中文', 'привет', '~/', '~\\', '~"x/y"', '~red\u001b'])
    expect(scansOf(text)?.[0]).toBeUndefined();
  for (const text of ['中文', 'привет', '한국', '🚀', 'straße', '~"x/é中"']) expect(scansOf(text)?.[1]).toBeDefined();
  for (const text of ['word', 'café', '~µ', '~·', '~中\u001b']) expect(scansOf(text)?.[1]).toBeUndefined();
});

describe('both find the same lines', () => {
  test.each(['~*', '~"*{"', '~"**"', '~"*\t"'])('%s: a line end is no star', (text) => {
    const bytes = Buffer.from('{"a":"x**y"}\n{"b":"no"}\n{"c":"*{ *\\t"}\n');
    expect(compare(text, bytes)).not.toContain(13);
  });

  const ODD = ['é', 'e\u0301', 'Ω', 'ß', 'K', '中', '、', 'が', '→', '🚀', '\ufe0f', '\\u0065', '\\u001b', '\\u4e2d'];
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('login', 'LOGIN', 'Log', 'in', 'ogi', 'l', 'o', 'g', 'i', 'n') },
    { weight: 3, arbitrary: fc.constantFrom('\n', '\n', ' ', '"', '\\', '\\"', '/', '\\/', '_', 'x', '1', '\0') },
    { weight: 3, arbitrary: fc.constantFrom(...ODD) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
  );
  /** Mostly near the place where one slice ends and the next begins. */
  const before = fc.oneof(fc.nat(40), fc.integer({ min: SLICE - 60, max: SLICE + 20 }));
  const queries = fc.constantFrom(
    'login',
    'log',
    'login*',
    '~ogi',
    '~l"o',
    '~n/l',
    '~g_i',
    'login log',
    '~lo -x',
    'l1',
  );

  test('of any bytes', () => {
    let found = 0;
    fc.assert(
      fc.property(queries, before, fc.array(part, { maxLength: 60 }), fc.boolean(), (query, pad, parts, isBroken) => {
        const text = `${'x'.repeat(pad)}${parts.join('')}`;
        found += compare(query, Buffer.from(text, isBroken ? 'latin1' : 'utf8')).length;
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(500);
  });

  test('a line is not passed over where the next, behind the end of a slice, has the needle too', () => {
    for (const written of ['log\\u0069n', 'lógin', 'log\u0131\u0307n']) {
      for (let pad = SLICE - 12; pad <= SLICE; pad += 1) {
        const start = `${'x'.repeat(pad)} ${written}`;
        const next = Buffer.byteLength(start) + 1;
        expect([pad, compare('login', Buffer.from(`${start}\nlogin`))]).toEqual([pad, [0, next]]);
      }
    }
  });

  test('words of one letter stand apart where their script sets spaces', () => {
    for (const [asked, said] of [
      ['"א ב"', 'א ב'],
      ['"ש 文"', 'שⓂ文'],
      ['"য 한"', 'য\\n한'],
    ] as const)
      expect([asked, compare(asked, Buffer.from(`{"a":1}\n{"a":"${said}"}`))]).toEqual([asked, [8]]);
  });

  test('of a short needle written in other ways where a slice ends', () => {
    const WAYS = [
      ['~k', '\u212a'],
      ['~z', '\u1e91'],
      ['~z', '\\u007a'],
      ['~ze', 'z\\u00e9'],
      ['~zeq', 'z\\u00e9q'],
    ] as const;
    // Bytes of another search lie behind.
    compare(`~${'y'.repeat(60)}`, Buffer.from('0'.repeat(3 * SLICE)));
    for (const [query, written] of WAYS) {
      for (let at = SLICE - 8; at <= SLICE; at += 1)
        expect([query, written, at, compare(query, Buffer.from(`${'-'.repeat(at)}${written}-`))]).toEqual([
          query,
          written,
          at,
          [0],
        ]);
    }
  });

  test('of any text, for a needle that is not ASCII', () => {
    const LETTERS = [
      ...[
        '登',
        '录',
        '登录',
        '豈',
        '更',
        'п',
        'П',
        'р',
        'и',
        'й',
        'и\u0306',
        'привет',
        'ПРИВЕТ',
        'か',
        'か\u3099',
        'が',
        'ガ',
      ],
      ...[
        '한',
        '\u1112\u1161\u11ab',
        '하\u11ab',
        '국',
        'ß',
        'ẞ',
        'Σ',
        'ς',
        'σ',
        '🚀',
        '🇩',
        '🇪',
        '\ufe0f',
        '\u0301',
        'ก',
        'ำ',
      ],
      ...['\\u767b', '\\u5f55', '\\u043F', '\\ud83d\\ude80', '\\u001b', 'µ', '²', 'é', 'strasse', 'stra', 'e'],
    ];
    const letters = fc.oneof(part, { weight: 8, arbitrary: fc.constantFrom(...LETTERS) });
    const asked = fc.constantFrom(
      ...[
        '登录',
        '登',
        'привет',
        '~при',
        'й',
        '~が',
        '한국',
        '한',
        'straße',
        '~ß',
        'σ',
        '🚀',
        '🇩🇪',
        '~"登录 x"',
        'กำ',
        '更',
        'login 登录',
      ],
    );
    let found = 0;
    fc.assert(
      fc.property(asked, before, fc.array(letters, { maxLength: 60 }), (query, pad, parts) => {
        found += compare(query, Buffer.from(`${'x'.repeat(pad)}${parts.join('')}`)).length;
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(500);
  });

  test('of text that is full of the letter, line by line', () => {
    const dense = 'приветы, мир и труд; '.repeat(60);
    const lines = Array.from(
      { length: 300 },
      (_, n) => `${dense.slice(0, (n * 37) % 900)}${n % 7 === 0 ? 'весна' : ''}`,
    );
    expect(compare('весна', Buffer.from(lines.join('\n'))).length).toBe(43);
    expect(compare('~вес', Buffer.from(lines.join('\n'))).length).toBe(43);
  });

  test('wherever a needle of another script stands', () => {
    for (const word of ['登录', '\\u767b录', '登\\u5f55', 'ｘ登录']) {
      for (const from of [0, SLICE - 40, 2 * SLICE - 40]) {
        for (let pad = from; pad < from + 60; pad += 1) {
          const start = `{"登":1}\n${'x'.repeat(pad)}\n`;
          const at = Buffer.byteLength(start);
          expect(compare('~登录', Buffer.from(`${start}${word}`))).toEqual([at]);
          expect(compare('~登录', Buffer.from(`${start}${'y'.repeat(30)}${word}\n录登\n`))).toEqual([at]);
        }
      }
    }
  });

  test('wherever the needle stands among sixteen bytes, and at the end of a slice and of all', () => {
    for (const word of ['needleword', 'néedleword', '\\u006eeedleword', 'NEEDLEWORD']) {
      for (const from of [0, SLICE - 40, 2 * SLICE - 40]) {
        for (let pad = from; pad < from + 60; pad += 1) {
          const start = `{"a":1}\n${'x'.repeat(pad)}\n`;
          expect(compare('needleword', Buffer.from(`${start}${word}`))).toEqual([start.length]);
          expect(compare('needleword', Buffer.from(`${start}${word}\n${'y'.repeat(100)}\n`))).toEqual([start.length]);
        }
      }
    }
  });

  test('an escape that the end of a slice cuts is what it is when it is whole', () => {
    for (let pad = SLICE - 8; pad < SLICE + 12; pad += 1) {
      const bytes = Buffer.from(`${'x'.repeat(pad)}\\u001bÀ`);
      expect([pad, compare('l1', bytes), compare('login 登录', bytes)]).toEqual([pad, [], []]);
    }
  });

  test('with every character that folds to ASCII or to nothing', () => {
    let characters = 0;
    for (let code = 0x80; code < 0x110000; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      FOLDING.lastIndex = 0;
      if (!FOLDING.test(Buffer.from(character).toString('latin1'))) continue;
      const folded = fold(character);
      if (!/^[\u0000-\u007f]*$/.test(folded)) continue;
      characters += 1;
      const bytes = Buffer.from(`{"a":"be${character}fore"}`);
      if (compare(`~"be${folded}fore"`, bytes).length === 0) expect(code.toString(16)).toBe('found');
    }
    expect(characters).toBeGreaterThan(1000);
  });

  test('with a needle longer than what is compared at once', () => {
    const long = 'abcdefghij'.repeat(40);
    const bytes = Buffer.from(`${long.slice(0, 390)}\n${'z'.repeat(SLICE)}${long}\n${long.toUpperCase()}`);
    expect(compare(`~${long}`, bytes)).toEqual([391, 391 + SLICE + 401]);
  });

  test('when two searches take turns', () => {
    const [one, two] = [byBytes('oneword'), byBytes('twoword')];
    const bytes = Buffer.from(`${'x'.repeat(SLICE)}\noneword\n${'x'.repeat(SLICE)}\ntwoword\noneword twoword\n`);
    const places = (find: LineFinder['find']) => linesIn(bytes, find, 0, () => 0);
    const [inOne, inTwo] = [places(one.find), places(two.find)];
    const starts = Array.from({ length: 3 }, () => [inOne.next().value?.line.start, inTwo.next().value?.line.start]);
    const second = 2 * SLICE + 10;
    expect(starts).toEqual([
      [SLICE + 1, second],
      [second + 8, second + 8],
      [undefined, undefined],
    ]);
  });
});

test('lines without the needle are passed over, whatever else is in them', () => {
  const { find } = byBytes('needleword');
  const lines = [
    '{"a":"plain"}',
    '{"a":"中文、→ 🚀"}',
    '{"a":"\\u001b[31mred"}',
    '{"a":"\\u4e2d"}',
    'needle of another',
  ];
  const bytes = Buffer.from(`${lines.join('\n')}\n`.repeat(1000));
  expect(find(bytes, 0)).toBe(-1);
  expect(find(Buffer.from('{"a":"déjà vu, needle of another"}'), 0)).toBe(-1);
});

test('text that is full of accents is looked at once, not around each of them', () => {
  const [needle] = needlesOf(queryOf('needleword'));
  if (needle === undefined) throw new Error('no needle');
  let looks = 0;
  const spellings = () => {
    looks += 1;
    return needle.spellings();
  };
  const isFolded = foldTest({ ...needle, spellings });
  const bytes = Buffer.from('été '.repeat(2048));
  for (let place = bytes.indexOf(0xc3); place >= 0; place = bytes.indexOf(0xc3, place + 1)) {
    expect(isFolded(bytes, place)).toBe(false);
  }
  expect(looks).toBeLessThanOrEqual(bytes.length / 1024 + 1);
});

describe('where there is no WebAssembly', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([
    ['at all', undefined],
    [
      'with these instructions',
      {
        Memory: WebAssembly.Memory,
        Instance: WebAssembly.Instance,
        Module: class {
          constructor() {
            throw new WebAssembly.CompileError('no such instruction');
          }
        },
      },
    ],
    [
      'with memory left',
      {
        Memory: class {
          constructor() {
            throw new RangeError('could not allocate memory');
          }
        },
      },
    ],
  ])('%s, patterns find the same', async (_, stub) => {
    vi.stubGlobal('WebAssembly', stub);
    vi.resetModules();
    const fresh = await import('../../../src/archive/search/bytescan.ts');
    expect(needlesOf(queryOf('word')).map(fresh.byteScan)).toEqual([undefined]);
    const { createFinder: create } = await import('../../../src/archive/search/finder.ts');
    expect(create(queryOf('word'), false, Infinity).find(Buffer.from('{"a":"a Word"}'), 0)).toBe(8);
  });
});

test('a corpus has the same hits either way', () => {
  const out = tempFolder();
  const generator = fileURLToPath(new URL('../../../scripts/gen-corpus.mjs', import.meta.url));
  execFileSync(process.execPath, [generator, '--out', out, '--mb', '5', '--seed', '11', '--files', '20'], {
    stdio: 'ignore',
  });
  const { files } = onDisk(join(out, '.claude'));
  const QUERIES = [
    'the',
    'zanzibarquokka',
    'error tool:Bash',
    '"of the"',
    'func*',
    '~"e/s"',
    'naive',
    'cafe -the',
    '/e{2}/ file',
  ];
  let total = 0;
  for (const text of [...QUERIES, '修复', 'is:error', 'role:user test', '~\\n', 'src file:ts', '~"\\""']) {
    const [patterns, bytes] = [0, Infinity].map((many) => {
      const scan = createScan(queryOf(text), many);
      let lines = 0;
      function* linesOfFile(file: string) {
        for (const line of linesHolding(file, scan.find)) {
          lines += 1;
          yield { bytes: Buffer.from(line.bytes), load: () => undefined, isPrompt: () => false };
        }
      }
      for (const { file } of files) scan.add(linesOfFile(file));
      return { lines, found: scan.found().map(({ key, time }) => [key, time]) };
    });
    expect(bytes).toEqual(patterns);
    total += bytes?.found.length ?? 0;
  }
  expect(total).toBeGreaterThan(100);
});
