/** The part of a session that decides what a resume sends: sent alone, it gives the same. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry, Source } from '../../../src/format/entry.ts';
import { createIds } from '../../../src/format/ids.ts';
import { asObject, asString, type Json, type JsonObject, parseJson } from '../../../src/format/json.ts';
import { chainOf, leafOf, walk } from '../../../src/graph/chain.ts';
import { createPartFinder } from '../../../src/graph/check/lastpart.ts';
import { createLog } from '../../../src/graph/check/log.ts';
import { findCircles } from '../../../src/graph/check/parents.ts';
import { checkGraph } from '../../../src/graph/check.ts';
import { context } from '../../../src/graph/context/context.ts';
import { toolResult, toolUse } from '../../support/build.ts';
import { damagedTranscript } from '../../support/damage.ts';
import { entriesOf } from '../../support/resume-cases.ts';
import { assistant, boundary, pin, summary, time, user, uuid } from '../../support/transcript.ts';

function lastPartOf(entries: readonly Entry[]): Entry[] {
  const log = createLog(createIds());
  const parts = createPartFinder(log);
  for (const [index, entry] of entries.entries()) {
    log.add(entry);
    parts.add(entry, index);
  }
  return parts.result(findCircles(log));
}

function entriesIn(lines: readonly (JsonObject | string)[]): readonly Entry[] {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return entriesOf(text.map((line) => `${line}\n`).join(''));
}

const firstLine = (entries: readonly Entry[]) => lastPartOf(entries)[0]?.line.number;

/** What it all is for. */
function told(entries: readonly Entry[]) {
  const chain = chainOf(entries);
  const leaf = leafOf(chain);
  const path = leaf === undefined ? [] : walk(chain, leaf);
  return { path: path.map(({ entry }) => entry.line.number), ...context(entries, { prompt: 'x' }) };
}

const IDS = new Set(['uuid', 'parentUuid', 'leafUuid', 'id', 'tool_use_id', 'anchorUuid', 'headUuid', 'tailUuid']);

/** The same transcript with ids of its own. */
function renamed(value: Json, mark: string, key = ''): Json {
  if (typeof value === 'string') return value !== '' && (IDS.has(key) || key === 'uuids') ? `${mark}${value}` : value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, mark, key));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, renamed(inner ?? null, mark, name)]));
}

/** Ties between what was put together: a parent, a message or a leaf of another part. */
function tied(lines: readonly string[], kind: number, from: number, to: number): string[] {
  const [a, b] = [from, to].map((choice) => asObject(parseJson(lines[choice % lines.length] ?? '')));
  const target = asString(b?.uuid) ?? 'nowhere';
  const at = from % lines.length;
  if (kind === 0) return lines.toSpliced(at, 0, JSON.stringify({ type: 'last-prompt', leafUuid: target }));
  if (a === undefined) return [...lines];
  const message = { ...asObject(a.message), id: asObject(b?.message)?.id };
  const changed = kind === 1 ? { ...a, parentUuid: target } : kind === 2 ? { ...a, message } : { ...a, uuid: target };
  return lines.toSpliced(at, 1, JSON.stringify(changed));
}

const choice = fc.nat(100_000);
const KINDS = [
  'user',
  'assistant',
  'assistant',
  'result',
  'system',
  'attachment',
  'boundary',
  'progress',
  'pin',
] as const;

/** A line that hangs on the one before it, an earlier one, one that comes later or is missing, or none. */
const wild = fc.record({
  kind: fc.constantFrom(...KINDS),
  above: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.integer({ min: -1, max: 4 }), fc.constant(null)),
  seconds: fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, fc.integer({ min: -20, max: 300 })),
  call: fc.nat(3),
  isSidechain: fc.nat(9).map((n) => n === 0),
  keeps: fc.option(fc.integer({ min: 1, max: 4 })),
});
type Wild = typeof wild extends fc.Arbitrary<infer T> ? T : never;

function wildLines(lines: readonly Wild[]): string[] {
  let now = 1000;
  return lines.map(({ kind, above, seconds, call, isSidechain, keeps }, index) => {
    now += seconds;
    const parent = above === null ? null : index - above < 0 ? null : index - above;
    const more = { ...(isSidechain ? { isSidechain } : {}), timestamp: time(now) };
    const tool = `t${call}`;
    if (kind === 'pin') return JSON.stringify(pin(parent ?? index));
    if (kind === 'user') return JSON.stringify(user(index, parent, 'q', more));
    if (kind === 'result') return JSON.stringify(user(index, parent, [toolResult(tool)], more));
    if (kind === 'assistant') {
      const content = call === 0 ? 'a' : [toolUse(tool)];
      return JSON.stringify(assistant(index, parent, `m${call}`, content, more));
    }
    if (kind === 'boundary') {
      const uuids = Array.from({ length: keeps ?? 0 }, (_, n) => uuid(index - n - 1));
      const record = keeps === null ? {} : { preservedMessages: { anchorUuid: uuid(index + (keeps % 2)), uuids } };
      return JSON.stringify({ ...boundary(index, record), ...more });
    }
    const parentUuid = parent === null ? null : uuid(parent);
    const rest = kind === 'system' ? { subtype: 'informational' } : { data: {}, attachment: { type: 'file' } };
    return JSON.stringify({ type: kind, uuid: uuid(index), parentUuid, ...rest, ...more });
  });
}

const part = fc.oneof(
  { weight: 1, arbitrary: damagedTranscript.map((text) => text.split('\n')) },
  { weight: 6, arbitrary: fc.array(wild, { minLength: 1, maxLength: 12 }).map(wildLines) },
);
const together = fc
  .tuple(
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(3), choice, choice), { maxLength: 2 }),
  )
  .map(([parts, ties]) => {
    let lines = parts.flatMap((each, index) =>
      each.flatMap((line) => {
        const value = parseJson(line);
        return value === undefined ? [line] : [JSON.stringify(renamed(value, `${index}:`))];
      }),
    );
    for (const [kind, from, to] of ties) lines = tied(lines, kind, from, to);
    return lines.map((line) => `${line}\n`).join('');
  });

describe('R, C: the last part of a session', () => {
  test('gives the same context as the whole, whatever the damage', () => {
    let cut = 0;
    fc.assert(
      fc.property(together, (text) => {
        const entries = entriesOf(text);
        const part = lastPartOf(entries);
        const first = part[0]?.line.number ?? 1;
        if (entries.some(({ kind, line }) => line.number < first && (kind === 'user' || kind === 'assistant')))
          cut += 1;
        expect(told(part)).toEqual(told(entries));
      }),
      { numRuns: 1000 },
    );
    // It would hold as well if nothing were ever left out.
    expect(cut).toBeGreaterThan(100);
  });

  test('C1: begins at the last compaction, or at what that preserved', () => {
    const before = [user(1, null, 'a'), assistant(2, 1, 'm1', 'b'), user(3, 2, 'c'), assistant(4, 3, 'm2', 'd')];
    const after = [summary(6, 5), user(7, 6, 'e'), assistant(8, 7, 'm3', 'f')];
    expect(firstLine(entriesIn([...before, boundary(5), ...after]))).toBe(5);
    const kept = { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } };
    expect(firstLine(entriesIn([...before, boundary(5, kept), ...after]))).toBe(1);
  });

  test('R2, R6: a pin, a gap and a circle are never cut off from what they lead to', () => {
    const first = [user(1, null, 'a'), assistant(2, 1, 'm1', 'b')];
    const second = [user(103, null, 'c'), assistant(104, 103, 'm2', 'd')];
    expect(firstLine(entriesIn([...first, ...second]))).toBe(3);
    expect(firstLine(entriesIn([...first, ...second, pin(2)]))).toBe(1);
    expect(firstLine(entriesIn([...first, pin(2), ...second]))).toBe(1);
    expect(firstLine(entriesIn([...first, user(3, 99, 'c'), assistant(4, 3, 'm2', 'd')]))).toBe(1);
    expect(firstLine(entriesIn([...first, user(103, 99, 'c'), assistant(104, 103, 'm2', 'd')]))).toBe(3);
    expect(firstLine(entriesIn([...first, user(103, 104, 'c'), assistant(104, 103, 'm2', 'd')]))).toBe(1);
  });

  test('E15: lines without ids are one conversation', () => {
    const bare = (line: JsonObject) => ({ ...line, uuid: undefined, parentUuid: undefined });
    const lines = [user(1, null, 'a'), user(2, null, 'b')];
    expect(firstLine(entriesIn(lines.map(bare)))).toBe(1);
    expect(firstLine(entriesIn([bare(user(1, null, 'a')), user(2, null, 'b')]))).toBe(1);
  });

  test('of many compactions only the last is read again', () => {
    const rounds = Array.from({ length: 2000 }, (_, round) => {
      const n = round * 10;
      return [boundary(n + 1), summary(n + 2, n + 1), user(n + 3, n + 2, 'q'), assistant(n + 4, n + 3, `m${n}`, 'a')];
    });
    let reads = 0;
    const entries = entriesIn(rounds.flat()).map((entry) => ({ ...entry, source: counted(entry.source) }));
    function counted(source: Source): Source {
      return {
        ...source,
        read: (start, end) => {
          reads += 1;
          return source.read(start, end);
        },
      };
    }
    expect(checkGraph(entries)).toEqual([]);
    // Each boundary and each list of blocks once, while they pass by.
    expect(reads - 4000).toBeLessThan(20);
  });
});
