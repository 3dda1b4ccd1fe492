import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/format/entry.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { branchesOf } from '../../../src/graph/branches.ts';
import { assistant, chain, entriesOf, text, user } from '../../support/build.ts';

const answer = (content: string, more: JsonObject = {}) => assistant(content, { id: `m-${content}` }, more);

function uuids(entries: readonly Entry[]): (string | undefined)[] {
  return entries.map(({ head }) => head.uuid);
}

describe('branches: properties', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const anyLine = fc
    .record(
      {
        type: fc.constantFrom(
          'user',
          'assistant',
          'system',
          'attachment',
          'progress',
          'weird',
          'queue-operation',
          'summary',
        ),
        subtype: fc.constantFrom('compact_boundary', 'turn_duration', 'local_command'),
        uuid: ids,
        parentUuid: fc.oneof(ids, fc.constant(null), fc.constant('lost')),
        logicalParentUuid: ids,
        isSidechain: fc.boolean(),
        isMeta: fc.boolean(),
        timestamp: fc.constantFrom('2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', '2026-01-01T00:00:03Z', 'never'),
        leafUuid: ids,
        message: fc.record(
          {
            id: fc.constantFrom('m1', 'm2', 'm3'),
            content: fc.oneof(
              fc.constantFrom('hello', '<command-name>/x</command-name>', '[Request interrupted by user]'),
              fc.array(
                fc.constantFrom<JsonObject>(
                  text('t'),
                  { type: 'tool_use', id: 't1', name: 'Task', input: {} },
                  { type: 'tool_result', tool_use_id: 't1' },
                ),
              ),
            ),
          },
          { requiredKeys: [] },
        ),
        compactMetadata: fc.record({
          messagesSummarized: fc.nat(9),
          preservedMessages: fc.record({ anchorUuid: ids, uuids: fc.array(ids) }),
        }),
      },
      { requiredKeys: ['type'] },
    )
    .map((line): JsonObject => JSON.parse(JSON.stringify(line)));

  test('never throws; every line is in a branch, and in each at most once; one branch is current', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), (built) => {
        const entries = entriesOf(built);
        const branches = branchesOf(entries);
        const reached = new Set<Entry>();
        for (const branch of branches.branches) {
          const own = branches.entriesOf(branch);
          expect(new Set(own).size).toBe(own.length);
          for (const entry of own) reached.add(entry);
        }
        expect(branches.branches.filter((branch) => branch.current)).toHaveLength(branches.branches.length > 0 ? 1 : 0);
        if (branches.branches.length > 0) expect(reached.size).toBe(entries.length);
      }),
      { numRuns: 500 },
    );
  });

  /** A tree of prompts and answers: each line's parent is an earlier one. */
  const tree = fc.array(fc.nat(), { minLength: 1, maxLength: 40 }).map((choices) =>
    choices.map((choice, index): JsonObject => {
      const parentUuid = index === 0 ? null : `u${choice % index}`;
      return { ...(index % 2 === 0 ? user(`Q${index}`) : answer(`A${index}`)), uuid: `u${index}`, parentUuid };
    }),
  );

  test('E12: whatever the file order, the branches are the same and parents come first', () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat()), (built, random) => {
        const shuffled = built
          .map((line) => ({ line, key: Number(random.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ line }) => line);
        const ends = (all: readonly JsonObject[]) => {
          const found = branchesOf(entriesOf(all), {});
          return found.branches.map(({ head }) => head).sort();
        };
        const leaves = built
          .filter(({ uuid }) => !built.some((line) => line.parentUuid === uuid))
          .map(({ uuid }) => uuid);
        const branches = branchesOf(entriesOf(shuffled));
        for (const branch of branches.branches) {
          const order = uuids(branches.entriesOf(branch));
          for (const [place, uuid] of order.entries()) {
            const parent = built.find((line) => line.uuid === uuid)?.parentUuid;
            if (typeof parent === 'string') expect(order.indexOf(parent)).toBeLessThan(place);
          }
        }
        const isInside = (head: string | undefined) => !leaves.includes(head);
        expect(ends(built).filter((head) => !isInside(head))).toEqual([...leaves].sort());
        expect(ends(shuffled).filter((head) => !isInside(head))).toEqual([...leaves].sort());
      }),
    );
  });

  test.each([
    ['a long conversation', (i: number) => ({ parentUuid: i === 0 ? null : `u${i - 1}` })],
    ['nothing but rewinds', (i: number) => ({ parentUuid: i === 0 ? null : 'u0' })],
    ['nothing but lost parents', (i: number) => ({ parentUuid: `lost${i}` })],
    ['written backwards', (i: number, n: number) => ({ parentUuid: i === n - 1 ? null : `u${i + 1}` })],
    ['one cycle', (i: number, n: number) => ({ parentUuid: `u${(i + 1) % n}` })],
    [
      'unknown types',
      (i: number) => ({ type: i % 2 === 0 ? 'weird' : 'user', parentUuid: i === 0 ? null : `u${i - 1}` }),
    ],
  ])('linear: %s', (_, shape) => {
    const visits = (n: number) => {
      let count = 0;
      const built = Array.from({ length: n }, (__, i) => ({ ...user('Q'), uuid: `u${i}`, ...shape(i, n) }));
      const counted = entriesOf(chain(built)).map(
        (entry): Entry => ({
          ...entry,
          get head() {
            count += 1;
            return entry.head;
          },
        }),
      );
      const branches = branchesOf(counted);
      branches.entriesOf(branches.current);
      return count;
    };
    const [small, large] = [visits(500), visits(2_000)];
    expect(large).toBeLessThan(small * 4.4);
    expect(large).toBeLessThan(2_000 * 120);
  });
});
