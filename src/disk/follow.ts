/** Follows a transcript as it grows: whole lines only, every byte read once, whatever happens to the file. */
import { type Entry, toEntry } from '../format/entry.ts';
import { concat, FILE_START, type Position, splitLines } from '../format/lines.ts';
import { codeOf, type Problem, toDiskError, toProblem } from './errors.ts';
import { bytesBefore, closeFile, identityAt, identityOf, openFile, readAt } from './io.ts';
import { type FileSource, fileSource } from './source.ts';
import { type Wake, wakeOn } from './wake.ts';

/** After `appeared`, `truncated` and `replaced` the lines count from 1 again: forget what came before. */
export type FollowEvent =
  /** `next` is where to go on another time. Payloads are at hand until the next event is asked for, then read from disk. */
  | { readonly type: 'entries'; readonly entries: readonly Entry[]; readonly next: Position }
  /** The half line at the end; only with `torn`, when the file or the following ends. */
  | { readonly type: 'torn'; readonly entry: Entry }
  /** Not there (any more), or it cannot be read: `problem` says why. */
  | { readonly type: 'missing'; readonly problem: Problem }
  | { readonly type: 'appeared' }
  | { readonly type: 'truncated'; readonly bytes: number }
  | { readonly type: 'replaced' };

export interface FollowOptions {
  /** Where to start; a line's start. */
  readonly from?: Position;
  readonly signal?: AbortSignal;
  /** How often to look without being told. */
  readonly pollMs?: number;
  readonly torn?: boolean;
  readonly watch?: boolean;
  readonly chunkBytes?: number;
}

/** Ends with the signal, or when the consumer stops. */
export async function* follow(file: string, options: FollowOptions = {}): AsyncGenerator<FollowEvent> {
  const { signal, pollMs = 1000, watch } = options;
  const wake = wakeOn(file, { signal, pollMs, watch });
  const follower: Follower = {
    file,
    wake,
    buffer: Buffer.allocUnsafeSlow(options.chunkBytes ?? CHUNK_BYTES),
    torn: options.torn === true,
    from: options.from ?? FILE_START,
  };
  try {
    while (!signal?.aborted) {
      for (const event of look(follower)) {
        yield event;
        if (signal?.aborted) break;
      }
      if (!signal?.aborted) await wake.next();
    }
    if (follower.reading) yield* tornEnd(follower, follower.reading);
  } catch (error) {
    throw codeOf(error) === undefined ? error : toDiskError(error, 'cannot follow', file);
  } finally {
    wake.close();
    leave(follower);
  }
}

const CHUNK_BYTES = 64 << 10;

interface Follower {
  readonly file: string;
  readonly wake: Wake;
  readonly buffer: Buffer;
  readonly torn: boolean;
  /** Where to start in the file that is there first; any later one is read from its start. */
  from: Position;
  reading?: Reading;
  /** The problem last told. */
  missing?: Problem;
}

/** The file being read. It stays open: so its inode cannot be given to another file, and what is written last is not lost. */
interface Reading {
  readonly fd: number;
  readonly inode: bigint;
  readonly source: FileSource;
  /** The next byte to read. */
  at: number;
  /** The line not yet ended, and what is read of it. */
  line: Position;
  half: Uint8Array[];
  /** The bytes before `at`: other ones there mean that the file was written anew. */
  before: Uint8Array;
}

/** One look at the file: everything that happened since the last one. */
function* look(follower: Follower): Generator<FollowEvent> {
  const there = identify(follower.file);
  const before = follower.reading;
  if (before !== undefined && !('inode' in there && there.inode === before.inode)) {
    // It was renamed or removed; its writer may have added to it until then.
    yield* drain(follower, before);
    yield* tornEnd(follower, before);
    leave(follower);
  }
  if (follower.reading === undefined) {
    const next = 'kind' in there ? there : begin(follower);
    if ('kind' in next) {
      yield* tellMissing(follower, next);
      return;
    }
    yield* tellStart(follower, next, before !== undefined);
  }
  if (follower.reading !== undefined) yield* grow(follower, follower.reading);
}

function identify(file: string): { readonly inode: bigint } | Problem {
  try {
    const identity = identityAt(file);
    if (identity?.isFile()) return { inode: identity.ino };
    const next = 'Following goes on when it appears.';
    if (identity !== undefined) return { kind: 'not-a-file', what: 'it is not a file', where: file, next };
    return { kind: 'missing', what: 'the file is not there', where: file, next, code: 'ENOENT' };
  } catch (error) {
    return toProblem(error, file);
  }
}

function begin({ file, from }: Follower): Reading | Problem {
  try {
    const fd = openFile(file);
    const inode = identityOf(fd).ino;
    const before = bytesBefore(fd, from.offset, KNOWN_BYTES);
    return { fd, inode, source: fileSource(file, inode), at: from.offset, line: from, half: [], before };
  } catch (error) {
    return toProblem(error, file);
  }
}

/** Told once, not at every look. */
function* tellMissing(follower: Follower, problem: Problem): Generator<FollowEvent> {
  if (follower.missing?.what === problem.what) return;
  follower.missing = problem;
  follower.from = FILE_START;
  follower.wake.renew();
  yield { type: 'missing', problem };
}

function* tellStart(follower: Follower, reading: Reading, replaced: boolean): Generator<FollowEvent> {
  const appeared = follower.missing !== undefined;
  follower.reading = reading;
  follower.from = FILE_START;
  follower.missing = undefined;
  if (appeared || replaced) follower.wake.renew();
  if (replaced) yield { type: 'replaced' };
  else if (appeared) yield { type: 'appeared' };
}

function* grow(follower: Follower, reading: Reading): Generator<FollowEvent> {
  const bytes = sizeOf(reading);
  if (bytes < reading.at || (bytes > reading.at && isRewritten(reading))) {
    yield* tornEnd(follower, reading);
    Object.assign(reading, { at: 0, line: FILE_START, half: [], before: NOTHING });
    yield { type: 'truncated', bytes };
  }
  yield* drain(follower, reading);
}

/** Truncated and written past our place between two looks: the size alone does not tell. */
function isRewritten({ fd, at, before }: Reading): boolean {
  return Buffer.compare(bytesBefore(fd, at, before.length), before) !== 0;
}

/** Enough to hold a uuid or a timestamp as a rule. */
const KNOWN_BYTES = 256;
const NOTHING = new Uint8Array(0);

function sizeOf(reading: Reading): number {
  return Number(identityOf(reading.fd).size);
}

/** Reads to the end as it stands now; what comes later wakes us again. */
function* drain(follower: Follower, reading: Reading): Generator<FollowEvent> {
  const end = sizeOf(reading);
  while (reading.at < end) {
    const room = follower.buffer.subarray(0, Math.min(follower.buffer.length, end - reading.at));
    const got = readAt(reading.fd, room, reading.at);
    if (got === 0) return;
    const bytes = room.subarray(0, got);
    reading.at += got;
    reading.before = new Uint8Array(concat([reading.before, bytes.subarray(-KNOWN_BYTES)]).subarray(-KNOWN_BYTES));
    const entries = take(reading, bytes);
    if (entries.length > 0) yield { type: 'entries', entries, next: reading.line };
    // The buffer is filled again: entries kept from now on read from the file.
    reading.source.hold(undefined);
  }
}

/** The entries that these bytes complete; the half line after them is kept for later. */
function take(reading: Reading, bytes: Uint8Array): Entry[] {
  if (!bytes.includes(10)) {
    reading.half.push(new Uint8Array(bytes));
    return [];
  }
  const block = reading.half.length > 0 ? Buffer.from(concat([...reading.half, bytes])) : bytes;
  reading.half = [];
  reading.source.hold(block, reading.line.offset);
  const entries: Entry[] = [];
  for (const { line, bytes: text } of splitLines([block], reading.line)) {
    if (line.terminated) {
      entries.push(toEntry(reading.source, line, text));
      reading.line = { offset: line.end + 1, number: line.number + 1 };
    } else reading.half = [text];
  }
  return entries;
}

function* tornEnd(follower: Follower, reading: Reading): Generator<FollowEvent> {
  if (!follower.torn || reading.half.length === 0) return;
  const bytes = concat(reading.half);
  const { offset, number } = reading.line;
  const line = { number, start: offset, end: offset + bytes.length, terminated: false };
  reading.source.hold(bytes, offset);
  yield { type: 'torn', entry: toEntry(reading.source, line, bytes) };
  reading.source.hold(undefined);
}

function leave(follower: Follower): void {
  if (follower.reading === undefined) return;
  closeFile(follower.reading.fd);
  follower.reading.source.hold(undefined);
  follower.reading.source.close();
  follower.reading = undefined;
}
