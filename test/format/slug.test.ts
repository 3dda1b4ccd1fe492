import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asString, at, parseJson } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { FIXTURES } from '../support/files.ts';

test.each([
  ['/home/dev/ws', '-home-dev-ws'],
  ['/home/dev/a.b_c d', '-home-dev-a-b-c-d'],
  ['/tmp/emoji🙂x', '-tmp-emoji--x'],
  ['/tmp/ñcödé', '-tmp--c-d-'],
  ['E:\\a', 'E--a'],
  ['C:\\Users\\me\\my app', 'C--Users-me-my-app'],
  ['\\\\server\\share', '--server-share'],
  ['', ''],
])('L2: %s gives %s', (path, slug) => {
  expect(projectSlug(path)).toBe(slug);
});

test('L2: 200 characters stay as they are, 201 get a hash', () => {
  expect(projectSlug(`/${'x'.repeat(199)}`)).toBe(`-${'x'.repeat(199)}`);
  const long = projectSlug(`/${'x'.repeat(200)}`);
  expect(long.slice(0, 201)).toBe(`-${'x'.repeat(199)}-`);
  expect(long.slice(201)).toMatch(/^[0-9a-z]+$/);
});

test('L2: long paths that differ at the end differ in the hash', () => {
  const path = `/${'x'.repeat(300)}`;
  expect(projectSlug(`${path}a`)).not.toBe(projectSlug(`${path}b`));
});

test('L2: the long slug the client made when it was recorded under /tmp/lab/ws', () => {
  const projects = join(FIXTURES, 'recorded/2.1.325/n-slug/projects');
  const recorded = readdirSync(projects).find((name) => name.includes('xxxx')) ?? '';
  const [session = ''] = readdirSync(join(projects, recorded));
  const lines = readFileSync(join(projects, recorded, session), 'utf8').split('\n');
  const cwds = lines.map((line) => asString(at(parseJson(line), 'cwd')));
  const cwd = cwds.find((path) => path?.startsWith('/home/dev/ws/')) ?? '';
  const original = cwd.replace('/home/dev/ws/', '/tmp/lab/ws/');
  expect(projectSlug(original)).toBe(recorded.replace('-home-dev-ws-', '-tmp-lab-ws-'));
});

test('L2: every recorded session lies in the folder its cwd names', () => {
  let compared = 0;
  for (const version of readdirSync(join(FIXTURES, 'recorded'))) {
    const projects = join(FIXTURES, 'recorded', version, 'n-slug/projects');
    for (const folder of readdirSync(join(FIXTURES, 'recorded', version)).includes('n-slug')
      ? readdirSync(projects)
      : []) {
      // Renamed after it was made, so its hash is another; see above.
      if (folder.length > 200) continue;
      for (const file of readdirSync(join(projects, folder)).filter((name) => name.endsWith('.jsonl'))) {
        for (const line of readFileSync(join(projects, folder, file), 'utf8').split('\n')) {
          const cwd = asString(at(parseJson(line), 'cwd'));
          if (cwd === undefined) continue;
          expect(projectSlug(cwd)).toBe(folder);
          compared += 1;
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(100);
});
