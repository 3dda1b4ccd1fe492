/** Parts of a text as it reads, where its line is not written so: found in the files as a regular expression finds them. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import { assistant, text, toJsonl, toolUse, user, uuidOf } from '../../support/build.ts';
import { PLACE, rootOf, SESSION } from '../helpers.ts';
import { inFiles, requestOf } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const rootWith = (...lines: (JsonObject | string)[]) =>
  rootOf({ [NAME]: lines.map((line) => (typeof line === 'string' ? `${line}\n` : toJsonl([line]))).join('') });
const found = (root: string, query: string) => inFiles(root, query).hits.map(({ where }) => where);

describe('a part of the text is found as it reads', () => {
  const command = '<command-message>greet is running…</command-message>\n<command-name>/greet</command-name>';
  test.each<[string, JsonObject | string, readonly string[]]>([
    ['E7: bash input', user('<bash-input>npm test</bash-input>'), ['!npm test', '!npm', '!']],
    [
      'E7: a slash command',
      user(`${command}\n<command-args>Bob Smith</command-args>`),
      ['/greet Bob', 'reet Bob Sm', '/greet', 'Bob Smith', '/'],
    ],
    ['E7: a command without a slash', user('<command-name>greet</command-name>'), ['/greet', '/gre']],
    ['E7: an unknown command', user('Unknown slash command: greet'), ['/greet']],
    [
      'E8: an image',
      user([text('look'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } }]),
      ['[image]', '[ima', 'mage]', 'look\n[image]', '['],
    ],
    [
      'the strings of a call',
      assistant([toolUse('t1', 'Write', { file_path: '/a/b.ts', content: 'const x' })]),
      ['Write\n/a', 'b.ts\nconst'],
    ],
    [
      'what a name tells to be secret',
      assistant([toolUse('t1', 'Login', { password: 'swordfish', args: ['--token', 'two words'] })]),
      ['password: sword', '--token two', 'token two words'],
    ],
    ['two texts of an answer', user([text('first'), text('second')]), ['first\nsecond']],
    ['a line that is no JSON', '{"torn": C:\\new "x', ['C:\\new', '\\n', 'torn']],
    ['a tab in a line that is no JSON', '{"torn":\tx', [':\tx']],
  ])('%s', (_, line, parts) => {
    const root = rootWith({ ...user('something else'), uuid: uuidOf(9) }, line);
    for (const part of parts) {
      expect([part, found(root, `~"${part}"`).length]).toEqual([part, 1]);
      expect([part, found(root, `~"${part}zz"`).length]).toEqual([part, 0]);
    }
  });

  test('accents alone are in no text', () => {
    expect(requestOf('~\u0301 -~"\u0308"').query.terms).toEqual([]);
    expect(requestOf('~e\u0301').query.terms).toHaveLength(1);
  });
});
