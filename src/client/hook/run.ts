/**
 * One run of the hook: archives the session and sends its turns that are over, then what other sessions still have to send.
 * It may be killed at any moment: whatever was not taken comes with a later run.
 */
import type { Destination, Limits, Sent, SessionToSend } from './delivery.ts';
import type { HookInput } from './input.ts';
import type { HookPlaces } from './place.ts';
import {
  firstRun,
  isAtWork,
  type NoteState,
  noteOf,
  type SessionNote,
  saveNote,
  stampOf,
  unfinished,
  unseen,
} from './sessions.ts';

export interface HookOptions {
  readonly archive: boolean;
  /** How long to wait for a final answer that is not written yet. */
  readonly waitMs: number;
}

export interface HookWorld {
  readonly places: HookPlaces;
  readonly home: string;
  readonly now: () => number;
  /** Loaded when there is something to send. */
  readonly destinations: () => Promise<readonly Destination[]>;
  /** Starts a process of its own for a session that takes longer than a client may wait; undefined in such a process. */
  readonly handOver?: (session: SessionToSend) => void;
  report(level: 'info' | 'error', what: string): void;
}

/** Reading and masking this much takes about a second; nothing can stop it on the way. */
export const LARGE_BYTES = 2 << 20;

export async function runHook(input: HookInput, options: HookOptions, world: HookWorld, limits: Limits): Promise<void> {
  const { transcript, sessionId, event } = input;
  if (event === 'Stop' && options.waitMs > 0) {
    const { waitForAnswer } = await import('./settled.ts');
    if (!(await waitForAnswer(input, { waitMs: options.waitMs, ...limits })))
      world.report('info', `the final answer was not written within ${options.waitMs} ms`);
  }
  const stopped = event === 'Stop' || event === 'SessionEnd';
  let state = await visit({ transcript, sessionId, stopped }, options, world, limits);
  for (const other of await others(input, world)) {
    // What stood in the way of one stands in the way of the next.
    if (state === 'failed' || limits.signal.aborted) return;
    state = await visit({ transcript: other, sessionId: idOf(other), stopped: false }, options, world, limits);
  }
}

/** In a process of its own: one session, until nothing is added to it any more. */
export async function runHandedOver(
  session: SessionToSend,
  options: HookOptions,
  world: HookWorld,
  limits: Limits,
): Promise<void> {
  let stopped = session.stopped;
  for (let size = -1; !limits.signal.aborted; stopped = false) {
    const { bytes } = stampOf(session.transcript);
    if (bytes === size || (await visit({ ...session, stopped }, options, world, limits)) === 'failed') return;
    size = bytes;
  }
}

/** Whatever stands in the way of one part, the others are done. */
async function visit(told: SessionToSend, options: HookOptions, world: HookWorld, limits: Limits): Promise<NoteState> {
  const { transcript } = told;
  const { bytes, mtimeMs } = stampOf(transcript);
  const known = noteOf(world.places, transcript);
  const stopped = told.stopped || (known?.stopped === true && known.bytes === bytes);
  const stamp = { bytes, mtimeMs, stopped };
  // At the start of a session there is nothing yet; one that is gone has nothing any more.
  if (stamp.bytes === 0) {
    if (known !== undefined) note(transcript, stamp, 'done', world);
    return 'done';
  }
  const large = await isLarge(transcript, world);
  const atWork = large && known !== undefined && isAtWork(known, world.now());
  if (!atWork) note(transcript, stamp, 'begun', world);
  const kept = options.archive ? await keep(transcript, world, limits) : true;
  if (large) {
    if (!atWork) world.report('info', `${told.sessionId}: there is much to send; a process of its own does it`);
    if (!atWork) world.handOver?.({ ...told, stopped });
    return 'open';
  }
  const sent = await deliver({ ...told, stopped }, world, limits);
  const state = kept ? sent : 'failed';
  note(transcript, stamp, state, world);
  return state;
}

async function isLarge(transcript: string, { destinations, handOver }: HookWorld): Promise<boolean> {
  if (handOver === undefined) return false;
  try {
    return (await destinations()).some((destination) => destination.backlog(transcript) > LARGE_BYTES);
  } catch {
    // Told when it is sent.
    return false;
  }
}

async function keep(transcript: string, world: HookWorld, { signal }: Limits): Promise<boolean> {
  try {
    const { keepSession } = await import('./keep.ts');
    const bytes = await keepSession(world.places.folder, transcript, world.home, signal);
    if (bytes > 0) world.report('info', `${idOf(transcript)}: ${bytes} bytes archived`);
    return true;
  } catch (error) {
    world.report('error', `${idOf(transcript)}: not archived: ${reasonOf(error)}`);
    return false;
  }
}

async function deliver(session: SessionToSend, world: HookWorld, limits: Limits): Promise<NoteState> {
  try {
    const states: NoteState[] = [];
    for (const destination of await world.destinations())
      states.push(await deliverTo(destination, session, world, limits));
    return WORST_FIRST.find((state) => states.includes(state)) ?? 'done';
  } catch (error) {
    world.report('error', `${session.sessionId}: not sent: ${reasonOf(error)}`);
    return 'failed';
  }
}

const WORST_FIRST: readonly NoteState[] = ['failed', 'open'];

async function deliverTo(
  destination: Destination,
  session: SessionToSend,
  world: HookWorld,
  limits: Limits,
): Promise<NoteState> {
  try {
    const sent = await destination.send(session, limits);
    tell(destination.name, session.sessionId, sent, world);
    if (sent.again) return 'failed';
    return sent.open > 0 ? 'open' : 'done';
  } catch (error) {
    world.report('error', `${session.sessionId}: not sent to ${destination.name}: ${reasonOf(error)}`);
    return 'failed';
  }
}

function tell(name: string, sessionId: string, { turns, spans, problem }: Sent, world: HookWorld): void {
  const count = turns === 1 ? '1 turn' : `${turns} turns`;
  if (turns > 0) world.report('info', `${sessionId}: ${count} in ${spans} spans sent to ${name}`);
  if (problem !== undefined) world.report('error', `${sessionId}: not sent to ${name}: ${problem}`);
}

/** The session before this one, those with something left, and those that changed unseen, each once. */
async function others(input: HookInput, world: HookWorld): Promise<string[]> {
  const { places, now } = world;
  const found = new Set<string>();
  try {
    const since = firstRun(places, now());
    const { previousOf } = await import('./transition.ts');
    const previous = previousOf(input.transcript, input.sessionId);
    if (previous !== undefined && hasChanged(previous, world)) found.add(previous);
    for (const file of unfinished(places, now())) found.add(file);
    if (input.event.startsWith('Session')) for (const file of unseen(places, input.transcript, since)) found.add(file);
  } catch (error) {
    world.report('error', `other sessions were not looked at: ${reasonOf(error)}`);
  }
  found.delete(input.transcript);
  return [...found];
}

function hasChanged(transcript: string, { places }: HookWorld): boolean {
  const known = noteOf(places, transcript);
  const { bytes, mtimeMs } = stampOf(transcript);
  return known?.state !== 'done' || known.bytes !== bytes || known.mtimeMs !== mtimeMs;
}

type Stamp = Pick<SessionNote, 'bytes' | 'mtimeMs' | 'stopped'>;

function note(transcript: string, stamp: Stamp, state: NoteState, world: HookWorld): void {
  try {
    saveNote(world.places, { transcript, state, at: world.now(), pid: process.pid, ...stamp });
  } catch (error) {
    world.report('error', `cannot note what is left to send: ${reasonOf(error)}`);
  }
}

function idOf(transcript: string): string {
  return /([^\\/]+)\.jsonl$/.exec(transcript)?.[1] ?? transcript;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { what, where } = { what: error.message, where: '', ...error };
  return where === '' ? what : `${what} (${where})`;
}
