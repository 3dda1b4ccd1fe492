/** Appending to transcripts: whole lines, in one write, or nothing at all (W4). Existing bytes are never changed. */
import { constants, fstatSync, fsyncSync, ftruncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { MAX_PARSED_LINE } from '../format/entry.ts';
import { isObject, parseJson } from '../format/json.ts';
import { concat } from '../format/lines.ts';
import { decode, encode } from '../format/text.ts';
import { makeFolders, syncFolder } from './durable.ts';
import { codeOf, DiskError, toDiskError } from './errors.ts';
import { closeFile, openFile, readAt, writeOnce } from './io.ts';

export interface AppendOptions {
  /** Wait until the lines are on the disk itself. */
  readonly fsync?: boolean;
  /** The size the file must have: when it has another one, or somebody writes in that instant, nothing is written. */
  readonly at?: number;
  /** The write call; tests hand in one that fails. */
  readonly write?: (fd: number, bytes: Uint8Array) => number;
}

export interface Appended {
  /** The size of the lines with their ends. */
  readonly bytes: number;
  /** The file was not there before. */
  readonly created: boolean;
  /** The file ended in a torn line; it got a line end first, so that ours stand alone. */
  readonly mended: boolean;
  /** Somebody else wrote first (`at`): nothing was written. */
  readonly late?: boolean;
}

const NEWLINE = Uint8Array.of(10);

/**
 * Each line is one JSON object, without a line end. Lines of several processes never mix, as each call is one write at
 * the end of the file. Throws DiskError: nothing was written then, or the error says what was.
 */
export function appendLines(
  file: string,
  lines: readonly (string | Uint8Array)[],
  options: AppendOptions = {},
): Appended {
  const bytes = concat(lines.flatMap((line, index) => [toLine(file, line, index), NEWLINE]));
  if (bytes.length === 0) return { bytes: 0, created: false, mended: false };
  try {
    makeFolders(dirname(file), options.fsync === true);
    const { fd, created } = openToAppend(file);
    try {
      if (created && options.fsync) syncFolder(dirname(file));
      const mended = endsTorn(fd, file);
      const whole = mended ? concat([NEWLINE, bytes]) : bytes;
      if (options.at !== undefined && fstatSync(fd).size !== options.at)
        return { bytes: 0, created, mended, late: true };
      writeWhole(fd, file, whole, options);
      if (options.at !== undefined && !standsAt(fd, whole, options.at)) {
        undo(fd, whole);
        return { bytes: 0, created, mended, late: true };
      }
      return { bytes: bytes.length, created, mended };
    } finally {
      closeFile(fd);
    }
  } catch (error) {
    throw codeOf(error) === undefined ? error : toDiskError(error, 'cannot append', file);
  }
}

function toLine(file: string, line: string | Uint8Array, index: number): Uint8Array {
  const bytes = typeof line === 'string' ? encode(line) : line;
  const wrong = whyNotALine(bytes);
  if (wrong === undefined) return bytes;
  const what = `cannot append: line ${index + 1} of those given ${wrong}`;
  throw new DiskError({ what, where: file, next: 'Nothing was written; hand in one JSON object per line.' });
}

function whyNotALine(bytes: Uint8Array): string | undefined {
  if (bytes.includes(10)) return 'contains a line end';
  if (bytes.length > MAX_PARSED_LINE) return 'is too long';
  return isObject(parseJson(decode(bytes))) ? undefined : 'is not a JSON object';
}

const APPEND = constants.O_RDWR | constants.O_APPEND;

function openToAppend(file: string): { fd: number; created: boolean } {
  const fd = unless('ENOENT', () => openFile(file, APPEND));
  if (fd !== undefined) return { fd, created: false };
  const made = unless('EEXIST', () => openFile(file, APPEND | constants.O_CREAT | constants.O_EXCL, 0o600));
  if (made !== undefined) return { fd: made, created: true };
  // Another process made it meanwhile, or it is a link to a file still to be made.
  return { fd: openFile(file, APPEND | constants.O_CREAT, 0o600), created: false };
}

function unless<T>(code: string, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (codeOf(error) === code) return undefined;
    throw error;
  }
}

function endsTorn(fd: number, file: string): boolean {
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    throw new DiskError({ what: 'cannot append: it is not a file', where: file, next: 'Name a .jsonl file.' });
  }
  if (stat.size === 0) return false;
  for (let look = 0; look < TORN_LOOKS; look += 1) {
    if (readTail(fd, 1)[0] === 10) return false;
    Atomics.wait(CLOCK, 0, 0, TORN_WAIT_MS);
  }
  return true;
}

// A line that another process is just writing looks torn for an instant. Should it last longer, the line end we add makes a blank line: harmless.
const TORN_LOOKS = 10;
const TORN_WAIT_MS = 2;
const CLOCK = new Int32Array(new SharedArrayBuffer(4));

function readTail(fd: number, length: number): Uint8Array {
  const tail = new Uint8Array(length);
  return tail.subarray(0, readAt(fd, tail, Math.max(0, fstatSync(fd).size - length)));
}

/** One write as a rule. A short one (a full disk, a size limit) is completed as long as ours are the last bytes of the file. */
function writeWhole(fd: number, file: string, bytes: Uint8Array, options: AppendOptions): void {
  const write = options.write ?? writeOnce;
  let done = 0;
  try {
    while (done < bytes.length) {
      if (done > 0 && !endsWith(fd, bytes.subarray(0, done))) throw new Error('another program wrote in between');
      const written = write(fd, bytes.subarray(done));
      if (written <= 0) throw new Error('the system takes no more bytes');
      done += written;
    }
    if (options.fsync) fsyncSync(fd);
  } catch (error) {
    const undone = undo(fd, bytes.subarray(0, done));
    const { what, where, next } = toDiskError(error, 'cannot append', file);
    const state = undone ? 'Nothing was written.' : `A part of ${done} bytes stays in the file; see: skein check.`;
    throw new DiskError({ what, where, next: `${state} ${next}`, cause: error });
  }
}

/**
 * Takes back what we wrote, so that no half line stays. Not if someone else wrote after us: their bytes come first.
 * Between the look and the cut lies an instant that no lock covers; the client takes none.
 */
function undo(fd: number, ours: Uint8Array): boolean {
  if (ours.length === 0) return true;
  try {
    if (!endsWith(fd, ours)) return false;
    ftruncateSync(fd, fstatSync(fd).size - ours.length);
    return true;
  } catch {
    return false;
  }
}

/** Nobody wrote between the look at the size and our write. */
function standsAt(fd: number, ours: Uint8Array, at: number): boolean {
  if (fstatSync(fd).size === at + ours.length) return true;
  const there = new Uint8Array(ours.length);
  return readAt(fd, there, at) === ours.length && Buffer.compare(there, ours) === 0;
}

function endsWith(fd: number, ours: Uint8Array): boolean {
  const tail = ours.subarray(Math.max(0, ours.length - TAIL_BYTES));
  return Buffer.compare(readTail(fd, tail.length), tail) === 0;
}

const TAIL_BYTES = 64 << 10;
