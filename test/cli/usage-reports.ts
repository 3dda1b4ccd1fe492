/** Sessions of one project, and the reports of their usage. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { asObject, type JsonObject } from '../../src/format/json.ts';
import { toJsonl } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { type RunOptions, skein } from '../support/skein.ts';

export const SESSION = '11111111-1111-4111-8111-111111111111';
export const OTHER = '22222222-2222-4222-8222-222222222222';

/** A config root with sessions of one project. */
export function rootWith(sessions: Record<string, readonly JsonObject[]>): string {
  const root = tempFolder();
  const folder = join(root, 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  for (const [id, lines] of Object.entries(sessions)) writeFileSync(join(folder, `${id}.jsonl`), toJsonl(lines));
  return root;
}

export const envelope = { cwd: '/work/app', gitBranch: 'main' };
export const OPUS = 'claude-opus-4-5-20251101';

export function usage(root: string, args: readonly string[] = [], options: RunOptions = {}): JsonObject {
  const ran = skein(['usage', '--root', root, '--json', ...args], options);
  expect(ran.err).toBe('');
  return asObject(ran.json()) ?? {};
}
