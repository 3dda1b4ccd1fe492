import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { learnEarlier } from '../../src/export/otlp/learn.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { tempFolder } from '../support/files.ts';

const SECRET = 'Xk7-pq9Zt2mVw4Lr';
const GIVEN_AWAY = `the "password": "${SECRET}"`;

/** What a mask that has seen these lines of a session makes of a text that only repeats the secret. */
function maskedAfter(texts: readonly string[]): string {
  const file = join(tempFolder(), 's.jsonl');
  const content = texts.map((text) => `${JSON.stringify({ type: 'user', message: { content: text } })}\n`).join('');
  writeFileSync(file, content);
  const masker = createMasker();
  learnEarlier([{ file, to: Buffer.byteLength(content) }], (text) => masker.mask(text));
  return masker.mask(`it was ${SECRET} again`);
}

const plain = (count: number) =>
  Array.from({ length: count }, (_, place) => `${place} ${'of no interest '.repeat(60)}`);

test.each([
  ['first of many', [GIVEN_AWAY, ...plain(100)]],
  ['somewhere in the middle', [...plain(70), GIVEN_AWAY, ...plain(30)]],
  ['last of many', [...plain(100), GIVEN_AWAY]],
  ['only one', [GIVEN_AWAY]],
  [
    'in a line longer than what is looked at together',
    [`${'word '.repeat(20_000)}${GIVEN_AWAY}${' word'.repeat(2000)}`],
  ],
])('a secret that an earlier line gave away is masked later: %s', (_, texts) => {
  expect(maskedAfter(texts)).not.toContain(SECRET);
});

test('nothing is learnt where nothing was given away', () => {
  expect(maskedAfter(plain(100))).toContain(SECRET);
});
