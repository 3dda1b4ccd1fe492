/** How far a session's file has been sent to an endpoint. Can be deleted: then the file is read from its start, and the ledger knows what was sent. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { bytesBefore, closeFile, openFile } from '../../disk/io.ts';
import { readJsonObject } from '../../disk/sidecars.ts';
import { asBoolean, asNumber, asString } from '../../format/json.ts';
import { encode } from '../../format/text.ts';
import { stateName } from './places.ts';

export interface SessionState {
  readonly file: string;
  /** The files it was made of, as they were: nothing can be new while they are the same. */
  readonly seen: string;
  /** All that was there is sent, or never will be. */
  readonly settled: boolean;
  /** Where to begin reading: the start of the turn before the last one sent, and the number of its line. */
  readonly offset: number;
  readonly line: number;
  /** Prompts before it. */
  readonly turnsBefore: number;
  /** The prompt there. */
  readonly turn: string | null;
  /** Digest of the bytes before the offset: others there mean another file. */
  readonly before: string;
}

export function readState(folder: string, file: string): SessionState | undefined {
  const json = readJsonObject(join(folder, stateName(file)));
  const [seen, settled, before] = [asString(json?.seen), asBoolean(json?.settled), asString(json?.before)];
  const [offset, line, turnsBefore] = [asNumber(json?.offset), asNumber(json?.line), asNumber(json?.turnsBefore)];
  const isWhole =
    json?.file === file &&
    seen !== undefined &&
    settled !== undefined &&
    before !== undefined &&
    offset !== undefined &&
    line !== undefined &&
    turnsBefore !== undefined;
  if (!isWhole) return undefined;
  return { file, seen, settled, offset, line, turnsBefore, turn: asString(json?.turn) ?? null, before };
}

export function writeState(folder: string, state: SessionState): void {
  writeFileAtomic(join(folder, stateName(state.file)), encode(`${JSON.stringify(state, null, 2)}\n`), { mode: 0o600 });
}

/** What is looked at to see that nothing is new. */
export function seenOf(
  files: readonly { readonly file: string; readonly bytes: number; readonly mtimeMs: number }[],
): string {
  const rows = files.map(({ file, bytes, mtimeMs }) => `${file} ${bytes} ${mtimeMs}`).sort();
  return createHash('sha256').update(rows.join('\n')).digest('hex').slice(0, 32);
}

const KNOWN_BYTES = 512;

/** Of the bytes before a place in a file; '' at its start and where it cannot be read. */
export function digestBefore(file: string, offset: number): string {
  if (offset === 0) return '';
  try {
    const fd = openFile(file);
    try {
      const bytes = bytesBefore(fd, offset, KNOWN_BYTES);
      return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
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
