/** Sessions that are written while hooks and exports send them, fail and are killed: one step after the other, or beside each other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { endpointOf } from '../../src/export/otlp/endpoint.ts';
import { deliverSession } from '../../src/export/otlp/session.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { assistant, timeOf, toJsonl } from './build.ts';
import { runHere } from './inprocess.ts';
import type { Fault, Receiver } from './receiver.ts';
import { BIN } from './skein.ts';
import { LATER, PRICING, sha256 } from './spans.ts';
import { beside, type TracedMachine, turnLines } from './traced.ts';

export const SESSIONS = ['a', 'b'] as const;
type SessionId = (typeof SESSIONS)[number];

/** `ms`: until it is killed; for `wait` until the next step. */
export type Step =
  | { readonly type: 'turn' | 'more' | 'send' | 'export'; readonly id: SessionId; readonly awaited: boolean }
  | { readonly type: 'kill-hook' | 'kill-export' | 'wait'; readonly id: SessionId; readonly ms: number };

const id = fc.constantFrom(...SESSIONS);
const plain = (type: 'turn' | 'more' | 'send' | 'export') =>
  fc.record({ type: fc.constant(type), id, awaited: fc.boolean() });
const timed = (type: 'kill-hook' | 'kill-export' | 'wait', max: number) =>
  fc.record({ type: fc.constant(type), id, ms: fc.integer({ min: 1, max }) });

const small: fc.MaybeWeightedArbitrary<Step>[] = [
  { weight: 3, arbitrary: plain('turn') },
  { weight: 8, arbitrary: plain('more') },
  { weight: 14, arbitrary: plain('send') },
  { weight: 6, arbitrary: timed('wait', 40) },
];
const large: fc.MaybeWeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: plain('export') },
  { weight: 3, arbitrary: timed('kill-hook', 400) },
  { weight: 3, arbitrary: timed('kill-export', 500) },
];

const few = { minLength: 6, maxLength: 30 };

/** All in this process: many in a short time. */
export const quickSteps = fc.array(fc.oneof(...small), few);
/** With processes that are killed. */
export const allSteps = fc.array(fc.oneof(...small, ...large), few);

/** What the requests of an episode meet, one after the other and from the start again; `held` for so many milliseconds. */
export interface Meeting {
  readonly held: number;
  readonly fault: Fault | undefined;
}

const BUSY: Fault = { status: 503 };
const meeting = fc.record({
  held: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 80 })),
  fault: fc.constantFrom<(Fault | undefined)[]>(
    undefined,
    undefined,
    undefined,
    BUSY,
    BUSY,
    'dropped',
    'lost',
    'partial',
  ),
});

/** At first the server takes nothing, so that there is something in the queue. */
export const meetings: fc.Arbitrary<Meeting[]> = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.array(meeting, { minLength: 3, maxLength: 20 }))
  .map(([down, rest]) => [...Array.from({ length: down }, () => ({ held: 0, fault: BUSY })), ...rest]);

export function failAs(server: Receiver, meetings: readonly Meeting[]): void {
  let count = 0;
  server.fail(async () => {
    const { held = 0, fault } = meetings[count % meetings.length] ?? {};
    count += 1;
    if (held > 0) await sleep(held);
    return fault;
  });
}

/** What is said in the sessions, at times of its own. */
export function createWriter({ fileOf }: TracedMachine) {
  const places = new Map(SESSIONS.map((each) => [each, { turns: 0, lines: 0, last: null as string | null }]));
  let clock = 0;
  const add = (session: SessionId, lines: readonly JsonObject[]) => {
    const place = places.get(session);
    if (place === undefined) return;
    const linked = lines.map((line) => {
      place.lines += 1;
      clock += 1;
      const made = { ...line, parentUuid: place.last, uuid: `${session}-l${place.lines}`, timestamp: timeOf(clock) };
      place.last = made.uuid;
      return made;
    });
    appendFileSync(fileOf(session), toJsonl(linked));
  };
  const turn = (session: SessionId) => {
    const place = places.get(session);
    if (place !== undefined) place.turns += 1;
    add(session, turnLines(session, place?.turns ?? 1, place?.turns ?? 1));
  };
  for (const each of SESSIONS) {
    writeFileSync(fileOf(each), '');
    turn(each);
  }
  return {
    turn,
    /** The last turn goes on, as when an agent in the background reports. */
    more: (session: SessionId) => {
      const said = assistant(`more at ${clock}`, { id: `msg_more_${clock}`, model: 'claude-sonnet-4-5-20250929' });
      add(session, [{ isSidechain: false, sessionId: session, version: '2.1.325', cwd: '/work/app', ...said }]);
    },
  };
}

/** As a hook in this process; `lockWaitMs` as long as it takes, or not at all. */
export function send({ env, fileOf }: TracedMachine, session: SessionId, lockWaitMs: number): Promise<unknown> {
  return deliverSession(
    { file: fileOf(session) },
    { hash: sha256, pricing: PRICING, now: LATER },
    {
      endpoint: endpointOf('langfuse', env),
      home: env.SKEIN_HOME ?? '',
      sender: { version: '1' },
      patience: { tries: 2, firstWaitMs: 10 },
      lockWaitMs,
    },
  );
}

export async function take(step: Step, machine: TracedMachine, writer: ReturnType<typeof createWriter>): Promise<void> {
  const session = step.id;
  if ('ms' in step) {
    if (step.type === 'wait') await sleep(step.ms);
    else if (step.type === 'kill-hook') await hookKilled(machine, session, step.ms);
    else await beside(machine, ['export', 'langfuse', '--all'], step.ms);
  } else if (step.type === 'send') await send(machine, session, step.awaited ? 5000 : 0);
  else if (step.type === 'export') await runHere(['export', 'langfuse', '--all'], machine.env);
  else writer[step.type](session);
}

async function hookKilled({ env, fileOf }: TracedMachine, session: SessionId, ms: number): Promise<void> {
  const args = [BIN, 'hook', 'run', '--langfuse', '--wait', '0'];
  const own = { PATH: process.env.PATH ?? '', TZ: 'UTC', ...env };
  const child = spawn(process.execPath, args, { env: own, stdio: ['pipe', 'ignore', 'ignore'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify({ session_id: session, transcript_path: fileOf(session), hook_event_name: 'Stop' }));
  await once(child, 'close');
  clearTimeout(timer);
}
