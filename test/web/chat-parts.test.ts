/** The pure parts of the page: colours of terminals, links, what is cut, rows. */
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ITEMS_PART } from '../../src/views/page/options.ts';
import type { ChatPage, PageItem, PageTurn } from '../../src/views/page/types.ts';
import { embeddedApi } from '../../web/app/embedded.ts';
import { nearest } from '../../web/chat/near.ts';
import { partKey, rowsOf } from '../../web/chat/rows.ts';
import { createStore } from '../../web/chat/store.ts';
import { ansiPieces, withoutAnsi } from '../../web/parts/ansi.ts';
import { safeHref } from '../../web/parts/Link.tsx';
import { cutText } from '../../web/parts/Long.tsx';
import { chatRow } from '../support/chatrow.ts';

const control = fc.constantFrom(
  '\x1b[31m',
  '\x1b[0m',
  '\x1b[38;5;200m',
  '\x1b[38;2;1;2;3m',
  '\x1b[',
  '\x1b]8;;x\x07',
  '\x1b]0;t',
  '\r',
  '\x9b',
  '\x1b',
);
const output = fc.array(fc.oneof(control, fc.string(), fc.constant('\n'))).map((parts) => parts.join(''));

test('terminal output: no control character gets through, and only known classes', () => {
  fc.assert(
    fc.property(output, (text) => {
      const pieces = ansiPieces(text);
      const shown = pieces.map((piece) => piece.text).join('');
      expect(shown).toBe(withoutAnsi(text));
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      for (const { classes } of pieces) {
        expect(classes).toMatch(/^(?:(?:(?:fg|bg)-(?:\d|1[0-5]|inverse)|bold|dim|italic|underline)(?: |$))*$/);
      }
    }),
  );
});

test('terminal output: colours begin and end where they are set', () => {
  expect(ansiPieces('a\x1b[1;31mb\x1b[0mc')).toEqual([
    { text: 'a', classes: '' },
    { text: 'b', classes: 'fg-1 bold' },
    { text: 'c', classes: '' },
  ]);
  expect(ansiPieces('10%\r50%\r100%\ndone')).toEqual([{ text: '100%\ndone', classes: '' }]);
  expect(ansiPieces('\x1b[38;5;9mred \x1b[48;2;255;0;0mground')).toEqual([
    { text: 'red ', classes: 'fg-9' },
    { text: 'ground', classes: 'fg-9 bg-9' },
  ]);
});

test('links go to the web and to mail only', () => {
  for (const href of ['https://a.example/x?y#z', 'http://a.example/', 'mailto:a@example.org'])
    expect(safeHref(href)).toBe(href);
  const bad = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JAVASCRIPT:x',
    'java\tscript:x',
    'data:text/html,x',
    'file:///x',
    '//a.example',
    '/api/chats',
    '#x',
    'vbscript:x',
    'https://',
  ];
  for (const href of bad) expect(safeHref(href)).toBeUndefined();
});

test('what is cut is a beginning, of so many lines and characters at most', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(5), fc.nat(40), (text, lines, characters) => {
      const cut = cutText(text, lines + 1, characters);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.split('\n').length).toBeLessThanOrEqual(lines + 1);
      expect(cut.length).toBeLessThanOrEqual(characters);
    }),
  );
});

const call = (id: string, agentId: string | null): PageItem => ({
  type: 'call',
  uuid: id,
  call: {
    id,
    name: 'Task',
    argument: '',
    status: 'ok',
    started: null,
    ended: null,
    durationMs: null,
    size: 0,
    failure: null,
    agent:
      agentId === null ? null : { agentId, callId: id, type: null, description: null, tokens: 0, calls: 0, turns: 1 },
  },
});

function turnOf(index: number, items: readonly PageItem[]): PageTurn {
  const head = {
    index,
    number: index + 1,
    uuid: null,
    kind: 'text',
    round: 'new_round',
    state: 'complete',
    prompt: '',
  } as const;
  const facts = { started: null, ended: null, durationMs: null, messages: 1, calls: 0, failures: 0, compacted: false };
  return { ...head, ...facts, forks: index === 1 ? [1] : [], items, more: 0, generations: [] };
}

test('L3: sub-agents open to any depth, each row once; one that leads back to itself ends', () => {
  const agent = (agentId: string, callId: string) => ({
    ...{ agentId, callId, type: null, description: null, tokens: 0, calls: 0, turns: 1 },
  });
  const agents = new Map([
    ['a c1', { agent: agent('a', 'c1'), turns: [turnOf(0, [call('c2', 'b')])] }],
    ['b c2', { agent: agent('b', 'c2'), turns: [turnOf(0, [call('c3', 'a')])] }],
  ]);
  const heads = [turnOf(0, [call('c1', 'a')]), turnOf(1, []), turnOf(2, [])];
  const turns = new Map(heads.slice(0, 2).map((turn) => [turn.index, turn]));
  const opened = new Set(['t0.0', 't0.0/t0.0', 't0.0/t0.0/t0.0']);
  const rows = rowsOf({ heads, turns, parts: new Map(), agents, opened });
  expect(rows.map(({ key, type, depth }) => `${depth} ${type} ${key}`)).toEqual([
    '0 turn t0',
    '0 item t0.0',
    '1 turn t0.0/t0',
    '1 item t0.0/t0.0',
    '2 turn t0.0/t0.0/t0',
    '2 item t0.0/t0.0/t0.0',
    '3 agent t0.0/t0.0/t0.0.agent',
    '0 turn t1',
    '0 forks t1.forks',
    '0 unloaded t2',
  ]);
  expect(rows.find(({ type }) => type === 'agent')).toMatchObject({ state: 'circle' });
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

test('a turn with very many items has rows for the parts that are not here, and keys that stay when they come', () => {
  const texts = (count: number, from: number): PageItem[] =>
    Array.from({ length: count }, (_, place) => ({ type: 'text', uuid: `u${from + place}`, text: 'x' }));
  const head = { ...turnOf(0, texts(ITEMS_PART, 0)), more: ITEMS_PART + 7 };
  const input = { heads: [head], turns: new Map([[0, head]]), agents: new Map(), opened: new Set<string>() };
  const without = rowsOf({ ...input, parts: new Map() });
  expect(without.slice(-2).map(({ key, type }) => `${type} ${key}`)).toEqual(['part t0.part1', 'part t0.part2']);
  const second = { ...head, items: texts(7, 2 * ITEMS_PART), more: 0 };
  const rows = rowsOf({ ...input, parts: new Map([[partKey(0, 2), second]]) });
  expect(rows.map(({ key }) => key).slice(-8)).toEqual([
    't0.part1',
    ...[0, 1, 2, 3, 4, 5, 6].map((place) => `t0.${2 * ITEMS_PART + place}`),
  ]);
});

test('turns far from the reader are dropped when there are too many items, the nearest never', () => {
  const items: PageItem[] = Array.from({ length: 200 }, () => ({ type: 'text', uuid: null, text: 'x' }));
  const turns = new Map(Array.from({ length: 100 }, (_, index) => [index, turnOf(index, items)]));
  const parts = new Map([partKey(0, 1), partKey(50, 1)].map((key) => [key, turnOf(Number(key.split('.')[0]), items)]));
  const kept = nearest({ turns, parts }, { from: 48, to: 52 });
  const places = [...kept.turns.keys()].sort((a, b) => a - b);
  expect(places.length).toBe(15);
  expect([places[0], places.at(-1)]).toEqual([43, 57]);
  expect([...kept.parts.keys()]).toEqual([partKey(50, 1)]);
  const few = new Map([...turns].slice(0, 20));
  expect(nearest({ turns: few, parts }, { from: 90, to: 91 }).turns).toBe(few);
});

test('a store holds what is near: what was dropped is asked for again, what is printed is not dropped', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const items: PageItem[] = Array.from({ length: 100 }, () => ({ type: 'text', uuid: null, text: 'x' }));
  const turns = Array.from({ length: 200 }, (_, index) => turnOf(index, items));
  const page: ChatPage = {
    chat: { ...NO_CHAT, turns: turns.length },
    version: '1',
    sessions: [],
    edges: [],
    branches: [],
    branch: 0,
    turns,
    agents: [],
    resume: { command: null, reason: null },
  };
  const api = embeddedApi({ branches: [{ page, turns }], branch: 0, calls: {}, agents: {} });
  const store = createStore(api, page, () => {});
  const readAll = async () => {
    for (let from = 0; from < turns.length; from += 10) await store.need(from, from + 10);
  };
  await readAll();
  expect(store.data().turns.size).toBe(200);
  vi.advanceTimersByTime(5000);
  expect(store.data().turns.size).toBe(30);
  expect(store.data().turns.has(199)).toBe(true);
  await store.need(0, 3);
  expect(store.data().turns.has(0)).toBe(true);
  store.keepAll();
  await readAll();
  vi.advanceTimersByTime(5000);
  expect(store.data().turns.size).toBe(200);
  store.close();
});

const NO_CHAT = chatRow();
