/** As team-conformance-small.test.ts, over more corpora, and with less than everything pushed. */
import { appendFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { transcriptsBelow } from '../support/files.ts';
import { answer, conform, generatedRoot, pushedTo, recordedRoot, someOf } from '../team/conforming.ts';
import { firstDifference } from '../team/questions.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse({ record: false });
});
afterAll(() => engine.stop());

test('all recordings', { timeout: 600_000 }, async () => {
  await conform(await pushedTo(engine, recordedRoot(), 'recorded'), 12);
});

test.each([3, 11, 23, 42])('a corpus of seed %i', { timeout: 600_000 }, async (seed) => {
  await conform(await pushedTo(engine, generatedRoot(seed, 8, 60), `seed_${seed}`), 8);
});

/** What is no text that somebody said: how it all hangs together, and what it counts. */
const GRAPH = [
  'json code chats turns sessions id uuid head branch branches edges from to kind superseded leaf entries lines number parent',
  'started updated time model bytes usage messages input output cacheCreation cacheRead cacheCreation5m cacheCreation1h',
  'toolCalls name status isError durationMs subagents unattached agents agentId toolUseId calls forks compactions trigger totals rows',
].flatMap((names) => names.split(' '));

function graphOf(json: Json, names: ReadonlySet<string>): Json {
  if (Array.isArray(json)) return json.map((each) => graphOf(each, names));
  if (!isObject(json)) return json;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(json))
    if (names.has(key) && value !== undefined) copy[key] = graphOf(value, names);
  return copy;
}

const SECRET = `sk-ant-api03-${'aB3dE5fG7hJ9kL2mN4pQ'.repeat(4)}-AA`;

/** A session in which a secret was told. */
function withSecret(root: string): string {
  const [file = ''] = transcriptsBelow(join(root, 'projects'));
  const message = { role: 'user', content: `the key is ${SECRET}` };
  const timestamp = '2026-05-01T10:00:00.000Z';
  const entry = {
    type: 'user',
    uuid: 'with-a-secret',
    parentUuid: null,
    sessionId: 'x',
    timestamp,
    cwd: '/w',
    message,
  };
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
  return basename(file, '.jsonl');
}

test.each(['masked', 'none'] as const)(
  'with content %s the graph is the same',
  { timeout: 120_000 },
  async (content) => {
    const root = generatedRoot(11, 1, 8);
    const told = withSecret(root);
    const asking = await pushedTo(engine, root, `team_${content}`, content);
    // Without what was said nobody can tell which of it a person typed as a prompt, and which as a command.
    const names = new Set(GRAPH.filter((name) => content === 'masked' || name !== 'turns'));
    const chats = [told, ...someOf(asking, 2)].map((id) => ['show', id]);
    for (const question of [['tree'], ['usage', '--by', 'model'], ...(content === 'masked' ? chats : [])]) {
      const argv = [...question, '--json', ...(question[0] === 'usage' ? [] : ['--reveal'])];
      const [kept, read] = [await answer(asking, argv), await answer(asking, [...argv, '--team', asking.url])];
      expect(JSON.stringify(read)).not.toContain(SECRET);
      expect([argv, firstDifference(graphOf(read, names), graphOf(kept, names))]).toEqual([argv, undefined]);
    }
    const raw = (await asking.run('cat', told, '--team', asking.url)).text;
    expect(raw).toContain('with-a-secret');
    expect(raw).not.toContain(SECRET);
  },
);
