/** What the archive kept reads as the files did: before, beside, without and after them. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { asArray, asString, at, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from './files.ts';
import { machine } from './inprocess.ts';

/** All recordings as one config root; files that two recordings share lie in two project folders. */
export function recordedRoot(): string {
  const root = tempFolder();
  const recordings = readdirSync(join(FIXTURES, 'recorded'), { withFileTypes: true }).flatMap((version) =>
    readdirSync(join(version.parentPath, version.name)).map((name) => join(version.parentPath, version.name, name)),
  );
  for (const recording of recordings) {
    const projects = join(recording, 'projects');
    if (existsSync(projects)) cpSync(projects, join(root, 'projects'), { recursive: true, force: false });
  }
  return root;
}

export function generatedRoot(seed: number): string {
  const out = tempFolder();
  const script = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--out', out, '--mb', '4', '--files', '30', '--seed', String(seed)]);
  return join(out, '.claude');
}

/** The same without the word that says where it was read from. */
function withoutSource(json: Json): Json {
  if (Array.isArray(json)) return json.map(withoutSource);
  if (!isObject(json)) return json;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(json)) {
    if (key !== 'source' && value !== undefined) copy[key] = withoutSource(value);
  }
  return copy;
}

function sourcesIn(json: Json): Set<string> {
  const chats = asArray(at(json, 'chats')) ?? [];
  const sessions = chats.flatMap((chat) => [chat, ...(asArray(at(chat, 'sessions')) ?? [])]);
  return new Set(sessions.map((each) => asString(at(each, 'source')) ?? ''));
}

/** Every verb that reads, over a config root of one's own. */
export async function checkKeptReads(config: string): Promise<void> {
  const { root, run } = machine(config);
  const sessions = transcriptsBelow(join(root, 'projects')).filter((_file, index) => index % 60 === 0);
  const everything = async () => {
    const all: Record<string, Json> = {};
    for (const verb of ['list', 'tree', 'check']) all[verb] = (await run(verb, '--json')).json();
    for (const file of sessions) {
      for (const verb of ['show', 'context']) {
        // An empty file has nothing to show, before and after.
        const ran = await run(verb, file, '--json').catch((error: Error) => ({ json: () => error.message }));
        all[`${verb} ${file}`] = ran.json();
      }
    }
    return all;
  };
  const before = await everything();
  expect(sourcesIn(before.list ?? null)).toEqual(new Set(['disk']));
  expect((await run('archive', 'sync', '--json')).json()).toMatchObject({ problems: [] });

  const indexed = await everything();
  expect(indexed).toEqual(before);

  renameSync(join(root, 'projects'), join(root, 'away'));
  const kept = await everything();
  expect(sourcesIn(kept.list ?? null)).toEqual(new Set(['archive']));
  expect(sourcesIn(kept.tree ?? null)).toEqual(new Set(['archive']));
  expect(Object.keys(kept)).toEqual(Object.keys(before));
  for (const [name, json] of Object.entries(kept)) {
    expect([name, withoutSource(json)]).toEqual([name, withoutSource(before[name] ?? null)]);
  }

  expect((await run('archive', 'restore', '--all', '--json')).code).toBe(0);
  expect(await everything()).toEqual(before);
}
