/** Ids of calls that were made by hand, or by a proxy that counts from one, stand in many sessions. */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { updateIndex } from '../../../src/archive/index/textindex.ts';
import { assistant, result, toJsonl, toolUse, uuidOf } from '../../support/build.ts';
import { FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import '../../support/properties.ts';
import { inFiles, inIndex, searchable } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const OTHER = `${PLACE}/${FORK}.jsonl`;
const THIRD = `${PLACE}/33333333-3333-4333-8333-333333333333.jsonl`;

const line = (number: number, json: object, sessionId = SESSION) =>
  toJsonl([{ ...json, uuid: uuidOf(number), sessionId }]);
const read = (number: number, file = '/work/read.ts', sessionId = SESSION) =>
  line(number, assistant([toolUse('call_1', 'Read', { file_path: file })]), sessionId);
const bash = (number: number, sessionId = SESSION) =>
  line(number, assistant([toolUse('call_1', 'Bash', { command: 'ls' })]), sessionId);
const answer = (number: number, text: string, sessionId = SESSION) => line(number, result('call_1', text), sessionId);

describe('a result is about the call of its own file', () => {
  test('although another session has a call of that id', () => {
    const { find } = searchable({
      [NAME]: read(1) + answer(2, 'oneword'),
      [OTHER]: bash(3, FORK) + answer(4, 'twoword', FORK),
      [THIRD]: answer(5, 'threeword', FORK),
    });
    expect(find('oneword tool:Read').total).toBe(1);
    expect(find('oneword file:read.ts').total).toBe(1);
    expect(find('oneword tool:Bash').total).toBe(0);
    expect(find('twoword tool:Bash').total).toBe(1);
    expect(find('twoword file:read.ts').total).toBe(0);
    for (const tool of ['Read', 'Bash']) expect(find(`threeword tool:${tool}`).total).toBe(0);
    expect(find('threeword -tool:*').total).toBe(1);
  });

  test.each(['at once', 'later'])('sessions that go on in turns, indexed %s', (when) => {
    const archive = newArchive();
    const root = rootOf({ [NAME]: read(1), [OTHER]: bash(3, FORK) });
    const sync = (derive: boolean) => {
      syncRoot(archive, root, { derive });
      if (derive) updateIndex(archive);
    };
    sync(when === 'at once');
    appendFileSync(join(root, NAME), answer(2, 'oneword'));
    sync(when === 'at once');
    appendFileSync(join(root, OTHER), answer(4, 'twoword', FORK));
    sync(true);
    const totals = (text: string) => [inIndex(archive, root, text).total, inFiles(root, text).total];
    expect(totals('oneword tool:Read')).toEqual([1, 1]);
    expect(totals('oneword tool:Bash')).toEqual([0, 0]);
    expect(totals('twoword tool:Bash')).toEqual([1, 1]);
    expect(totals('-tool:Bash twoword')).toEqual([0, 0]);
  });

  test.each(['at once', 'later'])('H1: a fork that answers a call it copied, indexed %s', (when) => {
    const archive = newArchive();
    const root = rootOf({
      [NAME]: read(1) + answer(2, 'oneword'),
      [OTHER]: read(1, '/work/read.ts', FORK) + answer(3, 'forkword', FORK),
      [THIRD]: bash(4, FORK),
    });
    syncRoot(archive, root, { derive: when === 'at once' });
    updateIndex(archive);
    const totals = (text: string) => [inIndex(archive, root, text).total, inFiles(root, text).total];
    expect(totals('forkword tool:Read')).toEqual([1, 1]);
    expect(totals('forkword -tool:Read')).toEqual([0, 0]);
  });

  test('E12: a result before its call waits for that of its own file', () => {
    const { find } = searchable({
      [NAME]: answer(2, 'oneword') + read(1),
      [OTHER]: answer(4, 'twoword', FORK) + bash(3, FORK),
    });
    expect(find('oneword tool:Read').total).toBe(1);
    expect(find('twoword tool:Bash').total).toBe(1);
    expect(find('oneword tool:Bash').total).toBe(0);
    expect(find('twoword tool:Read').total).toBe(0);
  });
});

test('an id that a session uses again is that of the call before the result', () => {
  const { find } = searchable({
    [NAME]: read(1) + answer(2, 'oneword') + bash(3) + answer(4, 'twoword') + read(5, '/work/x.md') + answer(6, 'last'),
  });
  expect(find('oneword tool:Read').total).toBe(1);
  expect(find('twoword tool:Bash').total).toBe(1);
  expect(find('twoword tool:Read').total).toBe(0);
  expect(find('last file:x.md').total).toBe(1);
  expect(find('oneword file:x.md').total).toBe(0);
});

test("E18: a sub-agent's call is none of its session's, where both have one id", () => {
  const copied = (number: number, json: object) =>
    line(number, {
      type: 'progress',
      data: { type: 'agent_progress', agentId: 'a1', message: { ...json, uuid: uuidOf(number + 100) } },
    });
  const { find } = searchable({
    [NAME]:
      line(1, assistant([toolUse('call_1', 'Task', { prompt: 'go' })])) +
      copied(2, assistant([toolUse('call_1', 'Bash', { command: 'ls' })])) +
      copied(3, result('call_1', 'insideword')) +
      answer(4, 'outsideword'),
  });
  expect(find('insideword tool:Bash').total).toBe(1);
  expect(find('outsideword tool:Task').total).toBe(1);
  expect(find('outsideword tool:Bash').total).toBe(0);
});

test('a last line that is gone from its file is about the call of that file', () => {
  const archive = newArchive();
  const root = rootOf({ [NAME]: read(1) + answer(2, 'tailword').trimEnd(), [OTHER]: bash(3, FORK) });
  syncRoot(archive, root);
  updateIndex(archive);
  rmSync(join(root, NAME));
  expect(inIndex(archive, root, 'tailword tool:Read').total).toBe(1);
  expect(inIndex(archive, root, 'tailword tool:Bash').total).toBe(0);
});

type Step = readonly ['call' | 'result', id: string, tool: string];
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('call', 'result'),
  fc.constantFrom('call_1', 'call_2'),
  fc.constantFrom('Read', 'Bash', 'Grep', ''),
);

/** Lines with uuids of their own. */
function linesOf(steps: readonly Step[], sessionId: string, mark: string): string[] {
  return steps.map(([kind, id, tool], n) => {
    const line = kind === 'call' ? assistant([toolUse(id, tool, { path: `/w/${tool}` })]) : result(id, 'saidword');
    return toJsonl([{ ...line, uuid: `${mark}${n}`, sessionId }]);
  });
}

test('random sessions that share ids, with a fork: index and files agree, however the index was made', () => {
  let found = 0;
  const steps = fc.array(step, { maxLength: 12 });
  fc.assert(
    fc.property(steps, steps, steps, fc.nat(12), fc.nat(12), fc.boolean(), (one, two, more, shared, pause, derive) => {
      // What a copied line is about is what its original is about: that of a call that came first.
      const own = one.filter(
        ([kind, id], n) => kind === 'call' || one.slice(0, n).some((each) => each[0] === 'call' && each[1] === id),
      );
      const copied = linesOf(own, FORK, 'a').slice(0, shared);
      const first = linesOf(own, SESSION, 'a');
      const files = {
        [NAME]: first,
        [OTHER]: [...copied, ...linesOf(more, FORK, 'f')],
        [THIRD]: linesOf(two, FORK, 'b'),
      };
      const archive = newArchive();
      const root = rootOf(
        Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, lines.slice(0, pause).join('')])),
      );
      syncRoot(archive, root, { derive });
      for (const [name, lines] of Object.entries(files)) appendFileSync(join(root, name), lines.slice(pause).join(''));
      syncRoot(archive, root, { derive });
      updateIndex(archive);
      for (const tool of ['Read', 'Bash', 'Grep']) {
        for (const query of [`tool:${tool} saidword`, `-tool:${tool} saidword`, `file:${tool} saidword`]) {
          const { total } = inFiles(root, query);
          expect([query, inIndex(archive, root, query).total]).toEqual([query, total]);
          found += total;
        }
      }
    }),
    { numRuns: 15 },
  );
  expect(found).toBeGreaterThan(50);
});
