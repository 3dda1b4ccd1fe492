/** The pure parts of the page: colours of terminals, links, what is cut, rows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageItem, PageTurn } from '../../src/views/page/types.ts';
import { rowsOf } from '../../web/chat/rows.ts';
import { ansiPieces, withoutAnsi } from '../../web/parts/ansi.ts';
import { safeHref } from '../../web/parts/Link.tsx';
import { cutText } from '../../web/parts/Long.tsx';

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
    agent: agentId === null ? null : { agentId, type: null, description: null, tokens: 0, calls: 0, turns: 1 },
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
  return { ...head, ...facts, forks: index === 1 ? [1] : [], items, generations: [] };
}

test('L3: sub-agents open to any depth, each row once; one that leads back to itself ends', () => {
  const agent = (agentId: string) => ({ agentId, type: null, description: null, tokens: 0, calls: 0, turns: 1 });
  const agents = new Map([
    ['a', { agent: agent('a'), turns: [turnOf(0, [call('c2', 'b')])] }],
    ['b', { agent: agent('b'), turns: [turnOf(0, [call('c3', 'a')])] }],
  ]);
  const heads = [turnOf(0, [call('c1', 'a')]), turnOf(1, []), turnOf(2, [])];
  const turns = new Map(heads.slice(0, 2).map((turn) => [turn.index, turn]));
  const opened = new Set(['t0.0', 't0.0/t0.0', 't0.0/t0.0/t0.0']);
  const rows = rowsOf({ heads, turns, agents, opened });
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
