/** checkGraph(): what of a session the API would refuse, and that a resume by Skein sends nothing of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/format/json.ts';
import { checkGraph } from '../../src/graph/check.ts';
import { assistant, conversation, image, result, system, text, toolUse, user } from '../support/build.ts';
import { damagedTranscript } from '../support/damage.ts';
import { entriesOf } from '../support/resume-cases.ts';

function found(...lines: JsonObject[]): string[] {
  return checkGraph(conversation(lines)).map(({ rule, severity, line }) => `${rule} ${severity} ${line}`);
}

describe('A4: blocks of the user', () => {
  test('A4: blank text beside other blocks', () => {
    expect(found(user([text(' '), image()]), assistant('a'))).toEqual(['A4 warning 1']);
    expect(found(user([text('q'), image()]), user(''), assistant('a'))).toEqual([]);
  });

  test.each([
    ['an image without a source', { type: 'image' }],
    ['an unknown block', { type: 'weird' }],
  ])('A4: %s', (_, block) => {
    expect(found(user([text('q'), block]), assistant('a'))).toEqual(['A4 warning 1']);
  });

  const contents: Json[] = [{}, 5, [{ type: 'weird' }], [{ type: 'image' }]];
  test.each(contents.map((content) => [content]))('A4: a result of %j', (content) => {
    const call = assistant(toolUse('t1'), { id: 'm1' });
    expect(found(user('q'), call, result('t1', content), assistant('a', { id: 'm2' }))).toEqual(['A4 warning 3']);
  });
});

describe('A8: a conversation that begins with an answer', () => {
  test('A8: is named once, at its first line', () => {
    expect(found(assistant('a', { id: 'm1' }), assistant('b', { id: 'm2' }), user('q'))).toEqual(['A8 warning 1']);
    expect(found(system('informational'), assistant('a'), user('q'))).toEqual(['A8 warning 2']);
    expect(found(user('q'), assistant('a'))).toEqual([]);
  });

  test('A8: the transcript of a sub-agent, and lines without ids, are none', () => {
    expect(found({ ...assistant('a'), isSidechain: true })).toEqual([]);
    expect(found({ ...assistant('a'), uuid: undefined })).not.toContain('A8 warning 1');
  });
});

test('A: nothing is wrong with what would be sent, whatever the damage', () => {
  fc.assert(
    fc.property(damagedTranscript, (damaged) => {
      const resumed = checkGraph(entriesOf(damaged)).filter(({ what }) => what.includes('resumed conversation'));
      expect(resumed).toEqual([]);
    }),
  );
});
