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

  test.each([[[image()]], ['']] satisfies [Json][])('A4: a failure that says %j', (content) => {
    const call = assistant(toolUse('t1'), { id: 'm1' });
    const failed = result('t1', content, { isError: true });
    expect(found(user('q'), call, failed, assistant('a', { id: 'm2' }))).toEqual(['A4 warning 3']);
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

describe('W1 R4: what the client does not find', () => {
  const check = (...lines: JsonObject[]) =>
    checkGraph(entriesOf(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
      .filter(({ severity }) => severity === 'error')
      .map(({ rule, line }) => `${rule} ${line}`);
  const said = (n: number, timestamp: string, rest: JsonObject = {}) => ({
    ...{ type: 'user', uuid: `u${n}`, parentUuid: n === 1 ? null : `u${n - 1}`, timestamp },
    ...{ message: { role: 'user', content: 'q' }, ...rest },
  });
  const at = '2026-11-14T10:00:00.000Z';

  test('W1: a file of titles alone', () => {
    const lines = [
      { type: 'custom-title', customTitle: 'x' },
      { type: 'summary', summary: 'x' },
    ];
    // No error: a copy of a session in which nothing was said is such a file.
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    expect(checkGraph(entriesOf(text)).map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(['W1 warning']);
  });
  test('W1: times that are none', () => {
    expect(check(said(1, 'garbage'), said(2, 'garbage'))).toEqual(['W1 1']);
    expect(check(said(1, 'garbage'), said(2, at))).toEqual([]);
  });
  test('R4: a pin on the entry of a sub-agent', () => {
    const lines = [said(1, at), said(2, at, { isSidechain: true })];
    expect(check(...lines, { type: 'last-prompt', leafUuid: 'u2' })).toEqual(['R4 2']);
    expect(check(...lines, { type: 'last-prompt', leafUuid: 'u1' })).toEqual([]);
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
