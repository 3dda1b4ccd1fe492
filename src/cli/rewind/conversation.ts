/**
 * Going back in a conversation without taking a line away: a note hangs on what came before the prompt, and a pin on the
 * note (R2–R5). A pin alone would not do: what was said later still leads back to it (R4).
 */
import { randomUUID } from 'node:crypto';
import { chainEntry } from '../../agent/transcript/envelope.ts';
import { entriesUpTo } from '../../edit/branch.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import { splitLines } from '../../format/lines.ts';
import { readEntries } from '../../format/session.ts';
import { encode } from '../../format/text.ts';
import { parseTimestamp } from '../../format/time.ts';
import { context } from '../../graph/context/context.ts';

export interface Pin {
  readonly lines: readonly JsonObject[];
  /** What a resume sends then. */
  readonly messages: number;
}

export interface PinOptions {
  readonly sessionId: string;
  /** Says in the transcript what happened. */
  readonly note: string;
  readonly now: Date;
  /** Our version. */
  readonly version: string;
}

/** The entry a prompt was said after; undefined when nothing was. */
export function entryBefore(entries: readonly Entry[], uuid: string): Entry | undefined {
  const parent = entries.findLast(({ head }) => head.uuid === uuid)?.head.parentUuid;
  return typeof parent === 'string' ? entries.findLast(({ head }) => head.uuid === parent) : undefined;
}

/** undefined: a resume would not go on from there. */
export function pinAt(entries: readonly Entry[], at: Entry, options: PinOptions): Pin | undefined {
  const lines = pinLines(entries, at, options);
  const then = context([...entries, ...readAfter(entries, lines)]);
  const wanted = context(entriesUpTo(entries, at));
  const isSame = JSON.stringify(then.messages) === JSON.stringify(wanted.messages);
  return isSame ? { lines, messages: then.messages.length } : undefined;
}

function pinLines(entries: readonly Entry[], at: Entry, { sessionId, note, now, version }: PinOptions): JsonObject[] {
  const json = jsonOf(at) ?? {};
  const latest = entries.reduce((time, { head }) => Math.max(time, parseTimestamp(head.timestamp ?? '') || 0), 0);
  const uuid = randomUUID();
  // The newest time decides in older clients.
  const timestamp = new Date(Math.max(now.getTime(), latest + 1)).toISOString();
  const envelope = {
    sessionId,
    cwd: asString(json.cwd) ?? '',
    gitBranch: asString(json.gitBranch) ?? '',
    slug: asString(json.slug) ?? '',
    client: version,
  };
  const said = { type: 'system', subtype: 'informational', content: note, isMeta: false };
  const place = { parentUuid: at.head.uuid ?? null, uuid, timestamp };
  const lastPrompt = entries.findLast(({ kind }) => kind === 'last-prompt');
  const prompt = lastPrompt && asString(jsonOf(lastPrompt)?.lastPrompt);
  return [
    chainEntry(place, said, { level: 'info' }, envelope),
    { type: 'last-prompt', ...(prompt !== undefined && { lastPrompt: prompt }), leafUuid: uuid, sessionId },
  ];
}

/** The lines as they would stand at the end of the file. */
function readAfter(entries: readonly Entry[], lines: readonly JsonObject[]): Entry[] {
  const last = entries.at(-1)?.line;
  const offset = (last?.end ?? -1) + 1;
  const bytes = encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const source = {
    name: 'new lines',
    read: (start: number, end: number) => bytes.subarray(start - offset, end - offset),
  };
  return [...readEntries(source, splitLines([bytes], { offset, number: (last?.number ?? 0) + 1 }))];
}
