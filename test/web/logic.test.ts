/** What the pages compute before they draw. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { humanDuration } from '../../src/views/options.ts';
import type { ChatList, ChatRow, PageTurn } from '../../src/views/page/types.ts';
import { filtersIn } from '../../src/views/search/query.ts';
import { chosenChats, parseFilter, shortNames, toRows, withMark } from '../../web/list/rows.ts';
import { dayHeading } from '../../web/list/when.ts';
import { withControls } from '../../web/parts/controls.ts';
import { isTable, lexed } from '../../web/parts/lexed.ts';
import { checkQuery } from '../../web/search/check.ts';
import { suggestions, toggled, without, withoutFilters } from '../../web/search/complete.ts';
import { everyNth, ticks } from '../../web/usage/scale.ts';
import { stacked, summed, type UsageRow } from '../../web/usage/series.ts';
import { daysOf } from '../../web/usage/spans.ts';
import { median, whyDear } from '../../web/usage/why.ts';
import { lanesOf, type Span, spansOf, timeTicks } from '../../web/waterfall/spans.ts';

const ROW: ChatRow = {
  id: 'a1b2',
  title: 'Façade',
  project: '/work/app',
  gitBranch: 'main',
  started: null,
  updated: '2026-11-15T10:00:00Z',
  turns: 1,
  bytes: 1,
  sessions: 1,
  models: ['claude-opus-4-5'],
  lastPrompt: 'and the tests?',
  costUSD: null,
  tokens: null,
  source: 'disk',
  marks: ['live', 'branched'],
};

describe('the list', () => {
  test('filters by words without case and accents, by marks and the beginning of an id', () => {
    const found = (text: string) => chosenChats([ROW], '', text).length === 1;
    expect(['facade', 'FAÇADE tests', 'is:live app', 'a1b', 'opus'].map(found)).toEqual([true, true, true, true, true]);
    expect(['b2', 'is:errors', 'facade nothing'].map(found)).toEqual([false, false, false]);
    expect(parseFilter('is:live is:odd x')).toEqual({ marks: ['live'], words: ['is:odd', 'x'] });
  });

  test('a mark put in twice is out again', () => {
    expect(withMark(withMark('words', 'live'), 'live')).toBe('words');
  });

  test('a heading for each day, whatever the time zone makes of it', () => {
    const now = new Date(2026, 10, 15, 12).getTime();
    const at = (...parts: [number, number, number, number]) => new Date(...parts).toISOString();
    const rows = toRows(
      [
        { ...ROW, id: '1', updated: at(2026, 10, 15, 1) },
        { ...ROW, id: '2', updated: at(2026, 10, 14, 23) },
        { ...ROW, id: '3', updated: at(2026, 10, 14, 0) },
        { ...ROW, id: '4', updated: at(2025, 10, 14, 0) },
        { ...ROW, id: '5', updated: null },
      ],
      now,
    );
    expect(rows.map((row) => (row.type === 'day' ? row.label.replace(/^.*2025$/, '2025') : row.chat.id))).toEqual(
      ['Today', '1', 'Yesterday', '2', '3', '2025', '4', 'No date', '5'].map((label) =>
        label === '2025' ? dayHeading(Date.parse(at(2025, 10, 14, 0)), now).replace(/^.*2025$/, '2025') : label,
      ),
    );
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  test('projects that end alike are told apart', () => {
    expect([...shortNames(['/a/app', '/b/app', '/c/site']).values()]).toEqual(['a/app', 'b/app', 'site']);
  });
});

describe('search', () => {
  const list: ChatList = { chats: [{ ...ROW, project: '/work/my app' }], demo: false, problems: [] };
  const offered = (text: string) => suggestions(text, text.length, list).map(({ text: next }) => next);

  test('completes names, then values; values with spaces in quotes', () => {
    expect(offered('words pro')).toEqual(['words project:']);
    expect(offered('words -rol')).toEqual(['words -role:']);
    expect(offered('words project:my')).toEqual(['words project:"my app" ']);
    expect(offered('role:')).toEqual(['role:user ', 'role:assistant ', 'role:system ']);
    expect(offered('p')).toEqual([]);
    expect(offered('http://')).toEqual([]);
  });

  test('what is taken in the middle leaves the rest', () => {
    const [first] = suggestions('in:pro cats', 6, list);
    expect(first).toMatchObject({ text: 'in:prompt cats', cursor: 10 });
  });

  test('a filter that is put in can be taken out, whatever stands around it', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.stringMatching(/^[a-z ]{0,4}[a-z]$/),
        (words, value) => {
          const text = words.join(' ');
          const filtered = toggled(text, 'project', value);
          expect(filtersIn(filtered)).toMatchObject([{ name: 'project', value, negated: false }]);
          expect(toggled(filtered, 'project', value)).toBe(text);
          expect(withoutFilters(`is:error ${filtered}`)).toBe(text);
        },
      ),
    );
    expect(without('a is:error b', { start: 2, end: 10 })).toBe('a b');
  });

  test('a filter without its value yet is not wrong', () => {
    expect(checkQuery('cats project:').state).toBe('unfinished');
    expect(checkQuery('cats rol:x').state).toBe('wrong');
    expect(checkQuery('  ').state).toBe('empty');
    expect(checkQuery('cats').state).toBe('fine');
  });
});

describe('usage', () => {
  test('ticks are round, begin at nothing and reach the largest', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (largest) => {
        const lines = ticks(largest);
        expect(lines[0]).toBe(0);
        expect(lines.at(-1)).toBeGreaterThanOrEqual(largest * (1 - 1e-9));
        expect(lines.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  test('labels never touch, and the last is one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 40 }), (count, room) => {
        const has = everyNth(count, room);
        const shown = Array.from({ length: count }, (_, index) => index).filter(has);
        expect(shown.at(-1)).toBe(count - 1);
        expect(shown.length).toBeLessThanOrEqual(room);
      }),
    );
  });

  test('however it is stacked or summed, nothing is lost; days between are there', () => {
    const day = fc
      .integer({ min: 0, max: 70 })
      .map((days) => new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, 10));
    const row = fc.record({ day, model: fc.constantFrom(...'abcdefghijkl'), cost: fc.integer({ min: 0, max: 1000 }) });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 60 }),
        fc.constantFrom('day', 'week', 'month'),
        (given, span) => {
          const rows = given.map(({ day, model, cost }) => usageRow({ day, model }, cost));
          const total = given.reduce((sum, { cost }) => sum + cost, 0);
          const { columns, series } = stacked(rows, span);
          expect(columns.reduce((sum, column) => sum + column.total, 0)).toBe(total);
          expect(series.reduce((sum, { total: own }) => sum + own, 0)).toBe(total);
          expect(series.length).toBeLessThanOrEqual(8);
          expect(columns.map(({ key }) => key)).toEqual(columns.map(({ key }) => key).toSorted());
          expect(summed(rows, 'model').reduce((sum, { costUSD }) => sum + (costUSD ?? 0), 0)).toBe(total);
        },
      ),
    );
  });

  test('a week ends on Sunday, a month on its last day', () => {
    expect(daysOf('2026-02-02', 'week')).toEqual({ since: '2026-02-02', until: '2026-02-08' });
    expect(daysOf('2024-02', 'month')).toEqual({ since: '2024-02-01', until: '2024-02-29' });
  });

  test('what makes a chat dear comes first', () => {
    const sum = (key: string, messages: number, costUSD: number) => ({
      ...usageRow({ chat: key }, costUSD),
      key,
      messages,
    });
    const all = [sum('many', 100, 1), sum('dear', 10, 5), sum('usual', 10, 0.1)];
    const why = (key: string) =>
      whyDear(all.find((each) => each.key === key) ?? all[0] ?? sum('', 1, 1), all, 'claude-opus-4-5');
    expect(why('many')).toMatch(/^100 messages \(10× the usual\) · \$0\.010 each · opus-4-5$/);
    expect(why('dear')).toMatch(/^\$0\.50 each \(50× the usual\) · 10 messages/);
    expect(median([])).toBe(0);
  });
});

function usageRow(key: Record<string, string>, costUSD: number): UsageRow {
  return {
    key,
    messages: 1,
    input: 0,
    output: 1,
    cacheCreation: 0,
    cacheRead: 0,
    cacheCreation1h: 0,
    webSearches: 0,
    costUSD,
    unpriced: 0,
    incomplete: 0,
    estimatedOutput: 0,
  };
}

describe('the timeline', () => {
  const span = (start: number, length: number): Span => ({
    key: `${start} ${length}`,
    kind: 'call',
    name: 'Bash',
    detail: '',
    start,
    end: start + length,
    uuid: null,
    status: 'ok',
    agent: null,
  });

  test('lanes hold every span once, none over another, as few as possible', () => {
    const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 20 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(spans, (given) => {
        const all = given.map(([start, length]) => span(start, length));
        const lanes = lanesOf(all);
        expect(lanes.flatMap(({ spans: own }) => own).length).toBe(all.length);
        for (const { spans: own } of lanes) {
          for (const [index, each] of own.entries())
            expect(own[index + 1]?.start ?? each.end).toBeGreaterThanOrEqual(each.end);
        }
        const most = Math.max(
          0,
          ...all.map(({ start }) => all.filter((each) => each.start <= start && start < each.end).length),
        );
        expect(lanes.length).toBe(most);
      }),
    );
  });

  test('what has no end goes on until the end of the turn; what has no time is left out', () => {
    const call = {
      id: 'c',
      name: 'Bash',
      argument: '',
      status: 'pending',
      durationMs: null,
      size: 0,
      failure: null,
      agent: null,
    } as const;
    const turn = {
      index: 0,
      ended: '2026-01-01T00:01:00Z',
      generations: [{ id: null, uuid: null, model: null, started: null, ended: null, stopReason: null, usage: null }],
      items: [{ type: 'call', uuid: 'u', call: { ...call, started: '2026-01-01T00:00:00Z', ended: null } }],
    } as unknown as PageTurn;
    expect(spansOf([turn])).toMatchObject([
      { kind: 'call', start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 0, 1, 0, 1) },
    ]);
  });

  test('ticks stay within the turn and apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 100, max: 1500 }), (length, width) => {
        const all = timeTicks({ start: 5, end: 5 + length }, width);
        expect(all[0]).toBe(0);
        expect(all.length).toBeLessThanOrEqual(width / 64 + 1);
        expect(Math.max(...all)).toBeLessThanOrEqual(length);
      }),
    );
  });
});

describe('Markdown', () => {
  test('nothing is taken apart that would take too long', () => {
    const [stars] = lexed('a**b'.repeat(100_000)) ?? [];
    expect(stars?.type === 'paragraph' && stars.tokens).toMatchObject([{ type: 'text' }]);
    expect(lexed('> '.repeat(20_000))).toBeUndefined();
    const table = (columns: number) => ['a', '-', 'b'].map((cell) => `|${cell}`.repeat(columns)).join('\n');
    expect([10, 10_000].map((columns) => lexed(table(columns))?.filter(isTable).length)).toEqual([1, 0]);
    const [strong] = lexed('so **be** it') ?? [];
    expect(strong?.type === 'paragraph' && strong.tokens?.map(({ type }) => type)).toEqual(['text', 'strong', 'text']);
  });
});

test('durations are rounded before they are taken apart', () => {
  expect([900, 59_940, 59_960, 72_000, 119_700, 1_800_000, 3_599_600, 7_260_000].map(humanDuration)).toEqual([
    '900 ms',
    '59.9 s',
    '1 min',
    '1 min 12 s',
    '2 min',
    '30 min',
    '1 h',
    '2 h 1 min',
  ]);
});

test('what would be unseen or turn a text around is shown by its name', () => {
  expect(withControls('rm \u202e/ fr-\u202c\u2066x\u2069\0\x1b[2J\x7f\t\r\n')).toBe(
    'rm ⟨U+202E⟩/ fr-⟨U+202C⟩⟨U+2066⟩x⟨U+2069⟩␀␛[2J␡\t\r\n',
  );
  expect(withControls('שלום 👩‍👧 日本')).toBe('שלום 👩‍👧 日本');
});
