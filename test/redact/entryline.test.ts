/** The lines of `skein follow`: what is masked of a text is masked of its line, though it goes on one. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { entryLines } from '../../src/views/entryline.ts';
import { assistant, entriesOf, toolUse, user } from '../support/build.ts';

const shown = (line: JsonObject) =>
  entriesOf([line]).flatMap((entry) => entryLines(entry, createMasker().mask).map(({ text }) => text));

test.each([
  ['olcRootPW: hunter2-olc', 'olcRootPW: [password]'],
  ['pass: hunter2-yaml', 'pass: [password]'],
  ['kind: Secret\nstringData:\n  smtp: hunter2-pods', 'kind: Secret stringData: smtp: [secret]'],
])('%j', (said, masked) => {
  expect(shown(assistant(toolUse('t1', 'Bash', { command: said })))).toEqual([`Bash ${masked}`]);
  expect(shown({ type: 'queue-operation', operation: 'enqueue', content: said })).toEqual([`enqueue ${masked}`]);
  expect(shown({ type: 'system', subtype: 'informational', content: said })).toEqual([`informational ${masked}`]);
  expect(shown(user(said))).toEqual([masked]);
});
