/** The index, the leaf and the walk by themselves (R1–R6), and that they cost no more than a few looks at each entry. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { type ChainNode, chainOf, leafOf, walk } from '../../src/graph/chain.ts';
import { context } from '../../src/graph/context/context.ts';
import { entriesOf } from '../support/resume-cases.ts';
import {
  assistant,
  attachment,
  boundary,
  pin,
  result,
  summary,
  time,
  transcript,
  use,
  user,
  uuid,
} from '../support/transcript.ts';

const number = (node: ChainNode | undefined) =>
  node === undefined ? undefined : Number.parseInt(node.key.slice(0, 8), 16);

function leaf(lines: readonly JsonObject[]): number | undefined {
  return number(leafOf(chainOf(entriesOf(transcript(lines)))));
}

function path(lines: readonly JsonObject[]): (number | undefined)[] {
  const chain = chainOf(entriesOf(transcript(lines)));
  const from = leafOf(chain);
  return from === undefined ? [] : walk(chain, from).map(number);
}

const start = [user(1, null, 'q1'), assistant(2, 1, 'm1', 'a1')];
const branches = [
  ...start,
  user(3, 2, 'old'),
  assistant(4, 3, 'm2', 'a'),
  user(5, 2, 'new'),
  assistant(6, 5, 'm3', 'b'),
];

describe('chain', () => {
  test('R1 a repeated uuid has the last content and the first place', () => {
    const { nodes } = chainOf(entriesOf(transcript([...start, { ...user(1, null, 'changed'), isMeta: true }])));
    expect([...nodes.values()].map(({ key, order }) => [key, order])).toEqual([
      [uuid(1), 0],
      [uuid(2), 1],
    ]);
    expect(nodes.get(uuid(1))?.entry.head.isMeta).toBe(true);
  });
  test('R2 only the newest pin counts, and none after a boundary', () => {
    expect(leaf([...branches, pin(4)])).toBe(4);
    expect(leaf([...branches, pin(4), pin(99)])).toBe(6);
    expect(leaf([...branches, pin(4), boundary(7), summary(8, 7)])).toBe(8);
  });
  test('R3 the leaf is the last line of the conversation; a boundary with nothing after it is none', () => {
    expect(leaf(branches)).toBe(6);
    expect(leaf([...branches, attachment(7, 4)])).toBe(7);
    expect(leaf([...branches, boundary(7)])).toBe(6);
    expect(leaf([])).toBeUndefined();
  });
  test('R4 a pin below which the tip lies does not hold it back', () => {
    expect(leaf([...branches, pin(2)])).toBe(6);
  });
  test('R5 without any pin the newest below the tip', () => {
    expect(leaf([user(1, null, 'q1'), user(3, 2, 'q2'), assistant(2, 1, 'm1', 'a1')])).toBe(3);
    expect(leaf([user(1, null, 'q1'), user(3, 2, 'q2'), assistant(2, 1, 'm1', 'a1'), pin(99)])).toBe(2);
  });
  test('R6 the walk ends at a root, bridges gaps and progress, and stops in a cycle', () => {
    expect(path(branches)).toEqual([1, 2, 5, 6]);
    expect(path([...start, user(3, 99, 'q2')])).toEqual([1, 2, 3]);
    const progress = { type: 'progress', uuid: uuid(3), parentUuid: uuid(1) };
    expect(path([...start, progress, user(4, 3, 'q2')])).toEqual([1, 4]);
    expect(path([user(1, 2, 'q1'), assistant(2, 1, 'm1', 'a1')])).toEqual([1, 2]);
  });
  test('E15 a list without uuids is a chain', () => {
    const bare = start.map(({ type, message }) => ({ type, message }));
    const chain = chainOf(entriesOf(transcript(bare)));
    const from = leafOf(chain);
    expect(from && walk(chain, from)).toHaveLength(2);
  });
});

/** The most looks at one entry, and how often one payload was read. */
function looks(lines: readonly JsonObject[]): { most: number; reads: number } {
  const entries = entriesOf(transcript(lines));
  const counts = new Map<Entry, number>();
  const reads = new Map<Entry, number>();
  context(entries, {
    prompt: 'new',
    onVisit: (entry, phase) => {
      counts.set(entry, (counts.get(entry) ?? 0) + 1);
      if (phase === 'read') reads.set(entry, (reads.get(entry) ?? 0) + 1);
    },
  });
  return { most: Math.max(...counts.values()), reads: Math.max(...reads.values()) };
}

describe('work', () => {
  const many = 5000;
  const each = (make: (n: number) => JsonObject) => Array.from({ length: many }, (_, i) => make(i + 3));
  const at = (n: number) => ({ timestamp: time(n / 1000) });
  const shapes: Record<string, () => JsonObject[]> = {
    'a long line': () => [...start, ...each((n) => user(n, n - 1, 'q', at(n)))],
    'siblings of one parent': () => [...start, ...each((n) => user(n, 2, 'q', at(n)))],
    'lines and results of one message': () => [
      user(1, null, 'q'),
      assistant(2, 1, 'm', [use('t2')]),
      ...each((n) =>
        n % 2 ? assistant(n, 2, 'm', [use(`t${n}`)], at(n)) : user(n, 99_999, [result(`t${n - 1}`)], at(n)),
      ),
    ],
    'gaps everywhere': () => [...start, ...each((n) => user(n, n + 1_000_000, 'q', at(n)))],
    'cycles of two': () => [...start, ...each((n) => user(n, n % 2 ? n + 1 : n - 1, 'q', at(n)))],
    'one uuid': () => [...start, ...each((n) => ({ ...user(3, 2, `q${n}`), ...at(n) }))],
    'one call id': () => [
      ...start,
      ...each((n) => (n % 2 ? assistant(n, n - 1, `m${n}`, [use('t')], at(n)) : user(n, n - 1, [result('t')], at(n)))),
    ],
    'calls without anything typed': () => [
      ...start,
      ...each((n) =>
        n % 2 ? assistant(n, n - 1, `m${n}`, [use(`t${n}`)], at(n)) : user(n, n - 1, [result(`t${n - 1}`)], at(n)),
      ),
    ],
    attachments: () => [...start, user(3, 2, 'q'), ...each((n) => attachment(n + 1, n, 'note', at(n)))],
    progress: () => [
      ...start,
      ...each((n) => ({ type: n % 2 ? 'user' : 'progress', uuid: uuid(n), parentUuid: uuid(n - 1), ...at(n) })),
    ],
    'boundaries with records': () => [
      ...start,
      ...each((n) => boundary(n, { preservedMessages: { anchorUuid: uuid(2), uuids: [uuid(1)] } })),
    ],
  };
  test.each(Object.entries(shapes))('%s: each entry is looked at a bounded number of times', (_, make) => {
    const { most, reads } = looks(make());
    expect(most).toBeLessThanOrEqual(16);
    expect(reads).toBeLessThanOrEqual(1);
  });
});
