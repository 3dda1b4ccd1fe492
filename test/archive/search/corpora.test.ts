import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { asNumber, at, isObject, parseJson } from '../../../src/format/json.ts';
import { FIXTURES, tempFolder } from '../../support/files.ts';
import { searchableRoot } from './helpers.ts';

const GENERATOR = fileURLToPath(new URL('../../../scripts/gen-corpus.mjs', import.meta.url));

test.each([
  [1, 3],
  [7, 4],
  [42, 6],
])('every planted needle is found as often as it was planted: seed %i, %i MB', (seed, megabytes) => {
  const out = tempFolder();
  const args = ['--out', out, '--mb', String(megabytes), '--seed', String(seed), '--files', String(megabytes * 4)];
  execFileSync(process.execPath, [GENERATOR, ...args], { stdio: 'ignore' });
  const needles = at(parseJson(readFileSync(join(out, 'truth.json'), 'utf8')), 'needles');
  if (!isObject(needles) || Object.keys(needles).length === 0) throw new Error('nothing was planted');
  const { find } = searchableRoot(join(out, '.claude'));
  for (const [needle, truth] of Object.entries(needles)) {
    expect([needle, find(`"${needle}"`).total]).toEqual([needle, asNumber(at(truth, 'planted'))]);
    expect(find(needle.toUpperCase()).total).toBe(find(`"${needle}"`).total);
  }
  for (const text of ['the', 'tool:Bash error', 'is:error']) expect(find(text).total).toBeGreaterThan(0);
  // Sentences the generator sprinkles in, not into every corpus; `find` compares both ways.
  for (const text of ['修复', '登录错误', 'このファイル', 'naive', 'пожалуйста', '🚀']) find(text);
});

test('recordings: both ways find the same', () => {
  for (const version of ['1.0.111', '2.0.76', '2.1.45', '2.1.325']) {
    for (const name of ['d-agent', 'f-resume', 'k-interactive', 'g-compact']) {
      const { find } = searchableRoot(join(FIXTURES, 'recorded', version, name));
      for (const text of [
        'the',
        'file',
        'hello',
        'in:tool',
        'role:user',
        'is:error',
        'in:thinking',
        'after:2020-01-01',
      ])
        find(text);
    }
  }
});
