/** How far a session's file has been sent to an endpoint. Can be deleted: then the file is read from its start, and the ledger knows what was sent. */
import { join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { bytesBefore, closeFile, openFile } from '../../disk/io.ts';
import { readJsonObject } from '../../disk/sidecars.ts';
import { asArray, asBoolean, asNumber, asString, at, type Json } from '../../format/json.ts';
import { sha256Hex } from '../../format/sha256.ts';
import { encode } from '../../format/text.ts';
import { stateName } from './places.ts';

/** Where to begin reading: the start of a turn. */
export interface Reached {
  readonly offset: number;
  /** The number of its line. */
  readonly line: number;
  /** Prompts before it. */
  readonly turnsBefore: number;
  /** The prompt there. */
  readonly turn: string | null;
  /** Digest of the bytes before the offset: others there mean another file. */
  readonly before: string;
}

/** An agent in the background: when its file grows, reading begins before the turn that started it. */
export interface BackgroundAgent extends Reached {
  readonly agent: string;
  readonly bytes: number;
  /** The client told that it ended. It may be taken up again. */
  readonly ended: boolean;
}

/** Reading begins with the turn before the last one sent. */
export interface SessionState extends Reached {
  readonly file: string;
  /** The files it was made of, as they were: nothing can be new while they are the same. */
  readonly seen: string;
  /** All that was there is sent, or never will be. */
  readonly settled: boolean;
  readonly background: readonly BackgroundAgent[];
  /** Files of agents that no call leads to, and that are not sent yet. */
  readonly strays: readonly string[];
  /** Up to here are turns of other sessions, which had them first (H1); they are sent. */
  readonly copied: number;
  /** Unknown where it was read alone. */
  readonly chat?: ChatPlace;
}

/** The chat that a file was found to be part of. */
export interface ChatPlace {
  readonly id: string;
  /** Prompts of the chat before the first of the file. */
  readonly turnsBefore: number;
}

export function readState(folder: string, file: string): SessionState | undefined {
  const json = readJsonObject(join(folder, stateName(file)));
  const [seen, settled, reached] = [asString(json?.seen), asBoolean(json?.settled), reachedIn(json)];
  if (json?.file !== file || seen === undefined || settled === undefined || reached === undefined) return undefined;
  const strays = asArray(json.strays)?.flatMap((each) => asString(each) ?? []) ?? [];
  const background = asArray(json.background)?.flatMap(agentIn) ?? [];
  const [copied = 0, id] = [asNumber(json.copied), asString(at(json.chat, 'id'))];
  const chat = id === undefined ? undefined : { id, turnsBefore: asNumber(at(json.chat, 'turnsBefore')) ?? 0 };
  return { ...reached, file, seen, settled, strays, background, copied, ...(chat && { chat }) };
}

function agentIn(json: Json): BackgroundAgent[] {
  const [agent, bytes, reached] = [asString(at(json, 'agent')), asNumber(at(json, 'bytes')), reachedIn(json)];
  if (agent === undefined || bytes === undefined || reached === undefined) return [];
  return [{ ...reached, agent, bytes, ended: at(json, 'ended') === true }];
}

function reachedIn(json: Json | undefined): Reached | undefined {
  const [offset, line] = [asNumber(at(json, 'offset')), asNumber(at(json, 'line'))];
  const [turnsBefore, before] = [asNumber(at(json, 'turnsBefore')), asString(at(json, 'before'))];
  if (offset === undefined || line === undefined || turnsBefore === undefined || before === undefined) return undefined;
  return { offset, line, turnsBefore, turn: asString(at(json, 'turn')) ?? null, before };
}

export function writeState(folder: string, state: SessionState): void {
  writeFileAtomic(join(folder, stateName(state.file)), encode(`${JSON.stringify(state, null, 2)}\n`), { mode: 0o600 });
}

/** The turn before the last one sent, or before one whose agent in the background has gone on. */
export function placeToRead(state: SessionState, sizeOf: (file: string) => number | undefined): Reached {
  const woken = state.background.filter(({ agent, bytes }) => (sizeOf(agent) ?? bytes) !== bytes);
  return woken.reduce<Reached>((least, each) => (each.offset < least.offset ? each : least), state);
}

/** What is looked at to see that nothing is new. */
export function seenOf(
  files: readonly { readonly file: string; readonly bytes: number; readonly mtimeMs: number }[],
): string {
  const rows = files.map(({ file, bytes, mtimeMs }) => `${file} ${bytes} ${mtimeMs}`).sort();
  return sha256Hex(rows.join('\n')).slice(0, 32);
}

const KNOWN_BYTES = 512;

/** Of the bytes before a place in a file; '' at its start and where it cannot be read. */
export function digestBefore(file: string, offset: number): string {
  if (offset === 0) return '';
  try {
    const fd = openFile(file);
    try {
      const bytes = bytesBefore(fd, offset, KNOWN_BYTES);
      return sha256Hex(bytes).slice(0, 32);
    } finally {
      closeFile(fd);
    }
  } catch {
    return '';
  }
}

/** Of a chat that was sent as a whole: its files as they were then. */
export function isSeen(folder: string, chat: string, seen: string): boolean {
  return readJsonObject(join(folder, stateName(`chat ${chat}`)))?.seen === seen;
}

export function saveSeen(folder: string, chat: string, seen: string): void {
  const text = `${JSON.stringify({ chat, seen })}\n`;
  writeFileAtomic(join(folder, stateName(`chat ${chat}`)), encode(text), { mode: 0o600 });
}
