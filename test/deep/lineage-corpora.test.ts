import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eachId } from '../../src/format/idlist.ts';
import { asNumber, asObject, parseJson } from '../../src/format/json.ts';
import { chatsOf } from '../../src/graph/chat.ts';
import { tempFolder } from '../support/files.ts';
import { opened, sessionsIn } from '../support/sessions.ts';

describe('lineage: generated corpora', () => {
  const generator = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));

  test.each([
    ['1', 5, 20],
    ['2', 5, 20],
    ['7', 6, 90],
    ['11', 12, 120],
  ])('seed %s: copies and forks join their source, every agent its call', (seed, mb, files) => {
    const folder = tempFolder();
    execFileSync(process.execPath, [
      generator,
      '--out',
      folder,
      '--mb',
      `${mb}`,
      '--seed',
      seed,
      '--files',
      `${files}`,
    ]);
    const truth = asObject(parseJson(readFileSync(join(folder, 'truth.json'), 'utf8'))) ?? {};
    const sessions = sessionsIn(join(folder, '.claude'));
    const count = (name: string) => asNumber(truth[name]) ?? -1;
    expect(sessions).toHaveLength(count('mainSessions') + count('resumedCopies') + count('forks'));
    const chats = chatsOf(sessions);
    expect(chats).toHaveLength(count('mainSessions'));

    const sets = new Map(sessions.map((session) => [session.file, new Set(eachId(session.outline.uuids))]));
    const all = chats.flatMap((chat) => chat.sessions);
    for (const { file, superseded } of all) {
      const own = [...(sets.get(file) ?? [])];
      const isIn = [...sets].some(([other, ids]) => other !== file && own.every((uuid) => ids.has(uuid)));
      expect([file, superseded]).toEqual([file, isIn]);
    }

    const agents = chats.flatMap((chat) => opened(sessions, chat).allAgents);
    expect(agents).toHaveLength(count('agentFiles'));
    expect(agents.filter(({ toolUseId }) => toolUseId === undefined)).toEqual([]);
  });
});
