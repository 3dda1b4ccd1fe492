/** The screen of all chats as a function: keys and answers → state and effects → lines. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foundIn, measuredIn } from '../../src/cli/browse/answers.ts';
import { wantedOf } from '../../src/cli/browse/choose.ts';
import { previewLines } from '../../src/cli/browse/preview.ts';
import { wantedPreview } from '../../src/cli/browse/reduce.ts';
import { changedRows } from '../../src/cli/browse/screen.ts';
import { brokenLine, failureOf, verbArgs } from '../../src/cli/browse/verbs.ts';
import { frameOf } from '../../src/cli/browse/view.ts';
import type { ListedChat } from '../../src/cli/chats.ts';
import { displayWidth } from '../../src/cli/layout.ts';
import { parseJson } from '../../src/format/json.ts';
import { type Browser, browserOf, demoChats, lookWith } from '../support/browse.ts';
import { expectGolden } from '../support/golden.ts';

const { context, library, chats } = demoChats();
const SIZES = [
  { columns: 60, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
] as const;
const [, MIDDLE] = SIZES;

function preview(browser: Browser): void {
  const wanted = wantedPreview(browser.state);
  if (wanted === undefined) return;
  browser.tell({ kind: 'previewed', key: wanted.key, lines: previewLines(context, library, lookWith(), wanted) });
}

function many(count: number, change: (index: number) => Partial<ListedChat> = () => ({})): ListedChat[] {
  const [chat] = chats;
  if (chat === undefined) throw new Error('the demo has no chats');
  return Array.from({ length: count }, (_, i) => ({ ...chat, id: `chat-${i}`, title: `Chat ${i}`, ...change(i) }));
}

const HITS = JSON.stringify({
  total: 3,
  engine: 'index',
  scanned: 0,
  hits: chats.slice(0, 2).flatMap((chat, i) =>
    ['prompt', 'tool_result'].map((where) => ({
      chat: chat.id,
      file: chat.file.file,
      uuid: `0000000${i}-1111`,
      where,
      error: where === 'tool_result',
      time: chat.updated,
      snippet: 'before the tide came in',
      highlights: [[11, 15]],
    })),
  ),
});

function found(browser: Browser): void {
  browser.press('/');
  browser.type('tide');
  browser.press('enter');
  const answer = foundIn(HITS);
  if (answer !== undefined) browser.tell({ kind: 'found', job: browser.state.job, ...answer });
}

describe.each(SIZES)('golden screens at $columns×$rows', (size) => {
  const golden = (name: string, browser: Browser) =>
    expectGolden(`browse/${name}-${size.columns}.txt`, browser.screen());

  test('chats with a preview', () => {
    const browser = browserOf(chats, size);
    browser.press('down', 'down');
    preview(browser);
    golden('chats', browser);
  });

  test('chosen by name', () => {
    const browser = browserOf(chats, size);
    browser.type('tidepool api');
    golden('chosen', browser);
  });

  test('what was found', () => {
    const browser = browserOf(chats, size);
    found(browser);
    golden('found', browser);
  });

  test('actions', () => {
    const browser = browserOf(chats, size);
    browser.press('tab');
    golden('actions', browser);
  });

  test('presets of slim', () => {
    const browser = browserOf(chats, size);
    browser.press('tab', 's');
    const presets = [
      { name: 'light', tokens: 90_000 },
      { name: 'bare', tokens: 12_000 },
    ];
    const after = { presets };
    const measured = measuredIn(JSON.stringify({ before: { tokens: 120_000 }, after }));
    if (measured !== undefined) browser.tell({ kind: 'measured', job: browser.state.job, ...measured });
    browser.press('down', 'enter');
    golden('slim', browser);
  });

  test('help', () => {
    const browser = browserOf(chats, size);
    browser.press('?');
    golden('help', browser);
  });
});

describe('choosing', () => {
  test('the chat that is selected stays so while names are typed', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('down', 'down');
    const before = browser.state.shown[browser.state.selected]?.id;
    browser.type('ti');
    expect(browser.state.shown.length).toBeLessThan(chats.length);
    expect(browser.state.shown[browser.state.selected]?.id).toBe(before);
  });

  test('filters of the list can be typed, and half a time says nothing', () => {
    const now = new Date('2026-11-15T12:00:00Z');
    expect(wantedOf('Login project:api after:7d', now)).toEqual({
      words: ['login'],
      project: 'api',
      after: Date.parse('2026-11-08T12:00:00Z'),
    });
    expect(wantedOf('after: x before:2026-', now)).toEqual({ words: ['x'], before: undefined });
  });

  test('a project is chosen and taken back', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('ctrl+f');
    browser.type('paper');
    browser.press('enter');
    expect(new Set(browser.state.shown.map(({ project }) => project))).toEqual(new Set(['/home/ada/work/papertrail']));
    expect(browser.screen()).toContain('~/work/papertrail · 2 of 6 chats');
    browser.press('escape');
    expect(browser.state.shown).toHaveLength(chats.length);
  });

  test('a search stays in the project that is chosen', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('ctrl+f');
    browser.type('paper');
    browser.press('enter', '/');
    browser.type('sql');
    expect(browser.press('enter')).toMatchObject([{ words: 'sql project:"/home/ada/work/papertrail"' }]);
    browser.type(' project:x');
    expect(browser.press('enter')).toMatchObject([{ words: 'sql project:x' }]);
  });

  test('another order', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('ctrl+s', 'ctrl+s');
    expect(browser.state.sort).toBe('size');
    const sizes = browser.state.shown.map(({ bytes }) => bytes);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  test('Escape takes back what was typed, then leaves', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.type('tide');
    expect(browser.press('escape').some(({ kind }) => kind === 'quit')).toBe(false);
    expect(browser.press('escape')).toEqual([{ kind: 'quit' }]);
  });
});

describe('effects', () => {
  test('Enter reads the chat; with none left it searches', () => {
    const browser = browserOf(chats, MIDDLE);
    expect(browser.press('enter')).toMatchObject([
      { kind: 'read', argv: ['show', chats[0]?.file.file, '--no-pager'], width: 80 },
    ]);
    expect(browser.press('q')).toEqual([{ kind: 'stop' }]);
    browser.type('nowhere at all');
    expect(browser.press('enter')).toMatchObject([{ kind: 'search', words: 'nowhere at all' }]);
  });

  test('a hit is read at its turn, and from there the whole chat', () => {
    const browser = browserOf(chats, MIDDLE);
    found(browser);
    const [read] = browser.press('enter');
    expect(read).toMatchObject({ kind: 'read', argv: expect.arrayContaining(['--turn', '00000000-1111']) });
    const lines = [...Array<string>(50).fill('other'), 'the TIDE', ...Array<string>(50).fill('more')];
    browser.tell({ kind: 'text', job: browser.state.job, lines, isCut: false });
    expect(browser.screen()).toContain('the TIDE');
    expect(browser.press('o')).toMatchObject([{ kind: 'read', argv: ['show', chats[0]?.file.file, '--no-pager'] }]);
  });

  test('a hit in a thought is read with the thoughts', () => {
    const browser = browserOf(chats, MIDDLE);
    found(browser);
    const answer = foundIn(HITS.replaceAll('"prompt"', '"thinking"'));
    if (answer !== undefined) browser.tell({ kind: 'found', job: browser.state.job, ...answer });
    expect(browser.press('enter')).toMatchObject([{ kind: 'read', argv: expect.arrayContaining(['--thinking']) }]);
  });

  test.each(SIZES)('what was found is seen, wherever it stands in a snippet: $columns columns', (size) => {
    const browser = browserOf(chats, size);
    found(browser);
    const long = { snippet: `${'before '.repeat(22)}the tide came in`, highlights: [[158, 162]] };
    const parsed = parseJson(HITS.replaceAll(/"snippet".*?\]\]/g, JSON.stringify(long).slice(1, -1)));
    const answer = foundIn(JSON.stringify(parsed));
    if (answer !== undefined) browser.tell({ kind: 'found', job: browser.state.job, ...answer });
    expect(browser.screen().match(/the tide came in *(?:│|$)/gm)).toHaveLength(4);
  });

  test('a branch is read from the tree by its number, and back', () => {
    const browser = browserOf(chats, MIDDLE);
    expect(browser.press('tab', 't')).toMatchObject([{ kind: 'read', argv: ['tree', chats[0]?.file.file] }]);
    expect(browser.press('2')).toMatchObject([{ kind: 'read', argv: expect.arrayContaining(['--branch', '2']) }]);
    browser.tell({ kind: 'failed', job: browser.state.job, words: 'There is no branch "2"' });
    expect(browser.screen()).toContain('There is no branch');
    expect(browser.screen()).toContain('Tree: ');
  });

  test('what is typed is no option of the verb, whatever it begins with', () => {
    const args = verbArgs({ roots: ['/r'], reveals: true }, ['search', '--json', '--', '-x --root=y'], 'never');
    expect(args.slice(1)).toEqual(['search', '--root=/r', '--reveal', '--color=never', '--json', '--', '-x --root=y']);
  });

  test('what an earlier work says is not heard any more', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('enter');
    const { job } = browser.state;
    browser.press('q', 'down', 'enter');
    browser.tell({ kind: 'text', job, lines: ['of the first'], isCut: false });
    expect(browser.screen()).not.toContain('of the first');
  });

  test('nothing is written before it is confirmed', () => {
    const browser = browserOf(chats, MIDDLE);
    expect(browser.press('tab', 's')).toMatchObject([{ kind: 'measure' }]);
    expect(browser.press('enter', 'y', 'enter')).toEqual([]);
    browser.tell({ kind: 'measured', job: browser.state.job, before: 9, presets: [{ name: 'deep', tokens: 3 }] });
    expect(browser.press('enter')).toEqual([]);
    expect(browser.press('y')).toMatchObject([{ kind: 'slim', preset: 'deep' }]);
    expect(browser.press('escape', 'y', 'enter')).toEqual([]);
    browser.tell({ kind: 'slimmed', job: browser.state.job, words: 'done' });
    expect(browser.effects).toContainEqual({ kind: 'reload' });
  });

  test('what only the archive has is brought back, not resumed', () => {
    const archived = many(1, () => ({ file: { ...first().file, source: 'archive' as const } }));
    const browser = browserOf(archived, MIDDLE);
    expect(browser.press('tab', 'r')).toEqual([]);
    expect(browser.screen()).toContain('skein archive restore');
    expect(browser.press('tab', 'b')).toMatchObject([
      { kind: 'run', argv: ['archive', 'restore', expect.any(String)] },
    ]);
    browser.press('tab');
    expect(browser.screen()).not.toContain('Slim');
  });

  test('the demo is not written to', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.tell({ kind: 'loaded', chats, isDemo: true, now: 0 });
    for (const key of ['r', 'c', 's', 'y']) expect(browser.press('tab', key)).toEqual([]);
  });

  test('a resize reads anew what was broken at another width', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('enter');
    expect(browser.tell({ kind: 'resize', size: { columns: 100, rows: 30 } })).toMatchObject([
      { kind: 'read', width: 100 },
    ]);
  });

  test('a preview is asked for once for each chat that is selected', () => {
    const browser = browserOf(chats, MIDDLE);
    browser.press('down');
    expect(browser.effects).toMatchObject([{ kind: 'preview' }]);
    preview(browser);
    for (const key of ['?', 'escape', 'tab', 'escape']) {
      browser.press(key);
      expect(browser.effects).toEqual([]);
    }
  });
});

function first(): ListedChat {
  const [chat] = chats;
  if (chat === undefined) throw new Error('the demo has no chats');
  return chat;
}

describe('bounds', () => {
  test('a preview stays until the next one is there; where no chat is left there is none', () => {
    const browser = browserOf(chats, MIDDLE);
    preview(browser);
    const before = browser.state.preview?.lines[1] ?? '';
    browser.press('down');
    expect(browser.screen()).toContain(before);
    browser.type('none of them');
    expect(browser.screen()).not.toContain(before);
  });

  test('only the rows that are seen are made of 5,000 chats', () => {
    const browser = browserOf(many(5000), MIDDLE);
    browser.press('end', 'pageUp');
    let made = 0;
    const mask = (text: string) => {
      made += 1;
      return text;
    };
    browser.screen(lookWith({ mask }));
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(24 * 5);
  });

  test('hostile titles cannot break the screen', () => {
    const hostile = '\u001b[2J\u001b]0;x\u0007\r\n\tEVIL\u202e\u009b1m';
    const browser = browserOf(
      many(30, () => ({ title: hostile.repeat(9), project: `/p/${hostile}`, gitBranch: hostile })),
      MIDDLE,
    );
    for (const keys of [[], ['tab'], ['escape', 'ctrl+f'], ['escape', '?']]) {
      browser.press(...keys);
      expect(browser.screen().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  test('secrets are masked where they are shown', () => {
    const look = lookWith({ mask: (text) => text.replaceAll('hunter2', '••••') });
    const browser = browserOf(
      many(3, () => ({ title: 'my hunter2' })),
      MIDDLE,
    );
    for (const keys of [[], ['tab'], ['s'], ['escape', 'enter']]) {
      browser.press(...keys);
      expect(browser.screen(look)).not.toContain('hunter2');
    }
  });

  test('lines of a wide script are broken at the width', () => {
    for (const line of brokenLine('\t検索で半角の👩‍👩‍👧'.repeat(9), 20))
      expect(displayWidth(line)).toBeLessThanOrEqual(20);
  });

  test('only rows that changed are painted', () => {
    expect(changedRows(['a', 'b', 'c'], ['a', 'x', 'c'])).toBe('\u001b[2;1H\u001b[0m\u001b[2Kx');
    expect(changedRows(['a'], ['a'])).toBe('');
  });

  const KEYS = ['up', 'down', 'enter', 'tab', 'escape', 'pageDown', 'end', 'home', 'backspace', 'ctrl+f', 'ctrl+s'];
  const LETTERS = ['/', '?', 'q', 's', 'y', 'e', 't', 'n', 'v', '漢', '👩‍👩‍👧', ' '];
  test('whatever is pressed, at whatever size, the screen is as large as it is', () => {
    const size = fc.record({ columns: fc.integer({ min: 1, max: 140 }), rows: fc.integer({ min: 1, max: 50 }) });
    const event = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...KEYS, ...LETTERS) },
      { weight: 1, arbitrary: size },
    );
    fc.assert(
      fc.property(size, fc.array(event, { maxLength: 30 }), (begin, events) => {
        const browser = browserOf(chats, begin);
        for (const each of events) {
          if (typeof each === 'string') browser.press(each);
          else browser.tell({ kind: 'resize', size: each });
          const { job, size: now } = browser.state;
          if (browser.effects.some(({ kind }) => kind === 'read')) {
            browser.tell({ kind: 'text', job, lines: ['one', 'two'], isCut: false });
          }
          const { lines, cursor } = frameOf(browser.state, lookWith());
          expect(lines).toHaveLength(now.rows);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(now.columns);
          expect(cursor?.column ?? 0).toBeLessThan(now.columns);
        }
      }),
      { numRuns: 20 },
    );
  });
});

test('what a verb says of a failure is told with and without colours', () => {
  const painted = '\u001b[31mskein:\u001b[39m it is gone\n  \u001b[2mnext:\u001b[22m look again\n';
  expect(failureOf(painted)).toBe('it is gone look again');
  expect(failureOf('skein: it is gone\n')).toBe('it is gone');
});

test('of a line without an end only so much is laid out', () => {
  const lines = brokenLine(`\u001b[31m${'x'.repeat(2000)}`, 80, 1000);
  expect(lines.join('')).toMatch(/^x{990,1000} … \(cut\)$/);
});
