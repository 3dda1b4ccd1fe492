/** A session sent from where it was last sent, and what an OTLP backend takes in part. */
import { appendFileSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { deliverSession } from '../../src/export/otlp/session.ts';
import { asArray, at, type JsonObject } from '../../src/format/json.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { timeOf, toJsonl } from '../support/build.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { deliveryTo, expectSameRows, SPANS } from '../support/growing.ts';
import { runHere } from '../support/inprocess.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { machineWith, SPANS_A_TURN, type TracedMachine, turnLines } from '../support/traced.ts';

async function started(sessions: Record<string, number>): Promise<{ server: Receiver; machine: TracedMachine }> {
  const server = await startReceiver();
  return { server, machine: machineWith(sessions, server.url) };
}

const run = (machine: TracedMachine, ...argv: string[]) => runHere(['export', ...argv], machine.env);

describe('a session from where it was last sent', () => {
  test('only the new end of the file is read', async () => {
    const { server, machine } = await started({ a: 400 });
    const file = machine.fileOf('a');
    const delivery = deliveryTo(server.url, machine.home);
    await deliverSession({ file }, SPANS, delivery);
    appendFileSync(file, toJsonl(turnLines('a', 401, 401)));
    const before = { ...io };
    expect(await deliverSession({ file }, SPANS, delivery)).toMatchObject({ turns: 1 });
    const turnBytes = toJsonl(turnLines('a', 401, 401)).length;
    expect(ioSince(before).bytesRead).toBeLessThan(12 * turnBytes);
    const unchanged = { ...io };
    await deliverSession({ file }, SPANS, delivery);
    expect(ioSince(unchanged).bytesRead).toBeLessThan(4 * turnBytes);
    expect([...server.rows.values()].findLast(({ type }) => type === 'agent')?.name).toBe('Turn 401');
    // From its start nothing else is found.
    expect(await deliverSession({ file, whole: true }, SPANS, delivery)).toMatchObject({ turns: 0 });
  });

  test('spans are made a second time only where a secret was learnt meanwhile', async () => {
    const { server, machine } = await started({ plain: 1, late: 1 });
    const secret = 'Xk7-pq9Zt2mVw4Lr';
    const late = readFileSync(machine.fileOf('late'), 'utf8');
    // The prompt has it, the answer gives it away.
    const told = late.replace(/"content":"[^"]+/, `$& ${secret}`).replace(/"text":"[^"]+/, `$& password=${secret}`);
    expect(told.split(secret).length).toBe(3);
    writeFileSync(machine.fileOf('late'), told);
    const callsFor = async (name: string, isTold: boolean) => {
      const masker = createMasker();
      let calls = 0;
      const mask = (text: string) => {
        calls += 1;
        return masker.mask(text);
      };
      const delivery = deliveryTo(server.url, tempFolder());
      const learnt = isTold ? () => masker.learnt : undefined;
      await deliverSession({ file: machine.fileOf(name) }, { ...SPANS, mask }, { ...delivery, learnt });
      return calls;
    };
    expect(await callsFor('plain', true)).toBe((await callsFor('plain', false)) / 2);
    expect(await callsFor('late', true)).toBe(await callsFor('late', false));
    expect(JSON.stringify([...server.rows.values()])).not.toContain(secret);
  });

  test('a file that was written anew is read from its start', async () => {
    const { server, machine } = await started({ a: 6 });
    const file = machine.fileOf('a');
    const delivery = deliveryTo(server.url, machine.home);
    await deliverSession({ file }, SPANS, delivery);
    writeFileSync(file, toJsonl(turnLines('z', 1, 9)));
    expect(await deliverSession({ file }, SPANS, delivery)).toMatchObject({ turns: 9 });
  });

  test('two at once: one sends, each turn once', async () => {
    const { server, machine } = await started({ a: 30 });
    server.slow(20);
    const each = () => deliverSession({ file: machine.fileOf('a') }, SPANS, deliveryTo(server.url, machine.home));
    const sent = await Promise.all([each(), each(), each()]);
    expect(sent.map(({ turns }) => turns).sort()).toEqual([0, 0, 30]);
    expect(server.arrived()).toBe(30 * SPANS_A_TURN);
  });

  test('after a rewind turns are numbered as show numbers them, however much of the file was read', async () => {
    const { server, machine } = await started({ a: 6 });
    const file = machine.fileOf('a');
    const delivery = deliveryTo(server.url, machine.home);
    await deliverSession({ file }, SPANS, delivery);
    const numbers: string[] = [];
    // After the first turn, then on from there, then after the third of the six.
    const places = ['a-u3', 'b-u3', 'a-u11'];
    for (const [place, parentUuid] of places.entries()) {
      const name = String.fromCharCode('b'.charCodeAt(0) + place);
      const [prompt = {}, ...rest] = turnLines(name, 1, 1).map((line): JsonObject => ({ ...line, sessionId: 'a' }));
      const timed = [{ ...prompt, parentUuid }, ...rest].map((line, at) => ({
        ...line,
        timestamp: timeOf(100 + place * 10 + at),
      }));
      appendFileSync(file, toJsonl(timed));
      const before = new Set(server.rows.keys());
      expect(await deliverSession({ file }, SPANS, delivery)).toMatchObject({ turns: 1 });
      const fresh = [...server.rows.values()].filter(({ key, type }) => !before.has(key) && type === 'agent');
      numbers.push(...fresh.map((row) => row.name));
    }
    expect(numbers).toEqual(['Turn 2', 'Turn 3', 'Turn 4']);
    const shown = (await runHere(['show', 'a', '--json'], machine.env)).json();
    expect(asArray(at(shown, 'turns'))?.map((turn) => at(turn, 'number'))).toEqual([1, 2, 3, 4]);
    const whole = await startReceiver();
    await deliverSession({ file, whole: true }, SPANS, deliveryTo(whole.url, tempFolder()));
    const namesOf = ({ rows }: Receiver) => [...rows.values()].map(({ key, name }) => `${key} ${name}`).sort();
    expect(namesOf(server)).toEqual(namesOf(whole));
  });

  test('C1: a turn after a rewind to before a compaction has nothing of it; one after a rewind to behind it has', async () => {
    const { server, machine } = await started({ a: 6 });
    const file = machine.fileOf('a');
    const delivery = deliveryTo(server.url, machine.home);
    const add = async (lines: readonly JsonObject[], at: number) => {
      appendFileSync(
        file,
        toJsonl(lines.map((line, place) => ({ ...line, sessionId: 'a', timestamp: timeOf(at + place) }))),
      );
      await deliverSession({ file }, SPANS, delivery);
    };
    const turn = (name: string, parentUuid: string): JsonObject[] =>
      turnLines(name, 1, 1).map((line, place) => (place === 0 ? { ...line, parentUuid } : line));
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'c',
      parentUuid: null,
      logicalParentUuid: 'a-u23',
    };
    const summary = {
      type: 'user',
      uuid: 's',
      parentUuid: 'c',
      isCompactSummary: true,
      message: { content: 'So far.' },
    };
    await add([boundary, summary], 100);
    for (const [place, parent] of ['a-u3', 'b-u3', 'c-u3', 's'].entries()) {
      await add(turn(String.fromCharCode('b'.charCodeAt(0) + place), parent), 200 + place * 10);
    }
    const whole = await startReceiver();
    await deliverSession({ file, whole: true }, SPANS, deliveryTo(whole.url, tempFolder()));
    const namesOf = ({ rows }: Receiver) => [...rows.values()].map(({ key, name }) => `${key} ${name}`).sort();
    expect(namesOf(server)).toEqual(namesOf(whole));
    expect(namesOf(whole).filter((each) => each.endsWith('context compacted'))).toHaveLength(1);
  });

  test('T3: any rewinds, sent after any turn: ids, starts and numbers are those of the whole', async () => {
    // Each turn goes on from the end of an earlier one, counted back from the last, or from none; mostly the last.
    const back = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 8 }));
    const turn = fc.record({ back, sends: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 3, maxLength: 10 }), async (turns) => {
        const { server, machine } = await started({ a: 0 });
        const file = machine.fileOf('a');
        const ends: string[] = [];
        for (const [place, { back: steps, sends }] of turns.entries()) {
          const parentUuid = ends.at(-1 - steps) ?? null;
          const [prompt = {}, ...rest] = turnLines(`t${place}`, 1, 1);
          const lines = [{ ...prompt, parentUuid }, ...rest].map(
            (line, at): JsonObject => ({ ...line, sessionId: 'a', timestamp: timeOf(place * 10 + at) }),
          );
          appendFileSync(file, toJsonl(lines));
          ends.push(`t${place}-u3`);
          if (sends) await deliverSession({ file }, SPANS, deliveryTo(server.url, machine.home));
        }
        await deliverSession({ file }, SPANS, deliveryTo(server.url, machine.home));
        const whole = await startReceiver();
        await deliverSession({ file, whole: true }, SPANS, deliveryTo(whole.url, tempFolder()));
        const namesOf = ({ rows }: Receiver) => [...rows.values()].map(({ key, name }) => `${key} ${name}`).sort();
        expect(namesOf(server)).toEqual(namesOf(whole));
        expect(server.arrived()).toBe(turns.length * SPANS_A_TURN);
      }),
      { numRuns: 20 },
    );
  });

  test('H1: what a 1.0.x resume copied of a turn that a compaction cut is not sent again', async () => {
    const [folder, server, home] = [tempFolder(), await startReceiver(), tempFolder()];
    cpSync(join(FIXTURES, 'recorded', '1.0.111', 'g2-autocompact'), folder, { recursive: true });
    const files = transcriptsBelow(folder).toSorted((a, b) => statSync(b).size - statSync(a).size);
    const original = files.filter((file) => !readFileSync(file, 'utf8').startsWith('{"type":"summary"'));
    const copies = files.filter((file) => !original.includes(file));
    expect([original.length, copies.length]).toEqual([1, 1]);
    for (const file of [...original, ...copies]) await deliverSession({ file }, SPANS, deliveryTo(server.url, home));
    const rows = [...server.rows.values()];
    expect(rows.flatMap(({ parentSpanId, output }) => (parentSpanId === null ? output : []))).toMatchObject([
      expect.stringContaining('Finished after auto compact.'),
      expect.stringContaining('Answer.'),
    ]);
    expect(rows.filter(({ type }) => type === 'generation').length).toBe(4);
    // The whole chat gives no more.
    const keys = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' };
    const env = { ...machineWith({}, server.url).env, ...keys, CLAUDE_CONFIG_DIR: folder, SKEIN_HOME: home };
    expect((await runHere(['export', 'langfuse', '--all', '--json'], env)).json()).toMatchObject({ spans: 0 });
  });

  /** The others: test/deep/export.test.ts. */
  test.each(['1.0.111/d-agent', '2.1.325/j-hooks', '2.1.325/k-interactive'])(
    'T3: %s sent as it grows gives the rows of the whole',
    (scenario) => expectSameRows(join(FIXTURES, 'recorded', scenario)),
  );
});

describe('OTLP, taken in part', () => {
  test('some spans taken: never sent again, told with the server’s words, exit code 1; the next run sends only what is new', async () => {
    const { server, machine } = await started({ a: 3 });
    const args = ['--endpoint', server.url, '--json'];
    server.fail(() => 'partial');
    const sent = await run(machine, 'otlp', 'a', ...args);
    expect([sent.code, server.requests.length]).toEqual([1, 1]);
    expect(sent.json()).toMatchObject({
      spans: 12,
      sent: 6,
      rejected: 6,
      said: ['too many at once'],
      refused: [],
      queued: 0,
    });
    server.fail(() => undefined);
    expect((await run(machine, 'otlp', 'a', ...args)).json()).toMatchObject({ spans: 0, rejected: 0, said: [] });
    expect(server.requests.length).toBe(1);
    appendFileSync(machine.fileOf('a'), toJsonl(turnLines('a', 4, 4)));
    server.fail(() => 'partial');
    const text = await run(machine, 'otlp', 'a', '--endpoint', server.url);
    expect([text.code, server.requests.length]).toEqual([1, 2]);
    expect(text.err).toContain('2 spans were not taken: too many at once');
  });

  test('all taken with a word of warning: told, and nothing is wrong', async () => {
    const { server, machine } = await started({ a: 1 });
    const body = '{"partialSuccess":{"rejectedSpans":"0","errorMessage":"this address is old"}}';
    server.fail(() => ({ status: 200, body }));
    const { code, err } = await run(machine, 'otlp', 'a', '--endpoint', server.url);
    expect([code, err]).toEqual([0, expect.stringContaining('the endpoint says: this address is old')]);
  });
});
