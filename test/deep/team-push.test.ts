/** Pushing under all that may go wrong: what is there afterwards is what an undisturbed push gives, and nothing denied ever left. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { BIN } from '../support/skein.ts';
import { bytesReceived, rowsBy } from '../support/team.ts';
import { answer, call, prompt, result, turns, writeSession } from '../support/teamsession.ts';

let engine: ClickHouse;
let folder: string;
let logins = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-deep-team-'));
  engine = await startClickHouse();
});
afterEach(() => engine.works());
afterAll(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A machine of a new login, whose command is the real one. */
async function machineOf(config: string, policy: JsonObject, login?: string) {
  const who = login ?? `login${logins++}`;
  if (login === undefined) await engine.addUser(who, ['skein_pusher'], 'pw');
  const home = mkdtempSync(join(folder, 'home-'));
  const setPolicy = (now: JsonObject) => writeFileSync(join(home, 'team-policy.json'), JSON.stringify(now));
  setPolicy(policy);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SKEIN_HOME: home,
    CLAUDE_CONFIG_DIR: config,
    SKEIN_TEAM: engine.url(who),
    SKEIN_TEAM_TIMEOUT: '2',
  };
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [BIN, 'team', 'push', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    child.stdout.on('data', (text) => (told += text));
    child.stderr.on('data', (text) => (told += text));
    const ended = once(child, 'close').then(() => ({ code: child.exitCode, told }));
    return { child, ended };
  };
  /** Until nothing waits. */
  const settle = async (...args: string[]) => {
    for (let time = 0; time < 40; time += 1) {
      const { code, told } = await start(...args).ended;
      if (code === 0) return;
      expect(told, told).toMatch(/the next push sends|Another push/);
    }
    throw new Error('it never came to an end');
  };
  return { who, home, setPolicy, start, settle };
}

function corpus(name: string, seed: number): string {
  const out = join(folder, name);
  const script = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--out', out, '--mb', '4', '--files', '24', '--seed', String(seed)]);
  return out;
}

function transcripts(config: string): string[] {
  return readdirSync(config, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(config, name))
    .sort();
}

/** The rows of a login as those of nobody. */
async function rowsOf(login: string, isNone = false): Promise<Record<string, string[]>> {
  const rows = await rowsBy(engine, login);
  const bare = (row: string) => {
    const named = row.replace(`"owner":"${login}"`, '"owner":""');
    return isNone ? named.replace(/"input_hash":\d+/, '') : named;
  };
  return Object.fromEntries(Object.entries(rows).map(([table, each]) => [table, each.map(bare).sort()]));
}

async function undisturbed(config: string, policy: JsonObject): Promise<Record<string, string[]>> {
  await engine.works();
  const other = await machineOf(config, policy);
  await other.settle();
  return rowsOf(other.who, policy.content === 'none');
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

test('killed at 30 random moments, while sessions grow', async () => {
  const config = corpus('killed', 7);
  const random = randomOf(99);
  const one = await machineOf(config, {});
  const files = transcripts(config);
  // Each grows back to what it was.
  const rests = files.map((file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const at = Math.floor(lines.length / 2);
    writeFileSync(file, `${lines.slice(0, at).join('\n')}\n`);
    return { file, rest: lines.slice(at).join('\n') };
  });
  await engine.slow(15);
  let killed = 0;
  // As long as a push takes here, of what has grown and of everything: one that ended before its moment tells.
  const lasts = { grown: 2500, all: 2500 };
  for (let time = 0; time < 120 && killed < 30; time += 1) {
    const grown = rests.splice(0, Math.ceil(files.length / 30));
    for (const { file, rest } of grown) appendFileSync(file, rest);
    // When nothing grows any more, everything is sent again: there is always something to break off.
    const kind = grown.length > 0 ? 'grown' : 'all';
    const began = Date.now();
    const { child, ended } = one.start(...(kind === 'all' ? ['--all'] : []));
    const stop = new AbortController();
    const moment = sleep(100 + random() * lasts[kind], undefined, { signal: stop.signal }).then(
      () => child.kill('SIGKILL'),
      () => false,
    );
    await ended;
    stop.abort();
    await moment;
    if (child.signalCode === 'SIGKILL') killed += 1;
    else lasts[kind] = Math.max(200, Date.now() - began);
  }
  for (const { file, rest } of rests) appendFileSync(file, rest);
  await engine.slow(0);
  expect(killed).toBe(30);
  await one.settle();
  expect(await rowsOf(one.who)).toEqual(await undisturbed(config, {}));
});

test('20% of the requests fail, in every way', async () => {
  const config = corpus('failing', 8);
  const one = await machineOf(config, { content: 'full' });
  await engine.fail(
    (request, data: { seed: number }, memory) => {
      if (!/INSERT/i.test(request.sql)) return undefined;
      memory.k = ((memory.k ?? data.seed) * 16807) % 2147483647;
      const kinds = [
        'dropped',
        'lost',
        'hangs',
        { status: 500, body: 'no' },
        { status: 429, body: 'later', headers: { 'retry-after': '1' } },
      ] as const;
      return memory.k % 5 === 0 ? kinds[(memory.k >> 8) % kinds.length] : undefined;
    },
    { seed: 4711 },
  );
  const sessions = transcripts(config).flatMap((file) => /([0-9a-f-]{36})\.jsonl$/.exec(file)?.[1] ?? []);
  // One by one, so that many requests are made.
  for (const content of ['full', 'masked', 'full']) {
    one.setPolicy({ content });
    for (const session of sessions) await one.settle(session);
  }
  await one.settle();
  const inserts = engine.received().filter(({ user, sql }) => user === one.who && /INSERT/i.test(sql));
  const once = new Set(inserts.map(({ url }) => /insert_deduplication_token=(\w+)/.exec(url)?.[1]));
  expect(inserts.length - once.size).toBeGreaterThan(12);
  expect(await rowsOf(one.who)).toEqual(await undisturbed(config, { content: 'full' }));
});

test('two machines push the same sessions at once, some longer here, some gone another way there', async () => {
  const whole = corpus('whole', 9);
  const [here, there, both] = [join(folder, 'here'), join(folder, 'there'), join(folder, 'both')];
  for (const copy of [here, there, both]) cpSync(whole, copy, { recursive: true });
  for (const [place, name] of transcripts(whole)
    .map((file) => file.slice(whole.length))
    .entries()) {
    const lines = readFileSync(join(whole, name), 'utf8').split('\n');
    if (place % 3 === 0) writeFileSync(join(here, name), `${lines.slice(0, -4).join('\n')}\n`);
    if (place % 3 === 1) {
      const cut = Math.max(1, lines.length - 3);
      const other = {
        type: 'user',
        uuid: `0000000${place % 10}-0000-4000-8000-00000000000${place % 10}`,
        timestamp: '2026-03-01T00:00:00.000Z',
        message: { role: 'user', content: `went another way ${place}` },
      };
      writeFileSync(join(there, name), `${[...lines.slice(0, cut), JSON.stringify(other)].join('\n')}\n`);
    }
  }
  const one = await machineOf(here, {});
  const two = await machineOf(there, {}, one.who);
  await Promise.all([one.settle(), two.settle()]);
  const lines = async (login: string) =>
    new Set(
      (
        await engine.sql('SELECT session, name, n, id, line FROM entries FINAL WHERE owner = {login: String}', {
          login,
        })
      ).map((row) => JSON.stringify(row)),
    );
  const [left, right] = [await machineOf(here, {}), await machineOf(there, {})];
  await left.settle();
  await right.settle();
  const union = new Set([...(await lines(left.who)), ...(await lines(right.who))]);
  const got = await lines(one.who);
  expect([...got].sort()).toEqual([...union].sort());
  const [counts] = await engine.sql(
    'SELECT count() AS n, uniq(session, name, id) AS calls FROM tool_calls FINAL WHERE owner = {login: String}',
    { login: one.who },
  );
  expect(counts?.n).toBe(counts?.calls);
});

const TOKEN = `ghp_${'Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8'.slice(0, 36)}`;

test('a policy that changes between pushes: nothing denied, nothing unmasked is ever in what was sent', async () => {
  const config = join(folder, 'policies');
  const [open, secret, mixed, fork] = ['a', 'b', 'c', 'd'].map(
    (each) => `${each.repeat(8)}-1111-4111-8111-111111111111`,
  ) as [string, string, string, string];
  const denied = '/srv/denied/app';
  const said = (id: string, cwd: string, n: number, text: string) => ({ id, cwd, n, text });
  const agent = (id: string, cwd: string, word: string) => ({
    'subagents/agent-x.jsonl': `${JSON.stringify({ ...prompt(said(id, cwd, 701, `agent ${word}`)), isSidechain: true, agentId: 'x' })}\n`,
    'subagents/agent-x.meta.json': JSON.stringify({ toolUseId: 'toolu_m', description: `meta ${word}` }),
    'tool-results/big.txt': `output ${word}`,
    'custom-title.json': JSON.stringify({ customTitle: `title ${word}` }),
  });
  const lines = (id: string, cwd: string, word: string) => [
    { type: 'summary', summary: `summary ${word}`, leafUuid: 'x' },
    ...turns(id, cwd, 3, 1, word),
    answer(said(id, cwd, 41, word), [call('toolu_m', { command: word, file_path: `${cwd}/${word}` })]),
    result(said(id, cwd, 42, `tool-results/big.txt ${word}`), 'toolu_m'),
  ];
  writeSession(config, {
    id: open,
    cwd: '/srv/open',
    lines: lines(open, '/srv/open', `fine ${TOKEN}`),
    beside: agent(open, '/srv/open', TOKEN),
  });
  writeSession(config, {
    id: secret,
    cwd: denied,
    lines: lines(secret, denied, 'DENIEDNEEDLE'),
    beside: agent(secret, denied, 'DENIEDNEEDLE'),
  });
  // It wandered into the denied folder once.
  writeSession(config, {
    id: mixed,
    cwd: '/srv/open',
    lines: [...lines(mixed, '/srv/open', 'MIXEDNEEDLE'), prompt(said(mixed, denied, 50, 'DENIEDNEEDLE'))],
  });
  // A fork that copied entries of the denied session.
  const copied = turns(fork, denied, 1, 1, 'DENIEDNEEDLE').map((line) => ({
    ...line,
    forkedFrom: { sessionId: secret, messageUuid: line.uuid ?? null },
  }));
  writeSession(config, {
    id: fork,
    cwd: '/srv/open',
    lines: [...copied, ...turns(fork, '/srv/open', 1, 21, 'FORKNEEDLE')],
  });
  const deny = { projects: { deny: ['/srv/denied/**'] } };

  const careful = await machineOf(config, { content: 'masked', ...deny });
  await careful.settle();
  const sent = bytesReceived(engine, careful.who);
  expect(sent).toContain('[github-token:');
  for (const needle of [
    'DENIEDNEEDLE',
    'MIXEDNEEDLE',
    'FORKNEEDLE',
    TOKEN,
    TOKEN.toLowerCase(),
    '/srv/denied',
    '-srv-denied',
    'deniedneedle',
  ])
    expect(sent.includes(needle), needle).toBe(false);

  const one = await machineOf(config, { content: 'full', ...deny });
  await one.settle();
  for (const policy of [
    { content: 'masked', ...deny },
    { content: 'none', ...deny },
    { projects: { deny: ['**'] } },
    { content: 'masked', ...deny },
    { content: 'none' },
    deny,
  ]) {
    one.setPolicy(policy);
    await one.settle();
    const isNone = 'content' in policy && policy.content === 'none';
    expect(await rowsOf(one.who, isNone), JSON.stringify(policy)).toEqual(await undisturbed(config, policy));
  }
  expect(bytesReceived(engine, one.who)).not.toContain('DENIEDNEEDLE');
});
