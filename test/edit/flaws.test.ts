import { expect, test } from 'vitest';
import { flawsOf } from '../../src/edit/flaws.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { assistant, boundary, pin, summary, transcript, user, uuid } from '../support/transcript.ts';

const flaws = (...lines: (JsonObject | string)[]) =>
  flawsOf(readSession(encode(transcript(lines))).entries).map(({ rule, line, what }) => `${rule} ${line} ${what}`);

const SOUND = [user(1, null, 'one'), assistant(2, 1, 'm1', 'A1'), user(3, 2, 'two')];

test('S1: a chain with a compaction, side chains and a pin is sound', () => {
  const side = { isSidechain: true };
  expect(
    flaws(...SOUND, { ...boundary(5), logicalParentUuid: uuid(3) }, summary(6, 5), user(7, null, 'x', side), pin(6)),
  ).toEqual([]);
});

test.each<[string, (JsonObject | string)[], string]>([
  ['a second root', [user(4, null, 'four')], 'S1 4 it does not hang on the entry before it'],
  ['a branch', [user(4, 2, 'four')], 'S1 4 it does not hang on the entry before it'],
  ['a parent that is not there', [user(4, 99, 'four')], 'S1 4 it does not hang on the entry before it'],
  ['a uuid twice', [user(3, 3, 'four')], 'S1 4 its uuid is used already'],
  ['a bad line', ['{"torn'], 'S1 4 the line is no entry'],
  ['no time', [user(4, 3, 'four', { timestamp: undefined })], 'S1 4 it has no timestamp'],
  ['a pin on nothing', [pin(9)], `S5 4 last-prompt names ${uuid(9)}, which is not there`],
  [
    'a call that is not there',
    [user(4, 3, 'x', { sourceToolAssistantUUID: uuid(9) })],
    `S5 4 sourceToolAssistantUUID names ${uuid(9)}, which is not there`,
  ],
  [
    'a checkpoint of nothing',
    [{ type: 'file-history-snapshot', messageId: uuid(9) }],
    `S5 4 file-history-snapshot names ${uuid(9)}, which is not there`,
  ],
])('%s', (_, lines, wanted) => expect(flaws(...SOUND, ...lines)).toContain(wanted));
