/** T3: a row is as it was last sent, so that what a turn was must never be sent after what it is. */
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openCourier } from '../../src/export/otlp/courier.ts';
import { openLedger, type Piece } from '../../src/export/otlp/ledger.ts';
import { openQueue } from '../../src/export/otlp/queue.ts';
import { deliverSession } from '../../src/export/otlp/session.ts';
import { at } from '../../src/format/json.ts';
import { traceIdOf } from '../../src/views/spans/ids.ts';
import { assistant, timeOf, toJsonl } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { deliveryTo, SPANS } from '../support/growing.ts';
import { type Fault, type Receiver, startReceiver } from '../support/receiver.ts';
import { sha256 } from '../support/spans.ts';
import { machineWith } from '../support/traced.ts';

/** Nobody waits for a lock. */
const ONCE = { patience: { tries: 1 }, lockWaitMs: 0 };
const TWICE = { patience: { tries: 2, firstWaitMs: 1 }, lockWaitMs: 0 };
const BUSY = { status: 503 };

async function worldOf(sessions: Record<string, number>) {
  const server = await startReceiver();
  const { fileOf, home } = machineWith(sessions, server.url);
  const send = (id: string, how = ONCE) =>
    deliverSession({ file: fileOf(id) }, SPANS, deliveryTo(server.url, home, how));
  /** The first turn goes on, as after an agent in the background. */
  const goOn = (id: string, words: string) => {
    const line = {
      parentUuid: `${id}-u3`,
      uuid: `${id}-more`,
      timestamp: timeOf(9),
      isSidechain: false,
      sessionId: id,
    };
    appendFileSync(fileOf(id), toJsonl([{ ...line, ...assistant(words, { id: `msg_${id}_more` }) }]));
  };
  /** Sent while the server takes nothing: waits on disk. */
  const queue = async (id: string) => {
    server.fail(() => BUSY);
    expect(await send(id)).toMatchObject({ turns: 0, left: 0 });
    server.fail(() => undefined);
  };
  return { server, send, goOn, queue };
}

/** What becomes of the next request; those after it are taken. */
function firstOnly(meet: () => Promise<Fault | undefined>): () => Promise<Fault | undefined> {
  let count = 0;
  return async () => {
    count += 1;
    return count === 1 ? meet() : undefined;
  };
}

const answersIn = ({ rows }: Receiver) =>
  [...rows.values()].flatMap(({ type, output }) => (type === 'agent' ? (output ?? '') : []));

test('a request that waited on disk, tried again while another process sends more of its turn', async () => {
  const { server, send, goOn, queue } = await worldOf({ a: 1, b: 1 });
  await queue('a');
  // While it is held, the turn goes on, and a hook for it comes and goes.
  server.fail(
    firstOnly(async () => {
      goOn('a', 'the end');
      await send('a');
      return BUSY;
    }),
  );
  await send('b', TWICE);
  await send('a');
  expect(answersIn(server)).toEqual([expect.stringContaining('the end'), expect.stringContaining('answer 1')]);
});

/** A session whose first turn is noted in the same file of the ledger. */
function besideOf(session: string): string {
  const shardOf = (id: string) => traceIdOf(`prompt ${id}-u0`, sha256).slice(0, 2);
  const names = Array.from({ length: 5000 }, (_, n) => `z${n}`);
  return names.find((name) => shardOf(name) === shardOf(session)) ?? '';
}

test('a request that waits behind another one while more of its turn is sent', async () => {
  const late = besideOf('a');
  const { server, send, goOn, queue } = await worldOf({ a: 1, [late]: 1, c: 1 });
  await queue('a');
  await queue(late);
  server.fail(
    firstOnly(async () => {
      goOn(late, 'the end');
      await send(late);
      return undefined;
    }),
  );
  await send('c');
  expect(answersIn(server)).toContainEqual(expect.stringContaining('the end'));
  expect(answersIn(server)).toHaveLength(3);
});

test('of what waits only the newest is sent, unless the server refuses that', async () => {
  for (const refused of [false, true]) {
    const { server, send, goOn, queue } = await worldOf({ a: 1, b: 0 });
    await queue('a');
    goOn('a', 'the end');
    await queue('a');
    const before = server.requests.length;
    server.fail(({ spans }) => (refused && JSON.stringify(spans).includes('the end') ? { status: 400 } : undefined));
    await send('a');
    const sent = server.requests.slice(before).map(({ spans }) => JSON.stringify(spans).includes('the end'));
    // What was refused is made again from the transcript.
    expect(sent).toEqual(refused ? [true, false, true] : [true]);
  }
});

/** A trace in parts of one span. */
function parcelOf({ traceId, mark, part, of }: Piece, name: string) {
  const spanId = String(part).padStart(16, '0');
  const times = { startTimeUnixNano: '1000', endTimeUnixNano: '2000' };
  return {
    ...{ traceId, mark, part, of, sessions: ['a'] },
    spans: [JSON.stringify({ traceId, spanId, name, ...times, attributes: [] })],
  };
}

test('what a turn was is not sent when a part of what it is was taken', async () => {
  const server = await startReceiver();
  const delivery = deliveryTo(server.url, tempFolder());
  const courier = openCourier(delivery);
  const queue = openQueue(courier.places.queue, delivery.endpoint.key);
  const ledger = openLedger(courier.places.ledger, courier.places.queue);
  const traceId = 'a'.repeat(32);
  const older = { traceId, mark: '5-aa', part: 1, of: 1 };
  const [first, second] = [1, 2].map((part) => ({ traceId, mark: '9-bb', part, of: 2 }));
  if (first === undefined || second === undefined) throw new Error('two parts');
  for (const [piece, name] of [[older, 'older'] as const, [second, 'newer'] as const]) {
    ledger.queue([piece], queue.put([parcelOf(piece, name)]) ?? '');
  }
  ledger.accept([first]);
  await courier.sendQueued();
  expect(server.requests.flatMap(({ spans }) => spans.map((span) => at(span, 'name')))).toEqual(['newer']);
  expect([courier.waiting(), ledger.stateOf(older)]).toEqual([0, 'outdated']);
});
