/** A session's lines under a new id, as the client forks: uuids stay, so that copies are recognised (H1, H2). */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { writeFileAtomic } from '../../disk/durable.ts';
import { readEntriesOf, readSessionOf } from '../../disk/read.ts';
import { clone, isCarried } from '../../edit/clone.ts';
import { encodeDraft } from '../../edit/log.ts';
import { patchLine } from '../../edit/patch.ts';
import { bytesOf, type Entry, jsonIn } from '../../format/entry.ts';
import { asObject, type JsonObject } from '../../format/json.ts';

export interface Fork {
  readonly from: { readonly file: string; readonly sessionId: string; readonly end?: number };
  readonly to: { readonly file: string; readonly sessionId: string };
}

/** Gives the bytes of the copy. Nothing shows before all of it is on the disk. Throws DiskError. */
export function copySession({ from, to }: Fork): number {
  writeFileAtomic(to.file, copiedLines(from, to.sessionId), { exclusive: true });
  return statSync(to.file).size;
}

/** The same of a session whose lines have no uuids (E15): they get some, and one chain. Throws DiskError. */
export function linkSession({ from, to }: Fork): void {
  const { entries } = readSessionOf(from.file);
  const now = new Date().toISOString();
  const draft = clone(entries, { sessionId: to.sessionId, from: from.sessionId, freshUuid: randomUUID, now });
  writeFileAtomic(to.file, encodeDraft(draft), { exclusive: true });
}

const NEWLINE = Uint8Array.of(10);

function* copiedLines(from: Fork['from'], sessionId: string): Generator<Uint8Array> {
  for (const entry of readEntriesOf(from.file, from.end === undefined ? {} : { to: from.end })) {
    const line =
      isCarried(entry) && entry.kind !== 'queue-operation' ? copied(entry, from.sessionId, sessionId) : undefined;
    if (line === undefined) continue;
    yield line;
    yield NEWLINE;
  }
}

/** Unreadable lines stay behind: the client skips them, and a torn one is still being written by somebody. */
function copied(entry: Entry, from: string, to: string): Uint8Array | undefined {
  const bytes = bytesOf(entry);
  const json = jsonIn(entry, bytes);
  return json && patchLine(bytes, json, renamed(json, from, to));
}

function renamed(json: JsonObject, from: string, to: string): JsonObject {
  const after: JsonObject = { ...json };
  if (json.sessionId !== undefined) after.sessionId = to;
  if (json.session_id !== undefined) after.session_id = to;
  if (typeof json.uuid === 'string' && asObject(json.forkedFrom) === undefined) {
    after.forkedFrom = { sessionId: from, messageUuid: json.uuid };
  }
  return after;
}
