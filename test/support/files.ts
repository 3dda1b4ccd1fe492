/** Every transcript in the fixtures, and temp folders that clean up after themselves. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** All .jsonl files below a folder, in a stable order. */
export function transcriptsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith('.jsonl'))
    .map((item) => join(item.parentPath, item.name))
    .sort();
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
