import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RULES } from '../../src/redact/rules.ts';
import { SECRETLINT_RULES } from '../../src/redact/secretlint.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('docs/redaction.md names every kind and no other', () => {
  const page = readFileSync(`${root}/docs/redaction.md`, 'utf8');
  const [, list = ''] = /## What is found([\s\S]*?)## What is not/.exec(page) ?? [];
  const named = new Set([...list.matchAll(/`([a-z0-9]+(?:-[a-z]+)*)`/g)].map((match) => match[1]));
  const kinds = new Set(RULES.map(({ kind }) => kind));
  expect([...kinds].filter((kind) => !named.has(kind))).toEqual([]);
  const other = new Set(['token']);
  expect([...named].filter((name) => name?.includes('-') && !kinds.has(name) && !other.has(name))).toEqual([]);
  expect(list).toContain(`${SECRETLINT_RULES.length} of the rules`);
});

test('the command loads the rules only when it shows something', () => {
  const files = globSync('src/cli/**/*.ts', { cwd: root });
  const loading = files.filter((file) => /from '[^']*redact\//.test(readFileSync(`${root}/${file}`, 'utf8')));
  expect(loading).toEqual([]);
});
