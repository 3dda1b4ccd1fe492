/** Calls are paired by id: leaving out those that pair plainly changes nothing for the others. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../../../src/format/entry.ts';
import { createIds } from '../../../src/format/ids.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { createCallCheck } from '../../../src/graph/check/calls.ts';
import { createLog } from '../../../src/graph/check/log.ts';
import { pairToolCalls } from '../../../src/graph/toolcalls.ts';
import { assistant, conversation, text, toolResult, toolUse, user } from '../../support/build.ts';
import { damagedTranscript } from '../../support/damage.ts';
import { entriesOf } from '../../support/resume-cases.ts';

function checked(entries: readonly Entry[]): string[] {
  const log = createLog(createIds());
  const calls = createCallCheck(log);
  for (const [index, entry] of entries.entries()) {
    log.add(entry);
    calls.add(entry, index);
  }
  return calls
    .result()
    .map(({ rule, line, uuid, what }) => `${rule} ${line} ${uuid} ${what.replace(/ has no result.*/, '')}`);
}

/** From all entries at once. */
function expected(entries: readonly Entry[]): string[] {
  const { calls, issues } = pairToolCalls(entries.filter(({ head }) => !head.isSidechain));
  const open = calls.filter(({ result }) => result === undefined);
  return [
    ...issues.map(({ rule, line, uuid, what }) => `${rule} ${line} ${uuid} ${what}`),
    ...open.map(({ id, name, use }) => `A1 ${use.line.number} ${use.head.uuid} tool call ${id} (${name})`),
  ];
}

const id = fc.constantFrom('t1', 't2', 't3', 't4', 't5', '');
const block: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: id.map((each) => toolUse(each)) },
  { weight: 4, arbitrary: id.map((each) => toolResult(each)) },
  id.map((each) => ({ type: 'server_tool_use', id: each, name: 'web_search' })),
  id.map((each) => ({ type: 'web_search_tool_result', tool_use_id: each })),
  id.map((each) => ({ type: 'weird', id: each })),
  fc.constant({ type: 'tool_use' }),
  fc.constant({ type: 'tool_result' }),
  fc.constant(text('a')),
);
const line = fc
  .tuple(fc.boolean(), fc.array(block, { maxLength: 3 }), fc.constantFrom('m1', 'm2', 'm3'), fc.boolean())
  .map(([isUser, blocks, message, isSidechain]) => {
    const more = isSidechain ? { isSidechain } : {};
    return isUser ? user(blocks, more) : assistant(blocks, { id: message }, more);
  });

test('A1–A3, E5: any calls and results', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const entries = conversation(lines);
      expect(checked(entries)).toEqual(expected(entries));
    }),
    { numRuns: 2000 },
  );
});

test('A1–A3, E5: damaged sessions', () => {
  fc.assert(
    fc.property(damagedTranscript, (damaged) => {
      const entries = entriesOf(damaged);
      expect(checked(entries)).toEqual(expected(entries));
    }),
    { numRuns: 300 },
  );
});
