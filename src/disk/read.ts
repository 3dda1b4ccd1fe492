/** Reading transcripts in bounded memory: the file passes by in chunks, payloads stay on disk until someone asks for them. */
import type { Writable } from 'node:stream';
import type { Entry, ParsedEntry, Source } from '../format/entry.ts';
import { enableKernel } from '../format/jsonscan.ts';
import { FILE_START, type Position, type RawLine, splitLines } from '../format/lines.ts';
import { listEntries, readEntries, readParsedEntries, type Session } from '../format/session.ts';
import { codeOf, toDiskError } from './errors.ts';
import { type FileSource, fileSource } from './source.ts';

export const CHUNK_BYTES = 1 << 20;

export interface ReadOptions {
  /** A line's start; later lines are numbered from there. */
  readonly from?: Position;
  /** The byte to stop before; a line cut there counts as torn. Without it, the end of the file. */
  readonly to?: number;
  readonly chunkBytes?: number;
}

/** One entry per line, in file order. Each entry can be asked for its bytes at any later time. Throws DiskError. */
export function* readEntriesOf(file: string, options: ReadOptions = {}): Generator<Entry> {
  yield* readLinesOf(file, options, readEntries);
}

/** Hands the lines of a file, with their bytes, to a function that folds them. Throws DiskError. */
export function readLinesOf<T>(
  file: string,
  options: ReadOptions,
  read: (source: Source, lines: Iterable<RawLine>) => T,
): T {
  const source = fileSource(file);
  const from = options.from ?? FILE_START;
  const chunks = readChunks(source, from.offset, options.to ?? Infinity, options.chunkBytes ?? CHUNK_BYTES);
  return read(source, splitLines(chunks, from));
}

/** The same with the whole object of each entry. Throws DiskError. */
export function* readParsedEntriesOf(file: string, options: ReadOptions = {}): Generator<ParsedEntry> {
  yield* readLinesOf(file, options, readParsedEntries);
}

/** All entries of a file, their payloads left on disk. */
export function readSessionOf(file: string, options: ReadOptions = {}): Session {
  return { file, entries: readLinesOf(file, options, listEntries) };
}

/** Each chunk is a view that is valid until the next is asked for, or the reading ends. */
function* readChunks(source: FileSource, from: number, to: number, chunkBytes: number): Generator<Uint8Array> {
  let buffer = takeBuffer(chunkBytes);
  try {
    for (let at = from; at < to; ) {
      const got = source.fill(buffer.subarray(0, Math.min(buffer.length, to - at)), at);
      if (got === 0) return;
      const chunk = buffer.subarray(0, got);
      source.hold(chunk, at);
      yield chunk;
      at += got;
      passed += got;
      buffer = exchange(buffer);
    }
  } finally {
    source.hold(undefined);
    source.close();
    giveBack(buffer);
  }
}

/** The buffer of the last reading that ended, for the next: fresh memory for every file takes as long as reading it. */
let spare: Buffer | undefined;
/** The one in which strings are passed over quickest, while nobody reads into it. */
let fast: { readonly buffer: Buffer; free: boolean } | undefined;
/** How many bytes this process has read, and after how many a quick loop has paid for its making. */
let passed = 0;
const MANY = 4 * CHUNK_BYTES;

function takeBuffer(bytes: number): Buffer {
  if (fast?.free && bytes === fast.buffer.length) {
    fast.free = false;
    return fast.buffer;
  }
  const buffer = spare?.length === bytes ? spare : Buffer.allocUnsafeSlow(bytes);
  spare = undefined;
  return buffer;
}

function giveBack(buffer: Buffer): void {
  if (buffer === fast?.buffer) fast.free = true;
  else spare = buffer;
}

/** The quicker buffer for the rest of a reading, once much has been read. */
function exchange(buffer: Buffer): Buffer {
  if (passed < MANY || buffer.length !== CHUNK_BYTES || buffer === fast?.buffer) return buffer;
  fast ??= makeFast();
  if (!fast.free) return buffer;
  giveBack(buffer);
  return takeBuffer(CHUNK_BYTES);
}

function makeFast(): { buffer: Buffer; free: boolean } {
  const memory = enableKernel(CHUNK_BYTES);
  if (memory === undefined) return { buffer: Buffer.alloc(0), free: false };
  return { buffer: Buffer.from(memory.buffer, memory.byteOffset, memory.length), free: true };
}

export interface Copied {
  readonly bytes: number;
  /** The reader went away (a closed pipe) before the end: no error, but nothing more to do. */
  readonly closed: boolean;
}

/** Copies the bytes of a file as they are, at the pace of the reader. Throws DiskError when either side fails. */
export async function copyRange(
  file: string,
  to: Writable,
  range: { from?: number; to?: number } = {},
): Promise<Copied> {
  const source = fileSource(file);
  let bytes = 0;
  let failure: unknown;
  const onError = (error: unknown) => {
    failure ??= error;
  };
  to.on('error', onError);
  try {
    for (const chunk of readChunks(source, range.from ?? 0, range.to ?? Infinity, CHUNK_BYTES)) {
      if (!(await written(to, chunk, onError))) {
        if (failure === undefined || CLOSED.has(codeOf(failure) ?? '')) return { bytes, closed: true };
        throw toDiskError(failure, 'cannot write', file);
      }
      bytes += chunk.length;
    }
    return { bytes, closed: false };
  } finally {
    // A stream tells its error again after the failed write: without a listener that would end the process.
    if (failure === undefined) to.off('error', onError);
  }
}

/** What a stream says when nobody reads any more. */
const CLOSED = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Waits until the chunk has left: its memory is used again for the next one. */
function written(to: Writable, chunk: Uint8Array, onError: (error: unknown) => void): Promise<boolean> {
  return new Promise((resolve) => {
    if (to.destroyed || to.writableEnded) return resolve(false);
    const onClose = () => resolve(false);
    to.once('close', onClose);
    to.write(chunk, (error) => {
      to.off('close', onClose);
      if (error) onError(error);
      resolve(!error);
    });
  });
}
