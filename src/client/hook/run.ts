/**
 * One run of the hook: archives the session and sends its turns that are over, then what other sessions still have to send.
 * It may be killed at any moment: whatever was not taken comes with a later run.
 */
import { DiskError } from '../../disk/errors.ts';
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
  /**
   * Starts a process of its own, with the whole command, for a session that takes longer than a client may wait, or more than the hook has
   * at hand; undefined in such a process. Waits for it no longer than it is told.
   */
  readonly handOver?: (session: SessionToSend, waitMs: number) => Promise<void>;
  /** There is more to do than a turn: V8 may compile again (compilers.ts). */
  readonly release?: () => void;
  report(level: 'info' | 'error', what: string): void;
}

/** Reading and masking this much takes about a second; nothing can stop it on the way. */
export const LARGE_BYTES = 2 << 20;
/** So much is read before it would have paid to compile anything; of a longer file all may have to be, when it was never archived. */
const LITTLE_BYTES = 256 << 10;
const MOST_BYTES = 8 << 20;
/** Copies are mostly sent by then; what takes longer, as in a project with much to look through, goes on by itself. */
const COPIES_MS = 3000;

export async function runHook(told: HookInput, options: HookOptions, world: HookWorld, limits: Limits): Promise<void> {
  const input = await sessionIn(told, world);
  if (input === undefined) return;
  const { transcript, sessionId, event } = input;
  if (!isLittle(transcript, world)) world.release?.();
  if (event === 'Stop' && options.waitMs > 0) {
    const { waitForAnswer } = await import('./settled.ts');
    if (!(await waitForAnswer(input, { waitMs: options.waitMs, ...limits })))
      world.report('info', `the final answer was not written within ${options.waitMs} ms`);
  }
  const stopped = event === 'Stop' || event === 'SessionEnd';
  const ways: Ways = { archive: options.archive ? 'open' : 'none', closed: new Set() };
  await visit({ transcript, sessionId, stopped }, ways, world, limits);
  world.release?.();
  for (const other of await others(input, world)) {
    if (limits.signal.aborted || !(await isOpen(ways, world))) return;
    if (isInVain(other, ways, world)) continue;
    await visit({ transcript: other, sessionId: idOf(other), stopped: false }, ways, world, limits);
  }
}

function isLittle(transcript: string, { places }: HookWorld): boolean {
  const { bytes } = stampOf(transcript);
  const before = noteOf(places, transcript)?.bytes ?? 0;
  return bytes - before <= LITTLE_BYTES && bytes <= MOST_BYTES;
}

/** The session that is meant; undefined for what is none, which is told. One that was looked at before is known to be one. */
async function sessionIn(told: HookInput, { places, report }: HookWorld): Promise<HookInput | undefined> {
  const { transcript } = told;
  const isAgent = /[\\/]agent-[^\\/]+\.jsonl$/.test(transcript);
  if (!isAgent && noteOf(places, transcript) !== undefined) return told;
  const { notTranscript, sessionOfAgent } = await import('./transcript.ts');
  const input = isAgent ? sessionOfAgent(told) : told;
  if (input === undefined) {
    report('info', `${transcript}: an agent whose session is not there is left alone`);
    return undefined;
  }
  const why = notTranscript(input.transcript);
  if (why !== undefined) report('error', `${input.transcript}: neither kept nor sent: ${why}`);
  return why === undefined ? input : undefined;
}

/** What stood in the way of one session stands in the way of the next: it is closed for the run, and the others go on. */
interface Ways {
  archive: 'none' | 'open' | 'closed';
  readonly closed: Set<Destination>;
}

/** Somewhere something can be sent, or only the archive was asked for and can be written. */
async function isOpen({ archive, closed }: Ways, world: HookWorld): Promise<boolean> {
  try {
    const all = await world.destinations();
    return all.length === 0 ? archive === 'open' : all.some((each) => !closed.has(each));
  } catch {
    return false;
  }
}

/** Nothing is new in it, and what is left of it has to go where nothing goes in this run. */
function isInVain(transcript: string, { archive, closed }: Ways, world: HookWorld): boolean {
  const known = noteOf(world.places, transcript);
  if (known?.state !== 'failed' || known.left.length === 0 || hasChanged(transcript, known)) return false;
  const shut = new Set([...closed].map(({ name }) => name));
  return known.left.every((name) => (name === ARCHIVE ? archive === 'closed' : shut.has(name)));
}

const ARCHIVE = 'archive';

/** In a process of its own: one session, until nothing is added to it any more. */
export async function runHandedOver(
  session: SessionToSend,
  options: HookOptions,
  world: HookWorld,
  limits: Limits,
): Promise<void> {
  let stopped = session.stopped;
  const ways: Ways = { archive: options.archive ? 'open' : 'none', closed: new Set() };
  for (let size = -1; !limits.signal.aborted; stopped = false) {
    const { bytes } = stampOf(session.transcript);
    if (bytes === size || (await visit({ ...session, stopped }, ways, world, limits)) === 'failed') return;
    size = bytes;
  }
}

/** Whatever stands in the way of one part, the others are done. */
async function visit(told: SessionToSend, ways: Ways, world: HookWorld, limits: Limits): Promise<NoteState> {
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
  if (ways.archive === 'open' && !(await keep(transcript, world, limits))) ways.archive = 'closed';
  if (large) {
    if (!atWork) world.report('info', `${told.sessionId}: there is much to send; a process of its own does it`);
    if (!atWork) await world.handOver?.({ ...told, stopped }, 0);
    return 'open';
  }
  const sent = await deliver({ ...told, stopped }, ways, world, limits);
  if (sent.copied && world.handOver !== undefined) {
    if (known !== undefined && isAtWork(known, world.now())) return 'open';
    world.report('info', `${told.sessionId}: it begins with turns of another session; a process of its own sends them`);
    await world.handOver({ ...told, stopped }, Math.min(COPIES_MS, Math.max(0, limits.deadline - world.now())));
    return 'open';
  }
  const state = ways.archive === 'closed' ? 'failed' : sent.state;
  const left = [...(ways.archive === 'closed' ? [ARCHIVE] : []), ...sent.left];
  note(transcript, stamp, state, world, { left, agents: sent.agents });
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

interface SentToAll {
  readonly state: NoteState;
  /** The names of those that have not got all, or that a turn which is not over is for. */
  readonly left: readonly string[];
  readonly agents: readonly string[];
  /** See `Sent`. */
  readonly copied: boolean;
}

/** To all at the same time: one that hangs takes no time from the others. */
async function deliver(session: SessionToSend, ways: Ways, world: HookWorld, limits: Limits): Promise<SentToAll> {
  try {
    const all = await world.destinations();
    const states = await Promise.all(all.map((each) => deliverTo(each, session, ways, world, limits)));
    const left = all.flatMap(({ name }, place) => (states[place]?.state === 'done' ? [] : name));
    const state = WORST_FIRST.find((each) => states.some((own) => own.state === each)) ?? 'done';
    const copied = states.some((each) => each.copied);
    return { state, left, agents: [...new Set(states.flatMap(({ agents }) => agents))], copied };
  } catch (error) {
    world.report('error', `${session.sessionId}: not sent: ${reasonOf(error)}`);
    return { state: 'failed', left: [], agents: [], copied: false };
  }
}

const WORST_FIRST: readonly NoteState[] = ['failed', 'open'];

async function deliverTo(
  destination: Destination,
  session: SessionToSend,
  { closed }: Ways,
  world: HookWorld,
  limits: Limits,
): Promise<Pick<SentToAll, 'state' | 'agents' | 'copied'>> {
  if (closed.has(destination)) return FAILED;
  try {
    const sent = await destination.send(session, limits);
    if (sent.stuck) closed.add(destination);
    tell(destination.name, session.sessionId, sent, world);
    const { agents, copied } = sent;
    if (sent.again) return { state: 'failed', agents, copied };
    return { state: sent.open > 0 ? 'open' : 'done', agents, copied };
  } catch (error) {
    // What a disk says of one session need not be true of the next.
    if (!(error instanceof DiskError)) closed.add(destination);
    world.report('error', `${session.sessionId}: not sent to ${destination.name}: ${reasonOf(error)}`);
    return FAILED;
  }
}

const FAILED = { state: 'failed', agents: [], copied: false } as const;

function tell(name: string, sessionId: string, { turns, spans, problem, warning }: Sent, world: HookWorld): void {
  const count = turns === 1 ? '1 turn' : `${turns} turns`;
  if (turns > 0) world.report('info', `${sessionId}: ${count} in ${spans} spans sent to ${name}`);
  if (warning !== undefined) world.report('info', `${sessionId}: ${name} says: ${warning}`);
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
    const known = previous === undefined ? undefined : noteOf(places, previous);
    if (previous !== undefined && (known?.state !== 'done' || hasChanged(previous, known))) found.add(previous);
    for (const file of unfinished(places, now())) found.add(file);
    if (input.event.startsWith('Session')) for (const file of unseen(places, input.transcript, since)) found.add(file);
  } catch (error) {
    world.report('error', `other sessions were not looked at: ${reasonOf(error)}`);
  }
  found.delete(input.transcript);
  return [...found];
}

function hasChanged(transcript: string, known: SessionNote): boolean {
  const { bytes, mtimeMs } = stampOf(transcript);
  return known.bytes !== bytes || known.mtimeMs !== mtimeMs;
}

type Stamp = Pick<SessionNote, 'bytes' | 'mtimeMs' | 'stopped'>;

function note(
  transcript: string,
  stamp: Stamp,
  state: NoteState,
  world: HookWorld,
  { left = [], agents = [] }: Partial<Pick<SessionNote, 'left' | 'agents'>> = {},
): void {
  try {
    saveNote(world.places, { transcript, state, at: world.now(), pid: process.pid, left, agents, ...stamp });
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
