import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { brokenImports } from '../scripts/check-imports.ts';
import { cliPage } from '../src/cli/docs.ts';
import { VERBS } from '../src/cli/verbs.ts';

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

describe('the docs are true', () => {
  test('docs/cli.md is what the help says (npm run docs)', async () => {
    const page = await cliPage();
    if (process.env.UPDATE === '1') writeFileSync(path('docs/cli.md'), page);
    expect(read('docs/cli.md')).toBe(page);
  });

  test('every verb has details and an example that uses it', async () => {
    for (const verb of VERBS) {
      const command = await verb.load();
      expect(command.name).toBe(verb.name);
      expect(command.details.length).toBeGreaterThan(0);
      expect(command.examples.some(([line]) => line.includes(`skein ${verb.name}`))).toBe(true);
    }
  });

  test('every rule that the code cites stands in docs/format.md', () => {
    const rules = new Set(
      read('docs/format.md')
        .match(/^- [A-Z]\d+\b/gm)
        ?.map((line) => line.slice(2)),
    );
    expect(rules.size).toBeGreaterThan(50);
    for (const file of globSync('src/**/*.ts', { cwd: path('.') })) {
      const cited = read(file).match(/\b[LECHRWATU][1-9]\d?\b/g) ?? [];
      expect(
        cited.filter((rule) => !rules.has(rule)),
        file,
      ).toEqual([]);
    }
  });
});

describe('who may import whom', () => {
  test.each([
    ['src/format/a.ts', "import { x } from '../graph/b.ts';", 1],
    ['src/format/a.ts', "import fs from 'node:fs';", 1],
    ['src/views/a.ts', "const x = await import('../disk/b.ts');", 1],
    ['src/graph/sub/a.ts', "import { x } from '../../format/b.ts';", 0],
    ['src/disk/a.ts', "import fs from 'node:fs';\nimport type { X } from '../format/b.ts';", 0],
    ['src/disk/a.ts', "export { x } from '../cli/b.ts';", 1],
    ['src/other/a.ts', '', 1],
  ])('%s %s', (file, text, broken) => expect(brokenImports(file, text)).toHaveLength(broken));
});
