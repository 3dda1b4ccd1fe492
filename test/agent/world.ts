/** A config folder and a workspace of their own, and what stands in the sessions written there. */
import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SessionOptions } from '../../src/agent/session.ts';
import { checkFile } from '../../src/cli/check/file.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { type Context, context } from '../../src/graph/context/context.ts';
import { tempFolder } from '../support/files.ts';

export interface World {
  readonly config: string;
  readonly cwd: string;
  readonly options: SessionOptions;
}

export function createWorld(more: Partial<SessionOptions> = {}): World {
  const root = realpathSync(tempFolder());
  const [config, cwd] = [join(root, 'config'), join(root, 'ws')];
  for (const folder of [config, cwd]) mkdirSync(folder);
  return { config, cwd, options: { config, cwd, version: '0.0.0-test', ...more } };
}

export function linesOf(file: string): JsonObject[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => asObject(parseJson(line)) ?? { bad: line });
}

export function contextOf(file: string, options: Parameters<typeof context>[1] = {}): Context {
  return context([...readSessionOf(file).entries], options);
}

/** What `skein check` calls wrong, as one line each. */
export function wrongIn(file: string, least: readonly string[] = ['error', 'warning']): string[] {
  const { size, mtimeMs } = statSync(file);
  const session = { file, root: file, slug: basename(dirname(file)), sessionId: basename(file, '.jsonl') };
  const { issues } = checkFile({ ...session, kind: 'session', bytes: size, mtimeMs });
  return issues
    .filter(({ severity }) => least.includes(severity))
    .map(({ rule, severity, what, line }) => `${severity} ${rule} line ${line}: ${what}`);
}
