/** Of very many messages most are kept as numbers: the same is counted as without. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIds } from '../../src/format/ids.ts';
import type { Usage } from '../../src/format/usage.ts';
import { createUsageFold, type MessageUsage } from '../../src/graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin, type LineUsage } from '../../src/graph/usage/line.ts';
import { createLineOrigins } from '../../src/graph/usage/origins.ts';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const count = fc.oneof(fc.nat(300), fc.constantFrom(0, 1, 2 ** 31 - 3, 2 ** 31 - 2, 2 ** 31, 999_999_999_999));
const name = fc.constantFrom('standard', 'batch', '', 'a\nb', 'ünï', '"', '\0');

const counts = { input: count, output: count, cacheCreation: count, cacheRead: count };
const round: fc.Arbitrary<Usage> = fc.record(counts);
const usage: fc.Arbitrary<Usage> = fc.record({
  ...counts,
  cacheCreation5m: maybe(count),
  cacheCreation1h: maybe(count),
  webSearches: maybe(count),
  webFetches: maybe(count),
  serviceTier: maybe(name),
  speed: maybe(name),
  inferenceGeo: maybe(name),
  rounds: fc.option(fc.array(round, { minLength: 2, maxLength: 3 }), { nil: undefined, freq: 20 }),
});

const origin: fc.Arbitrary<LineOrigin> = fc.record({
  file: fc.constantFrom('/a', '/b'),
  line: fc.nat(5),
  start: fc.constantFrom(0, 7, 2 ** 40),
  end: fc.constantFrom(2 ** 40, 2 ** 40 + 9),
  cwd: maybe(name),
  gitBranch: maybe(name),
  agentId: maybe(name),
  isSidechain: fc.boolean(),
  isCopy: fc.boolean(),
  isFork: fc.boolean(),
});

/** Few ids, so that lines meet; some of a request alone. */
const ids = fc.record({ id: maybe(fc.nat(400)), request: maybe(fc.nat(30)) }).map(({ id, request }) => {
  const requestId = request === undefined ? undefined : `r${request}`;
  return { key: id === undefined ? requestId : id < 3 ? `odd \n"${id}` : `m${id}`, requestId };
});

const line: fc.Arbitrary<LineUsage> = fc
  .record({
    ids,
    usage,
    ended: fc.boolean(),
    synthetic: fc.integer({ min: 0, max: 19 }).map((each) => each === 0),
    model: maybe(name),
    time: maybe(fc.constantFrom(0, 1, 1_772_359_200_000, 7_258_118_399_999)),
    costUSD: maybe(fc.constantFrom(0, 0.1, 0.012_345_678_9, 999_999.99)),
    estimate: maybe(count),
    origin,
  })
  .map(({ ids: told, ...more }) => ({ ...more, ...told }));

function folds() {
  const known = createIds();
  const room = { most: () => 0, ids: () => known, origins: createLineOrigins };
  return [createUsageFold<LineOrigin>(isBetterOrigin), createUsageFold<LineOrigin>(isBetterOrigin, room)] as const;
}

const withoutIds = ({ key, requestId, ...more }: MessageUsage<LineOrigin>) => more;

describe('messages that are kept as numbers', () => {
  test('E4: are the same as others, whatever of them repeats', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 600, maxLength: 900 }), (lines) => {
        const [plain, packed] = folds();
        for (const each of lines) expect(packed.add({ ...each })).toBe(plain.add({ ...each }));
        const messages = plain.messages();
        for (const [place, message] of packed.messages().entries()) expect(message).toEqual(messages[place]);
        expect([...packed].map(withoutIds)).toEqual(messages.map(withoutIds));
        const drained: MessageUsage<LineOrigin>[] = [];
        packed.drain((message) => drained.push(message));
        expect(drained).toEqual(messages);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  test('are told by number, and go on being joined', () => {
    const [, packed] = folds();
    const told = (key: string, output: number): LineUsage => ({
      key,
      usage: { input: 1, output, cacheCreation: 0, cacheRead: 0 },
      ended: true,
      synthetic: false,
      origin: { file: '/a', line: 1, start: 0, end: 5, isSidechain: false, isCopy: false, isFork: false },
    });
    for (let number = 0; number < 5000; number += 1) expect(packed.add(told(`m${number}`, 1))).toBe(number);
    expect(packed.add(told('m7', 9))).toBe(7);
    expect(packed.at(7)).toMatchObject({ key: 'm7', usage: { output: 9 } });
    expect(packed.at(8)).toMatchObject({ key: 'm8', usage: { output: 1 } });
    expect(() => packed.at(5000)).toThrow('there is no message 5000');
  });
});
