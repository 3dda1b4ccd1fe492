/** Bytes ⇄ session. `writeSession(readSession(bytes))` gives the same bytes back, for every input. */
import { bytesOf, type Entry, type ParsedEntry, type Source, toEntry, toEntryAtHand, toParsedEntry } from './entry.ts';
import { concat, type RawLine, splitLines } from './lines.ts';
import { rememberPrompt } from './prompt.ts';

export interface Session {
  /** Where it came from: a path, or any name in memory. */
  readonly file: string;
  readonly entries: readonly Entry[];
}

export function memorySource(name: string, bytes: Uint8Array): Source {
  return { name, read: (start, end) => bytes.subarray(start, end) };
}

export function readSession(bytes: Uint8Array, file = 'memory'): Session {
  return { file, entries: listEntries(memorySource(file, bytes), splitLines([bytes])) };
}

/** All at once: a generator for each of very many entries takes its time. */
export function listEntries(source: Source, lines: Iterable<RawLine>): Entry[] {
  const entries: Entry[] = [];
  for (const { line, bytes } of lines) {
    const { entry, json } = toEntryAtHand(source, line, bytes);
    entries.push(entry);
    // A prompt is asked for in any case, and would be read from disk again.
    if (json !== undefined) rememberPrompt(entry, json);
  }
  return entries;
}

/** One entry per line, blank and unreadable ones too. */
export function* readEntries(source: Source, lines: Iterable<RawLine>): Generator<Entry> {
  for (const { line, bytes } of lines) yield toEntry(source, line, bytes);
}

/** The same with the whole object of each: one parse instead of a scan and a parse. */
export function* readParsedEntries(source: Source, lines: Iterable<RawLine>): Generator<ParsedEntry> {
  for (const { line, bytes } of lines) yield toParsedEntry(source, line, bytes);
}

const NEWLINE = Uint8Array.of(10);

/** The bytes of entries, each line as it was. */
export function writeSession(session: Session): Uint8Array {
  return concat(session.entries.flatMap((entry) => lineBytesOf(entry)));
}

export function lineBytesOf(entry: Entry): Uint8Array[] {
  return entry.line.terminated ? [bytesOf(entry), NEWLINE] : [bytesOf(entry)];
}
