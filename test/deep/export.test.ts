/** Thousands of turns to servers that fail, by exporters that are killed; and the rows in a real engine. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Session } from 'chdb';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { asNumber, at } from '../../src/format/json.ts';
import { toJsonl } from '../support/build.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { generatedTranscript } from '../support/generated.ts';
import { expectSameRows } from '../support/growing.ts';
import { type Fault, type Receiver, startReceiver } from '../support/receiver.ts';
import type { Row } from '../support/servermapping.ts';
import { beside, machineWith, SPANS_A_TURN, turnLines } from '../support/traced.ts';

const GENERATOR = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));
const SESSIONS = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`s${n}`, 250]));
const TURNS = 5000;
const keysOf = ({ rows }: Receiver) => [...rows.keys()].sort();

test('T3: 5,000 turns arrive exactly once; again nothing; after appending only the new turns', async () => {
  const server = await startReceiver();
  const machine = machineWith(SESSIONS, server.url);
  const first = await beside(machine, ['export', 'langfuse', '--all', '--json']);
  expect(first.json()).toMatchObject({ sent: TURNS * SPANS_A_TURN, turns: TURNS, queued: 0, refused: [] });
  expect(server.rows.size).toBe(TURNS * SPANS_A_TURN);
  expect(server.arrived()).toBe(TURNS * SPANS_A_TURN);
  const requests = server.requests.length;
  expect((await beside(machine, ['export', 'langfuse', '--all', '--json'])).json()).toMatchObject({
    sent: 0,
    spans: 0,
  });
  expect(server.requests.length).toBe(requests);
  appendFileSync(machine.fileOf('s3'), toJsonl(turnLines('s3', 251, 253)));
  expect((await beside(machine, ['export', 'langfuse', '--all', '--json'])).json()).toMatchObject({ turns: 3 });
  expect(server.arrived()).toBe((TURNS + 3) * SPANS_A_TURN);
});

const FAULTS: readonly Fault[] = [
  { status: 500, body: 'oops' },
  { status: 429, headers: { 'retry-after': '1' } },
  'dropped',
  'lost',
  'hangs',
  'partial',
];

test('T3: 5,000 turns with a fifth of the requests failing and the exporter killed: still exactly once', async () => {
  const clean = await startReceiver();
  await beside(machineWith(SESSIONS, clean.url), ['export', 'langfuse', '--all']);
  const server = await startReceiver();
  const machine = machineWith(SESSIONS, server.url);
  machine.env.OTEL_EXPORTER_OTLP_TIMEOUT = '1000';
  server.slow(30);
  let asked = 0;
  let faults = 0;
  // Counted, not drawn: every kind is met, however few requests there are.
  server.fail(() => {
    asked += 1;
    if (asked % 5 !== 0) return undefined;
    faults += 1;
    return FAULTS[faults % FAULTS.length];
  });
  let killed = 0;
  for (let round = 0; round < 8; round += 1) {
    const { code } = await beside(machine, ['export', 'langfuse', '--all'], 700 + Math.random() * 2500);
    if (code === null) killed += 1;
  }
  const last = await beside(machine, ['export', 'langfuse', '--all', '--json']);
  expect(last.json()).toMatchObject({ refused: [], left: 0 });
  // Whatever is in the queue by then goes with the next.
  await beside(machine, ['export', 'langfuse', '--all']);
  console.log(
    `killed ${killed} of 8, ${faults} of ${server.requests.length} requests failed, ${server.arrived()} arrived`,
  );
  expect(killed).toBeGreaterThan(1);
  expect(faults).toBeGreaterThanOrEqual(FAULTS.length);
  expect(keysOf(server)).toEqual(keysOf(clean));
  server.fail(() => undefined);
  const requests = server.requests.length;
  expect((await beside(machine, ['export', 'langfuse', '--all', '--json'])).json()).toMatchObject({
    sent: 0,
    queued: 0,
  });
  expect(server.requests.length).toBe(requests);
  const queue = join(machine.env.SKEIN_HOME ?? '', 'export', 'queue');
  expect(existsSync(queue) ? readdirSync(queue) : []).toEqual([]);
});

const VERSIONS = readdirSync(join(FIXTURES, 'recorded'));
const SCENARIOS = VERSIONS.flatMap((version) =>
  readdirSync(join(FIXTURES, 'recorded', version)).map((scenario) => join(version, scenario)),
);

test.each(SCENARIOS)('T3: %s sent as it grows gives the rows of the whole', (scenario) =>
  expectSameRows(join(FIXTURES, 'recorded', scenario)),
);

test('T3: any session sent as it grows gives the rows of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(generatedTranscript, async (text) => {
      const folder = tempFolder();
      const project = join(folder, 'projects', '-work-app');
      mkdirSync(project, { recursive: true });
      writeFileSync(join(project, 'session-1.jsonl'), text);
      await expectSameRows(folder);
    }),
    { numRuns: 30 },
  );
});

test('T4: in ClickHouse no row is doubled by sending again, and SQL gives the totals of skein usage', async () => {
  const folder = tempFolder();
  const args = ['--out', folder, '--mb', '25', '--seed', '8', '--files', '60'];
  execFileSync(process.execPath, [GENERATOR, ...args], { stdio: 'ignore' });
  const server = await startReceiver();
  const machine = machineWith({}, server.url);
  machine.env.CLAUDE_CONFIG_DIR = join(folder, '.claude');
  const db = new Session(join(folder, 'db'));
  try {
    db.query(`CREATE TABLE observations (trace_id String, span_id String, start_time UInt64, end_time UInt64, type String, name String,
      session_id String, level String, model String, usage Map(String, UInt64), cost Float64, event_ts UInt64)
      ENGINE = ReplacingMergeTree(event_ts) ORDER BY (trace_id, span_id, start_time)`);
    expect((await beside(machine, ['export', 'langfuse', '--all', '--json'])).code).toBe(0);
    await insert(db, [...server.rows.values()], 1);
    const once = ask(db, 'SELECT count() FROM observations FINAL');
    expect(once).toBe(server.rows.size);
    await beside(machine, ['export', 'langfuse', '--all', '--again']);
    await insert(db, [...server.rows.values()], 2);
    expect(ask(db, 'SELECT count() FROM observations FINAL')).toBe(once);
    const usage = (await beside(machine, ['usage', '--by', 'total', '--json'])).json();
    const total = (name: string) => asNumber(at(usage, 'totals', name)) ?? Number.NaN;
    const sum = (what: string) => ask(db, `SELECT sum(${what}) FROM observations FINAL WHERE type = 'generation'`);
    expect({
      input: sum("usage['input']"),
      output: sum("usage['output']"),
      cacheRead: sum("usage['input_cached_tokens']"),
      cacheCreation: sum("usage['input_cache_creation_5m'] + usage['input_cache_creation_1h']"),
    }).toEqual({
      input: total('input'),
      output: total('output'),
      cacheRead: total('cacheRead'),
      cacheCreation: total('cacheCreation'),
    });
    expect(sum('cost')).toBeCloseTo(total('costUSD'), 4);
  } finally {
    db.close();
  }
});

async function insert(db: Session, rows: readonly Row[], version: number): Promise<void> {
  const values = rows.map(({ traceId, spanId, start, end, type, name, sessionId, level, model, usage, costUSD }) => ({
    trace_id: traceId,
    span_id: spanId,
    start_time: start,
    end_time: end,
    type,
    name,
    session_id: sessionId ?? '',
    level,
    model: model ?? '',
    usage,
    cost: costUSD ?? 0,
    event_ts: version,
  }));
  for (let at = 0; at < values.length; at += 2000) {
    await db.insert({ table: 'observations', values: values.slice(at, at + 2000) });
  }
}

function ask(db: Session, sql: string): number {
  return Number(db.query(sql, 'TSV').trim());
}
