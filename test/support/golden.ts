/** Golden files: compared, or written anew with UPDATE=1. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { FIXTURES } from './files.ts';

export function expectGolden(name: string, text: string): void {
  const file = join(FIXTURES, 'golden', name);
  if (process.env.UPDATE === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
}
