/** A machine's sessions archived and pushed to a team: the same questions are then asked of both. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { type Json, parseJson } from '../../src/format/json.ts';
import type { ClickHouse } from '../support/clickhouse.ts';
import { generateCorpus } from '../support/corpus.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { firstDifference, normal, QUESTIONS } from './questions.ts';

/** The recordings, or every so manieth, as one config root. Some have sessions of one name and other contents: of those the first, as a team knows a session by its id. */
export function recordedRoot(every = 1, root = tempFolder()): string {
  const taken = new Set<string>();
  const recordings = readdirSync(join(FIXTURES, 'recorded'), { withFileTypes: true }).flatMap((version) =>
    readdirSync(join(version.parentPath, version.name)).map((name) => join(version.parentPath, version.name, name)),
  );
  for (const recording of recordings.filter((_name, place) => place % every === 0)) {
    const projects = join(recording, 'projects');
    const names = existsSync(projects) ? transcriptsBelow(projects).map((file) => basename(file)) : [];
    if (names.length === 0 || names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    cpSync(projects, join(root, 'projects'), { recursive: true, force: false });
  }
  setAlike(transcriptsBelow(join(root, 'projects')));
  return root;
}

export function generatedRoot(seed: number, mb = 2, files = 20): string {
  return generateCorpus({ mb, files, seed }).root;
}

export interface Asking {
  readonly root: string;
  readonly url: string;
  /** The ids of its sessions. */
  readonly sessions: readonly string[];
  run: ReturnType<typeof machine>['run'];
}

/** Archived and pushed to a database of its own; its transcripts are gone from disk then. */
export async function pushedTo(
  engine: ClickHouse,
  root: string,
  database: string,
  content: 'full' | 'masked' | 'none' = 'full',
): Promise<Asking> {
  const { run, env } = machine(root);
  const ids = transcriptsBelow(join(root, 'projects')).map((file) => basename(file, '.jsonl'));
  const url = engine.url().replace(/\/skein$/, `/${database}`);
  mkdirSync(env.SKEIN_HOME, { recursive: true });
  writeFileSync(join(env.SKEIN_HOME, 'team-policy.json'), JSON.stringify({ content }));
  expect((await run('archive', 'sync', '--json')).json()).toMatchObject({ problems: [] });
  expect((await run('team', 'init', '--team', url)).code).toBe(0);
  expect((await run('team', 'push', '--team', url, '--yes', '--json')).code).toBe(0);
  rmSync(join(root, 'projects'), { recursive: true });
  return { root, run, url, sessions: [...new Set(ids.filter((id) => /^[0-9a-f]{8}-/.test(id)))].sort() };
}

/** Of one moment: which of two copies is the older one is else a matter of how fast they were copied, to the millisecond for a team. */
function setAlike(files: readonly string[]): void {
  const now = Math.floor(Date.now() / 1000);
  for (const file of files) utimesSync(file, now, now);
}

/** What a command says, with its exit code. What cannot be answered is to be told in the same words. */
export async function answer({ run, root }: Asking, argv: readonly string[]): Promise<Json> {
  const ran = await run(...argv).catch((error: Error) => ({ code: 'failed', text: JSON.stringify(error.message) }));
  const lines = ran.text.split('\n').filter((line) => line !== '');
  const json = parseJson(ran.text) ?? lines.map((line) => parseJson(line) ?? line);
  return normal({ code: ran.code, json }, root);
}

export function someOf(asking: Asking, count: number): string[] {
  const step = Math.ceil(asking.sessions.length / count);
  return asking.sessions.filter((_id, place) => place % step === 0);
}

/** Every question, to both. */
export async function conform(asking: Asking, count = 3): Promise<void> {
  for (const argv of QUESTIONS({ sessions: someOf(asking, count) })) {
    const kept = await answer(asking, argv);
    const read = await answer(asking, [...argv, '--team', asking.url]);
    expect([argv, firstDifference(read, kept)]).toEqual([argv, undefined]);
  }
}
