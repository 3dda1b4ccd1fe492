/** Turns on their way to a server, as it sees them. */
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { deliverSession } from '../../src/export/otlp/session.ts';
import { assistant, toJsonl, user } from '../support/build.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { deliveryTo, QUICK, SPANS } from '../support/growing.ts';
import { runHere } from '../support/inprocess.ts';
import { type Fault, type Receiver, startReceiver } from '../support/receiver.ts';
import { expectValid } from '../support/schema.ts';
import { machineWith, SPANS_A_TURN, type TracedMachine, turnLines } from '../support/traced.ts';

async function started(sessions: Record<string, number>): Promise<{ server: Receiver; machine: TracedMachine }> {
  const server = await startReceiver();
  return { server, machine: machineWith(sessions, server.url) };
}

const run = (machine: TracedMachine, ...argv: string[]) => runHere(['export', ...argv], machine.env);

describe('skein export langfuse|otlp', () => {
  test('T2, T3: everything once, at most 500 spans a request; again nothing; after appending only what is new', async () => {
    const { server, machine } = await started({ a: 180, b: 7 });
    const first = await run(machine, 'langfuse', '--all', '--json');
    expect(first.code).toBe(0);
    expect(first.json()).toMatchObject({
      spans: 187 * SPANS_A_TURN,
      sent: 187 * SPANS_A_TURN,
      turns: 187,
      refused: [],
    });
    expect(server.rows.size).toBe(187 * SPANS_A_TURN);
    expect(server.arrived()).toBe(server.rows.size);
    for (const { spans, headers, path } of server.requests) {
      expect(spans.length).toBeLessThanOrEqual(500);
      expect(path).toBe('/api/public/otel/v1/traces');
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'x-langfuse-ingestion-version': '4' });
    }
    const requests = server.requests.length;
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ spans: 0, sent: 0 });
    expect(server.requests.length).toBe(requests);
    appendFileSync(machine.fileOf('b'), toJsonl(turnLines('b', 8, 9)));
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({
      sent: 2 * SPANS_A_TURN,
      turns: 2,
    });
    expect(server.arrived()).toBe(189 * SPANS_A_TURN);
    expect((await run(machine, 'langfuse', '--all', '--again', '--json')).json()).toMatchObject({ turns: 189 });
    expect(server.rows.size).toBe(189 * SPANS_A_TURN);
  });

  test('T3: a copy of turns in another session is not sent again', async () => {
    const { server, machine } = await started({ a: 5 });
    await run(machine, 'langfuse', '--all');
    const copied = readFileSync(machine.fileOf('a'), 'utf8').replaceAll('"sessionId":"a"', '"sessionId":"c"');
    writeFileSync(machine.fileOf('c'), copied);
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ sent: 0 });
    expect(server.arrived()).toBe(5 * SPANS_A_TURN);
  });

  test('each endpoint has its own state; OTLP is sent in the words of OpenTelemetry', async () => {
    const { server, machine } = await started({ a: 2 });
    const env = { ...machine.env, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k' };
    await runHere(['export', 'langfuse', 'a'], env);
    await runHere(['export', 'otlp', 'a', '--endpoint', server.url], env);
    const last = server.requests.at(-1);
    expect(last?.path).toBe('/v1/traces');
    expect(last?.headers['x-key']).toBe('k');
    expect(JSON.stringify(last?.spans)).toContain('gen_ai.operation.name');
    expect(server.arrived()).toBe(2 * 2 * SPANS_A_TURN);
  });

  test('secrets are masked, also before the place that gives them away; --no-content sends nothing that was said', async () => {
    const { server, machine } = await started({});
    // Put together here, so that no scanner takes this file for a leak. Nothing but the second turn tells what it is.
    const secret = ['q7Zt9Lw2Xc4Vb', '6Nm8Kj1Rf3Ty5'].join('');
    const said = new Map([
      [0, user(`use ${secret} now`)],
      [4, user(`export DB_PASSWORD=${secret}`)],
    ]);
    const lines = turnLines('a', 1, 2).map((line, place) => ({ ...line, ...said.get(place) }));
    writeFileSync(machine.fileOf('a'), toJsonl(lines));
    await run(machine, 'langfuse', 'a');
    expect(JSON.stringify([...server.rows.values()])).toContain('DB_PASSWORD');
    expect(JSON.stringify(server.requests)).not.toContain(secret);
    await run(machine, 'langfuse', 'a', '--again', '--no-content');
    const bare = [...server.rows.values()];
    expect(bare.flatMap(({ input, output }) => [input, output]).filter((each) => each !== null)).toEqual([]);
    expect(JSON.stringify(server.requests.at(-1))).not.toMatch(/answer 1|echo 1|out 1/);
    await run(machine, 'langfuse', 'a', '--again', '--reveal');
    expect(JSON.stringify(server.requests.at(-1))).toContain(secret);
  });

  test.each([['service_tier'], ['speed'], ['inference_geo']])('a token in usage.%s is masked', async (field) => {
    const { server, machine } = await started({});
    const token = ['ghp', 'q7Zt9Lw2Xc4Vb6Nm8Kj1Rf3Ty5Hs0Dg2Pa4U'].join('_');
    const usage = { input_tokens: 1, output_tokens: 2, [field]: token };
    const lines = turnLines('a', 1, 1).map((line, place) =>
      place === 3 ? { ...line, ...assistant('hi', { id: 'm1', usage }) } : line,
    );
    writeFileSync(machine.fileOf('a'), toJsonl(lines));
    for (const dialect of ['otlp', 'langfuse']) {
      const shown = await run(machine, dialect, 'a', '--dry-run', '--json');
      expect(shown.json()).toMatchObject({ turns: 1 });
      expect(shown.text).not.toContain(token);
      await run(machine, dialect, 'a', ...(dialect === 'otlp' ? ['--endpoint', server.url] : []));
    }
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests)).not.toContain(token);
    expect((await run(machine, 'otlp', 'a', '--dry-run', '--json', '--reveal')).text).toContain(token);
  });

  test('a secret that a turn sent before gave away is masked in what is sent later', async () => {
    const { server, machine } = await started({});
    const secret = ['Zq8vT3nLw0', 'XyB5kRmP2d'].join('');
    const lines = turnLines('a', 1, 5).map((line, place) => {
      if (place === 0) return { ...line, ...user(`the config has DB_PASSWORD=${secret} in it`) };
      return place === 16 ? { ...line, ...user(`it was ${secret} I think`) } : line;
    });
    writeFileSync(machine.fileOf('a'), toJsonl(lines.slice(0, 16)));
    await run(machine, 'langfuse', '--all');
    appendFileSync(machine.fileOf('a'), toJsonl(lines.slice(16)));
    await run(machine, 'langfuse', '--all');
    expect(server.arrived()).toBe(5 * SPANS_A_TURN);
    expect(JSON.stringify(server.requests)).toContain('I think');
    expect(JSON.stringify(server.requests)).not.toContain(secret);
  });

  test('what the cc-langfuse hook sent is not sent again, unless told to', async () => {
    const { server, machine } = await started({ a: 3 });
    mkdirSync(join(machine.root, 'state'));
    const state = { a: { last_line: 8, turn_count: 2, updated: '2026-01-02T10:05:00Z' } };
    writeFileSync(join(machine.root, 'state', 'cc-langfuse_state.json'), JSON.stringify(state));
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ turns: 1 });
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ turns: 0 });
    expect((await run(machine, 'otlp', '--all', '--endpoint', server.url, '--json')).json()).toMatchObject({
      turns: 3,
    });
    expect((await run(machine, 'langfuse', '--all', '--again', '--json')).json()).toMatchObject({ turns: 3 });
  });

  test('--dry-run prints the spans and sends nothing, without keys; --since takes only later turns', async () => {
    const { server, machine } = await started({ a: 3 });
    const bare = { HOME: machine.home, CLAUDE_CONFIG_DIR: machine.root };
    const tree = await runHere(['export', 'otlp', 'a', '--dry-run'], bare);
    expect(tree.text.split('\n').filter((line) => line.startsWith('agent Turn '))).toHaveLength(3);
    expect(tree.text).toContain('\n    tool Bash');
    expect((await runHere(['export', 'langfuse', '--all', '--dry-run', '--json'], bare)).json()).toMatchObject({
      dryRun: true,
      spans: 3 * SPANS_A_TURN,
      sent: 0,
    });
    expect(server.requests).toEqual([]);
    const since = ['--since', '2026-01-02T10:00:04Z', '--json'];
    expect((await run(machine, 'langfuse', ...since)).json()).toMatchObject({ turns: 2 });
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ turns: 1 });
  });

  test('a turn that is not over is not sent until it is', async () => {
    const { server, machine } = await started({});
    const [prompt, call, done, answer] = turnLines('a', 1, 1);
    writeFileSync(machine.fileOf('a'), toJsonl([prompt, call, done].filter((line) => line !== undefined)));
    expect((await run(machine, 'langfuse', 'a', '--json')).json()).toMatchObject({ sent: 0, open: 1 });
    appendFileSync(machine.fileOf('a'), toJsonl(answer === undefined ? [] : [answer]));
    expect((await run(machine, 'langfuse', 'a', '--json')).json()).toMatchObject({ turns: 1, open: 0 });
    expect(server.rows.size).toBe(SPANS_A_TURN);
  });

  test.each([
    [['langfuse'], /Which chats/],
    [['langfuse', 'a', '--all'], /do not go together/],
    [['langfuse', 'a', '--replay'], /--replay is for files/],
    [['otlp', 'a'], /No endpoint is set/],
    [['otlp', '--since', 'soon'], /is no time/],
  ])('%j is told', async (argv, words) => {
    const { machine } = await started({ a: 1 });
    await expect(run(machine, ...argv)).rejects.toThrow(words);
  });

  test('--json is as docs/schema says', async () => {
    const { server, machine } = await started({ a: 2 });
    const schema = new URL('../../docs/schema/traces.schema.json', import.meta.url);
    const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(readFileSync(schema, 'utf8')));
    server.fail(() => ({ status: 400, body: 'no' }));
    for (const more of [['--dry-run'], ['--no-content']]) {
      expect([validate((await run(machine, 'langfuse', 'a', '--json', ...more)).json()), validate.errors]).toEqual([
        true,
        null,
      ]);
    }
    expect(validate({ dryRun: false, spans: 1 })).toBe(false);
  });

  test('L6: warm-ups of sessions in which nothing was said are sent, once', async () => {
    const { server, machine } = await started({});
    cpSync(join(FIXTURES, 'recorded', '2.0.50', 'b-parallel', 'projects'), join(machine.root, 'projects'), {
      recursive: true,
    });
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ open: 0, refused: [] });
    const strays = [...server.rows.values()].filter(
      ({ type, traceName }) => type === 'agent' && !/^Turn/.test(traceName ?? ''),
    );
    expect(strays.length).toBe(4);
    expect(new Set(strays.map(({ sessionId }) => sessionId)).size).toBe(2);
    expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ spans: 0, sent: 0 });
  });

  test('an endpoint that is no address is wrong usage; what earlier runs left on disk is told', async () => {
    const { server, machine } = await started({ a: 1 });
    server.fail(() => ({ status: 503, headers: { 'retry-after': '99999' } }));
    const bad = await runHere(['export', 'otlp', 'a', '--endpoint', 'localhost:4318'], machine.env, { told: true });
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('no http address')]);
    const args = ['otlp', 'a', '--endpoint', server.url, '--json'];
    expect((await run(machine, ...args)).json()).toMatchObject({ queued: SPANS_A_TURN, waiting: 1 });
    expect((await run(machine, ...args)).json()).toMatchObject({ queued: 0, waiting: 1 });
    const { err } = await run(machine, ...args.slice(0, -1));
    expect(err).toContain('still on disk, to be sent: 1 request of earlier runs');
  });

  test('the demo set is not sent', async () => {
    const { server, machine } = await started({});
    const env = { ...machine.env, CLAUDE_CONFIG_DIR: tempFolder() };
    await expect(runHere(['export', 'langfuse', '--all'], env)).rejects.toThrow(/only the demo set/);
    expect(server.requests).toEqual([]);
  });
});

describe('a server that fails', () => {
  const FAULTS: readonly [string, Fault][] = [
    ['500', { status: 500 }],
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0.02' } }],
    ['408', { status: 408 }],
    ['a connection that drops', 'dropped'],
    ['an answer that is lost', 'lost'],
    ['no answer', 'hangs'],
    ['some spans taken', 'partial'],
  ];
  test.each(FAULTS)('T2: %s is sent again, and arrives once', async (_, fault) => {
    const { server, machine } = await started({ a: 3 });
    server.fail((_request, place) => (place < 2 ? fault : undefined));
    const delivery = deliveryTo(server.url, machine.home, fault === 'hangs' ? { timeoutMs: 300 } : {});
    const sent = await deliverSession({ file: machine.fileOf('a') }, SPANS, delivery);
    expect(sent).toMatchObject({ turns: 3, spans: 3 * SPANS_A_TURN, queued: 0, refused: [] });
    expect(server.rows.size).toBe(3 * SPANS_A_TURN);
    const requests = server.requests.length;
    await deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, machine.home));
    expect(server.requests.length).toBe(requests);
  });

  test('an answer of 200 that is not JSON counts as taken', async () => {
    const { server, machine } = await started({ a: 1 });
    server.fail(() => 'not-json');
    const sent = await deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, machine.home));
    expect([sent.turns, server.requests.length]).toEqual([1, 1]);
  });

  test('a web page is no answer, whatever its status', async () => {
    const { server, machine } = await started({ a: 1 });
    server.fail(() => ({ status: 200, body: '<html>Log in</html>', headers: { 'content-type': 'text/html' } }));
    const delivery = deliveryTo(server.url, machine.home, { patience: { ...QUICK, tries: 2 } });
    const sent = await deliverSession({ file: machine.fileOf('a') }, SPANS, delivery);
    expect(sent).toMatchObject({ turns: 0, unsent: 1, problem: expect.stringContaining('a web page (status 200)') });
    server.fail(() => undefined);
    expect((await deliverSession({ file: machine.fileOf('a') }, SPANS, delivery)).turns).toBe(1);
  });

  test('401 is not tried again, told in the server’s words, and nothing counts as sent', async () => {
    const { server, machine } = await started({ a: 2 });
    server.fail(() => ({ status: 401, body: '{"message":"Invalid credentials"}' }));
    await expect(run(machine, 'langfuse', 'a')).rejects.toThrow(/status 401: Invalid credentials/);
    expect(server.requests.length).toBe(1);
    const { headers } = server.requests[0] ?? {};
    server.fail(() => ({ status: 401, body: `no: ${headers?.authorization}` }));
    await expect(run(machine, 'langfuse', 'a')).rejects.toThrow(/status 401: no: \*\*\*$/);
    server.fail(() => undefined);
    expect((await run(machine, 'langfuse', 'a', '--json')).json()).toMatchObject({ turns: 2 });
  });

  test.each([
    [401, { body: '{"message":"Invalid credentials"}' }, 'status 401: Invalid credentials'],
    [301, { headers: { location: 'http://other.example/' } }, 'status 301 (moved to http://other.example/)'],
  ])('%i: --json tells the problem in its shape; the exit code is that of a failure', async (status, more, words) => {
    const { server, machine } = await started({ a: 2 });
    server.fail(() => ({ status, ...more }));
    const ran = await runHere(['export', 'langfuse', 'a', '--json'], machine.env, { told: true });
    expect(ran.code).toBe(1);
    expectValid('traces', ran.json());
    expect(ran.json()).toMatchObject({ sent: 0, turns: 0, problem: `The server refuses the spans: ${words}` });
    expect(ran.err).toContain(words);
  });

  test('one turn that the server refuses does not hold back the others, and is told', async () => {
    const { server, machine } = await started({ a: 8 });
    const isBad = (spans: readonly unknown[]) => JSON.stringify(spans).includes('prompt 5 of a');
    server.fail(({ spans }) => (isBad(spans) ? { status: 400, body: '{"message":"bad attribute"}' } : undefined));
    const sent = await deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, machine.home));
    expect(sent).toMatchObject({ turns: 7, refused: [{ spans: SPANS_A_TURN, words: 'status 400: bad attribute' }] });
    server.fail(() => undefined);
    const later = await deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, machine.home));
    expect(later).toMatchObject({ turns: 1, refused: [] });
    expect(server.arrived()).toBe(8 * SPANS_A_TURN);
  });

  test('spans that are never taken are told after a few tries', async () => {
    const { server, machine } = await started({ a: 1 });
    server.fail(() => 'partial');
    const sent = await deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, machine.home));
    expect(sent.refused).toMatchObject([{ words: '2 spans were not taken: too many at once' }]);
    expect(server.requests.length).toBe(4);
  });

  test('offline: turns wait on disk, oldest first, readable only by their owner, and are sent before new ones', async () => {
    const { server, machine } = await started({ a: 2 });
    const nowhere = 'http://127.0.0.1:9';
    const home = machine.home;
    const queue = join(home, 'export', 'queue');
    const file = machine.fileOf('a');
    const offline = deliveryTo(nowhere, home, { patience: { ...QUICK, tries: 2 } });
    expect(await deliverSession({ file }, SPANS, offline)).toMatchObject({ turns: 0, queued: 2 * SPANS_A_TURN });
    appendFileSync(file, toJsonl(turnLines('a', 3, 3)));
    // What waits already is not put there again.
    expect(await deliverSession({ file }, SPANS, offline)).toMatchObject({ queued: SPANS_A_TURN });
    expect(readdirSync(queue)).toHaveLength(2);
    // The same endpoint, reached at last.
    const online = { ...offline, endpoint: { ...offline.endpoint, url: server.url } };
    appendFileSync(file, toJsonl(turnLines('a', 4, 4)));
    expect(await deliverSession({ file }, SPANS, online)).toMatchObject({ turns: 4, queued: 0 });
    expect(readdirSync(queue)).toEqual([]);
    expect(server.requests.map(({ spans }) => spans.length / SPANS_A_TURN)).toEqual([2, 1, 1]);
    expect(server.arrived()).toBe(4 * SPANS_A_TURN);
    expect(readdirSync(join(home, 'export', 'locks'))).toEqual([]);
  });

  test.each([
    ['with content, sent without', {}, { content: false }],
    ['with secrets, sent masked', { revealed: true }, {}],
  ])('offline: made %s: made again, once; what waits is then of no use', async (_, made, sent) => {
    const { server, machine } = await started({ a: 2 });
    const file = machine.fileOf('a');
    const offline = deliveryTo('http://127.0.0.1:9', machine.home, { patience: { ...QUICK, tries: 1 }, holding: made });
    expect(await deliverSession({ file }, SPANS, offline)).toMatchObject({ queued: 2 * SPANS_A_TURN, unsent: 2 });
    const online = { ...offline, endpoint: { ...offline.endpoint, url: server.url }, holding: sent };
    const bare = { ...SPANS, content: false };
    expect(await deliverSession({ file }, bare, online)).toMatchObject({ turns: 2, unsent: 0 });
    expect(JSON.stringify(server.requests)).not.toContain('prompt 1 of a');
    await deliverSession({ file }, SPANS, { ...online, holding: made });
    expect(server.arrived()).toBe(2 * SPANS_A_TURN);
    expect(readdirSync(join(machine.home, 'export', 'queue'))).toEqual([]);
  });

  test('what there was no time for is told as not sent', async () => {
    const { server, machine } = await started({ a: 2 });
    const stop = new AbortController();
    stop.abort();
    const delivery = deliveryTo(server.url, machine.home, { patience: { ...QUICK, signal: stop.signal } });
    const delivered = await deliverSession({ file: machine.fileOf('a') }, SPANS, delivery);
    expect(delivered).toMatchObject({ turns: 0, unsent: 2, health: 'unknown' });
  });

  test('offline with a full queue: what is left is made again from the transcript', async () => {
    const { server, machine } = await started({ a: 3 });
    const file = machine.fileOf('a');
    const offline = deliveryTo('http://127.0.0.1:9', machine.home, {
      patience: { ...QUICK, tries: 1 },
      mostQueued: 10,
    });
    expect(await deliverSession({ file }, SPANS, offline)).toMatchObject({ queued: 0, left: 3 * SPANS_A_TURN });
    const online = { ...offline, endpoint: { ...offline.endpoint, url: server.url } };
    expect(await deliverSession({ file }, SPANS, online)).toMatchObject({ turns: 3 });
  });

  test('a deadline ends it, and nothing is lost', async () => {
    const { server, machine } = await started({ a: 2 });
    server.fail(() => 'hangs');
    const deadline = Date.now() + 150;
    const delivery = deliveryTo(server.url, machine.home, { patience: { ...QUICK, deadline }, timeoutMs: 60_000 });
    expect(await deliverSession({ file: machine.fileOf('a') }, SPANS, delivery)).toMatchObject({ turns: 0 });
    server.fail(() => undefined);
    const later = deliveryTo(server.url, machine.home);
    expect(await deliverSession({ file: machine.fileOf('a') }, SPANS, later)).toMatchObject({ turns: 2, queued: 0 });
    expect(server.rows.size).toBe(2 * SPANS_A_TURN);
  });

  test('state that cannot be written: nothing is sent, and that is told', async () => {
    const { server, machine } = await started({ a: 1 });
    const home = join(tempFolder(), 'file');
    writeFileSync(home, '');
    await expect(deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, home))).rejects.toThrow(
      /cannot lock/,
    );
    expect(server.requests).toEqual([]);
  });
});

test('a courier asked for many small sessions fills its requests', async () => {
  const sessions = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`s${n}`, 1]));
  const { server, machine } = await started(sessions);
  expect((await run(machine, 'langfuse', '--all', '--json')).json()).toMatchObject({ turns: 60 });
  expect(server.requests.length).toBeLessThanOrEqual(3);
});
