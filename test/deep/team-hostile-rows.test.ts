/** Rows as someone may write them who has a login: readers show them, and nothing else happens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asObject } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { skein } from '../support/skein.ts';
import { answer, prompt } from '../support/teamsession.ts';

let engine: ClickHouse;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-hostile-rows-'));
  engine = await startClickHouse();
});
afterAll(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ESC = '\u001b]0;owned\u0007\u001b[31m\u202e';
const BAD = `${ESC}bad`;
const GOOD = 'aaaaaaaa-3333-4333-8333-333333333333';
const time = '2026-01-02 03:00:00.000';

async function put(table: string, ...rows: object[]): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  await engine.admin.insert(
    table,
    columns,
    rows.map((row) => JSON.stringify(row)),
  );
}

function fileRow(session: string, more: object = {}) {
  const all = { person: BAD, machine: BAD, retention: 'standard', content: 'full', kind: 'session', project: BAD };
  const many = { size: 1e15, lines: 4294967295, digest: 'x', chat: BAD, title: BAD, outline: '{"titles":[1,{}],"n":' };
  return {
    session,
    name: `${session}.jsonl`,
    slug: BAD,
    ...all,
    ...many,
    time,
    mtime: time,
    version: 1,
    deleted: 0,
    ...more,
  };
}

test('escape sequences, broken JSON, long gaps and paths that lead elsewhere do no harm in any verb', async () => {
  await put(
    'files',
    fileRow(GOOD, { slug: '-srv-bad' }),
    fileRow(BAD),
    fileRow('up', { name: '../../../../etc/passwd' }),
    fileRow('slug', { slug: '../..', name: 'slug.jsonl' }),
    fileRow('proto', { slug: '__proto__', name: 'constructor', outline: '[[[[' }),
    fileRow('meta', { kind: 'agent-meta', name: 'meta/subagents/agent-a.meta.json', body: '{"a":' }),
    fileRow('odd', { kind: BAD, name: `odd/${BAD}` }),
  );
  const say = (n: number) => ({ id: GOOD, cwd: `/srv/${BAD}`, n, text: `${BAD} needle` });
  const lines = [
    JSON.stringify({ ...prompt(say(1)), gitBranch: BAD }),
    JSON.stringify({ ...answer(say(2)), message: { ...asObject(answer(say(2)).message), model: BAD } }),
    '{"type":"user","message":',
    'x'.repeat(2_000_000),
    '['.repeat(100_000),
    '\n\n{"type":"user"}\n',
    JSON.stringify({ type: 'custom-title', customTitle: BAD, sessionId: GOOD }),
  ];
  const entry = { retention: 'standard', person: BAD, type: BAD, content: 'full', time, version: 1, deleted: 0 };
  for (const session of [GOOD, BAD])
    await put(
      'entries',
      ...lines.map((line, at) => ({
        ...entry,
        session,
        name: `${session}.jsonl`,
        n: [1, 2, 2, 9000, 4294967295, 4294967295, 5][at],
        id: `${BAD}${at}`,
        line,
      })),
    );
  await put('usage', {
    ...{ session: GOOD, name: `${GOOD}.jsonl`, person: BAD, retention: 'standard', time, version: 1, deleted: 0 },
    ...{ message: BAD, request: BAD, machine: BAD, project: BAD, agent: BAD, branch: BAD, model: BAD, tier: BAD },
    ...{ timed: 1, ended: 1, input: '18446744073709551615', output: 1, cost_recorded: 1e300 },
  });
  await put('messages', {
    ...{ session: GOOD, name: `${GOOD}.jsonl`, person: BAD, retention: 'standard', time, version: 1, deleted: 0, n: 1 },
    ...{ place: 0, slug: BAD, identity: 'zz', said: BAD, role: BAD, model: BAD, words: ' needle ', length: 1 },
  });
  const url = engine.url();
  for (const argv of [
    ['list'],
    ['show', GOOD],
    ['tree', GOOD],
    ['check', GOOD],
    ['context', GOOD],
    ['search', 'needle'],
    ['search', 'model:bad*'],
    ['search', '~needle'],
    ['usage', '--by', 'project,model'],
    ['usage', '--by', 'person'],
    ['usage', '--by', 'chat'],
    ['team', 'usage'],
  ]) {
    const { code, text, err } = skein([...argv, '--team', url], { home: folder });
    expect
      .soft(text + err, argv.join(' '))
      .not.toMatch(/[\u0007\u202e]|\u001b\]|at .*\.(?:ts|cjs):\d|TypeError|RangeError/);
    expect.soft(text + err, argv.join(' ')).not.toContain('root:x:0');
    if (argv[0] !== 'check' && argv[0] !== 'context' && argv[1] !== '~needle')
      expect.soft(code, `${argv.join(' ')}: ${err}`).toBe(0);
    expect.soft([0, 1], `${argv.join(' ')}: ${err}`).toContain(code);
  }
});
