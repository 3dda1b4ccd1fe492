/**
 * Which sessions have something to send. Noted before the work and again after it: a hook that was killed, or found no
 * network, leaves a note that a later one goes by, whichever session that is of.
 */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from '../../disk/durable.ts';
import { isRunning } from '../../disk/live.ts';
import { asArray, asNumber, asObject, asString, type Json, parseJson } from '../../format/json.ts';
import { QUIET } from '../../graph/turnstate.ts';
import type { HookPlaces } from './place.ts';

/** begun: at work, or killed · failed: not all was taken · open: the last turn was not over yet · done: all is sent. */
export type NoteState = 'begun' | 'failed' | 'open' | 'done';

export interface SessionNote {
  readonly transcript: string;
  readonly state: NoteState;
  /** When it was noted, in milliseconds. */
  readonly at: number;
  /** Of the transcript before it was read. */
  readonly bytes: number;
  readonly mtimeMs: number;
  /** The client said that nothing more comes after these bytes, for now: older ones do not write why an answer ended (T6). */
  readonly stopped: boolean;
  /** Of one that failed: where not all of it is yet, endpoints or `archive`. Empty where that is not known. */
  readonly left: readonly string[];
  /** Files of agents that may go on, whatever the state: nobody tells of what they write when the client is gone. */
  readonly agents: readonly string[];
  /** Who noted it. */
  readonly pid: number;
}

/** After this long a process of the same number is another one. */
const AT_WORK_MS = 30 * 60_000;

export function noteOf(places: HookPlaces, transcript: string): SessionNote | undefined {
  return readNote(fileOf(places, transcript));
}

/** Replaced at once, but not forced onto the disk: what a power cut takes is found by its size and time of change. */
export function saveNote(places: HookPlaces, note: SessionNote): void {
  const file = fileOf(places, note.transcript);
  const temp = `${file}.${process.pid}.tmp`;
  makeFolders(places.sessions, false);
  writeFileSync(temp, JSON.stringify(note), { mode: 0o600 });
  renameSync(temp, file);
}

export function stampOf(transcript: string): Pick<SessionNote, 'bytes' | 'mtimeMs'> {
  const stat = statSync(transcript, { throwIfNoEntry: false });
  return stat?.isFile() ? { bytes: stat.size, mtimeMs: Math.floor(stat.mtimeMs) } : { bytes: 0, mtimeMs: 0 };
}

/** When the hook first ran here, in milliseconds. Sessions that were over by then are not its business. */
export function firstRun(places: HookPlaces, now: number): number {
  const known = statSync(places.since, { throwIfNoEntry: false });
  if (known !== undefined) return known.mtimeMs;
  makeFolders(dirname(places.since), false);
  writeFileSync(places.since, '', { mode: 0o600 });
  return now;
}

/** Transcripts that were left with something to send, the longest waiting first. */
export function unfinished(places: HookPlaces, now: number): string[] {
  const notes = namesIn(places.sessions).flatMap((name) => {
    if (name.endsWith('.tmp')) return removeOld(join(places.sessions, name), now);
    return readNote(join(places.sessions, name)) ?? [];
  });
  return notes
    .filter((note) => isDue(note, now))
    .toSorted((a, b) => a.at - b.at)
    .map(({ transcript }) => transcript);
}

/** Another process is sending it. */
export function isAtWork({ state, at, pid }: SessionNote, now: number): boolean {
  return state === 'begun' && pid !== process.pid && now - at < AT_WORK_MS && isRunning(pid);
}

function isDue(note: SessionNote, now: number): boolean {
  const { transcript, agents, state, at } = note;
  if (state === 'failed') return true;
  if (state === 'begun') return !isAtWork(note, now);
  if (state === 'done' && agents.length === 0) return false;
  // Ten quiet minutes end a turn or an agent; whoever looked after that has seen all.
  const latest = Math.max(...[transcript, ...agents].map((file) => stampOf(file).mtimeMs));
  return now - latest > QUIET && at - latest <= QUIET;
}

/** Sessions beside this one that were written to since a hook last looked: nothing told us of them. */
export function unseen(places: HookPlaces, transcript: string, since: number): string[] {
  const folder = dirname(transcript);
  return namesIn(folder).flatMap((name) => {
    const file = join(folder, name);
    if (!name.endsWith('.jsonl') || name.startsWith('agent-') || file === transcript) return [];
    const { bytes, mtimeMs } = stampOf(file);
    if (bytes === 0 || mtimeMs < since) return [];
    const note = noteOf(places, file);
    return note === undefined || (note.state === 'done' && (note.bytes !== bytes || note.mtimeMs !== mtimeMs))
      ? [file]
      : [];
  });
}

function fileOf({ sessions }: HookPlaces, transcript: string): string {
  return join(sessions, `${basename(transcript, '.jsonl').slice(0, 100)}.json`);
}

function readNote(file: string): SessionNote | undefined {
  const value = asObject(parseJson(textOf(file)));
  const transcript = asString(value?.transcript);
  const state = STATES.find((each) => each === value?.state);
  if (transcript === undefined || state === undefined) return undefined;
  const number = (name: string) => asNumber(value?.[name]) ?? 0;
  return {
    transcript,
    state,
    at: number('at'),
    bytes: number('bytes'),
    mtimeMs: number('mtimeMs'),
    stopped: value?.stopped === true,
    left: textsIn(value?.left),
    agents: textsIn(value?.agents),
    pid: number('pid'),
  };
}

function textsIn(value: Json | undefined): string[] {
  return asArray(value)?.flatMap((each) => asString(each) ?? []) ?? [];
}

const STATES: readonly NoteState[] = ['begun', 'failed', 'open', 'done'];

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Of a process that was killed while it wrote. */
function removeOld(file: string, now: number): [] {
  const { mtimeMs } = stampOf(file);
  if (now - mtimeMs > AT_WORK_MS) rmSync(file, { force: true });
  return [];
}
