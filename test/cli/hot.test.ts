import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const LOOK = `const { readFileSync } = require('node:fs');
const file = process.argv[1];
const cachedData = readFileSync(file.replace(/cjs$/, process.versions.v8 + '-' + process.arch + '.cache'));
const script = new (require('node:vm').Script)(readFileSync(file, 'latin1'), { filename: file, cachedData });
console.log(script.cachedDataRejected);`;

const bundles = globSync('hot-*.cjs', { cwd: DIST });

test('the verbs that are to be fast have bundles of their own', () => {
  expect(bundles.sort()).toEqual(
    ['archive', 'chat', 'hook', 'quicksearch', 'quickusage', 'read', 'search', 'usage'].map(
      (name) => `hot-${name}.cjs`,
    ),
  );
});

test.each(bundles)('the byte code of %s is taken by V8', (name) => {
  expect(execFileSync(process.execPath, ['-e', LOOK, join(DIST, name)], { encoding: 'utf8' }).trim()).toBe('false');
});
