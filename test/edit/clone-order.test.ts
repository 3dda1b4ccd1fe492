/** A clone is read in the order in which its source is: notes in and beside messages, and all sessions recorded line by line. */
import { describe, expect, test } from 'vitest';
import { clone } from '../../src/edit/clone.ts';
import type { Entry } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { CLONE_ID, cloneOptions, readWritten, sent } from '../support/edit-properties.ts';
import { listedCases } from '../support/resume-cases.ts';
import { assistant, attachment, brief, pin, system, transcript, use, user } from '../support/transcript.ts';

const read = (lines: readonly JsonObject[]) => readSession(encode(transcript(lines)), 'source.jsonl').entries;
const cloned = (entries: readonly Entry[], more = {}) => clone(entries, cloneOptions(more));
const briefly = (entries: readonly Entry[]) => brief(sent(entries));

test('R9: a note at the leaf stays where it is said, also when lines of its message come after it in the file', () => {
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    system(3, 2, 'local_command', { content: '<local-command-stdout>x</local-command-stdout>' }),
    assistant(4, 1, 'm1', [use('t1')]),
    pin(3),
  ]);
  expect(briefly(readWritten(cloned(source)))).toEqual(briefly(source));
});

test('R8: a note of a side chain that is not sent does not come in at the end of the clone', () => {
  const source = read([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    assistant(3, 1, 'm1', 'A2'),
    attachment(4, 3, 'aside', { isSidechain: true }),
    pin(2),
  ]);
  expect(briefly(source)).not.toContain('user: aside | ORACLE-PROMPT');
  expect(briefly(readWritten(cloned(source)))).toEqual(briefly(source));
});

/** A5, R10: thinking that cannot be sent has its say in the order of an answer, and a clone leaves it out. */
const LOSES_ITS_ORDER = 'R10 tk6_unsigned';

describe('R: the clone of what was recorded line by line sends the same, and so does a clone of it', () => {
  test.each(['fuzz.jsonl', 'fuzz-more.jsonl', 'probes.jsonl', 'probes-more.jsonl'])('%s', (file) => {
    for (const { name, input } of listedCases(file).filter((item) => item.name !== LOSES_ITS_ORDER)) {
      const source = readSession(encode(input), name).entries;
      const copy = readWritten(cloned(source));
      expect(sent(copy), name).toEqual(sent(source));
      expect(sent(readWritten(cloned(copy, { from: CLONE_ID }))), name).toEqual(sent(source));
    }
  });
});
