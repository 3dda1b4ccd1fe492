/**
 * Takes one file into the archive, step by step. A step starts from what the tables say and from nothing else, so a
 * killed process, another one at work and a file that grows meanwhile are all the same to it: the next step goes on.
 */
import { DiskError, type Problem, toProblem } from '../../disk/errors.ts';
import {
  type ArchivedFile,
  addFile,
  dropFile,
  dropVersion,
  type FileKey,
  findFile,
  findVersion,
  saveVersion,
  setCurrent,
  setSession,
  type Version,
  versionOf,
  versionsOf,
} from '../files.ts';
import { isForgottenNow } from '../forget/tombstones.ts';
import { createDigest, type Digest, FIRST_LINK, lastBlock } from '../pieces/digest.ts';
import type { PieceWriter } from '../pieces/packs.ts';
import { BLOCK, splitPieces } from '../pieces/split.ts';
import { isMasked, type SourceState, sourceOf } from '../scrub/scrubs.ts';
import { type Database, insert, NO_BYTES } from '../sqlite.ts';
import type { FollowedFile } from './alongside.ts';
import { noteImported, saveIdentity, wasOnlyImported, wasReplaced } from './identity.ts';
import { chunksOf, type Input } from './input.ts';
import { isWhole, mendLines, mendVersion } from './mend.ts';
import { createPieceTaker } from './piecetaker.ts';
import { beginningOf, dropSeen, type SeenState, saveSeen, scrubbedCopy, seenOf } from './seen.ts';

/** unchanged: nothing written · touched: the same bytes, another mtime · rewritten: a new version, the old one kept. */
export type Outcome = 'unchanged' | 'touched' | 'added' | 'appended' | 'rewritten';

export interface Step {
  readonly outcome: Outcome;
  /** Bytes taken. */
  readonly bytes: number;
  readonly done: boolean;
  /** What was archived of the file before is scrubbed, or something of it was elsewhere; this is not. */
  readonly unscrubbed?: boolean;
  /** Lines that were scrubbed elsewhere are masked here too. */
  readonly masked?: boolean;
  /** What was stored of it was damaged, and is whole now. */
  readonly mended?: boolean;
  /** Reading ended early; what was read before is taken. */
  readonly problem?: Problem;
}

export interface IngestOptions {
  /** Compare every byte of what was archived before, not only its end, and what is stored of it. */
  readonly full?: boolean;
  /** It comes with another archive, not from the disk. */
  readonly imported?: boolean;
  /** Asked for a file that is new, or of which it is not known yet. */
  readonly session?: () => string | undefined;
  /** Sees the lines that are taken. */
  readonly follow?: FollowedFile;
}

/** A multiple of the block's size, so that files cut into blocks stop between two. */
const STEP_BYTES = 16 * BLOCK;

/** Transcripts and the history of prompts only ever grow (L5); other files are written anew. */
export function modeOf(name: string): 'lines' | 'blocks' {
  return name.endsWith('.jsonl') ? 'lines' : 'blocks';
}

/** Call it inside a transaction until it is done. */
export function ingestStep(
  db: Database,
  pieces: PieceWriter,
  key: FileKey,
  input: Input,
  options: IngestOptions = {},
): Step {
  const file = findFile(db, key);
  const before = file?.current === undefined ? undefined : findVersion(db, file.current);
  // One that is known belongs to its session from the first line on that says so.
  const session = file === undefined || file.session !== undefined ? undefined : options.session?.();
  if (file === undefined || session !== undefined) {
    const isForgotten = isForgottenNow(db, { ...key, session: () => session ?? options.session?.() });
    if (isForgotten) return { outcome: 'unchanged', bytes: 0, done: true };
  }
  if (file !== undefined && session !== undefined) setSession(db, file.id, session);
  if (file === undefined || before === undefined)
    return { ...takeNew(db, pieces, key, input, file, options), outcome: 'added' };
  const ingesting: Ingesting = { db, pieces, key, input, file, before, options };
  const seen = options.imported ? undefined : seenOf(db, file.id);
  if (seen === undefined) return ingestKnown(ingesting);
  return ingestSeen(ingesting, seen) ?? ingestKnown(ingesting);
}

interface Ingesting {
  readonly db: Database;
  readonly pieces: PieceWriter;
  readonly key: FileKey;
  readonly input: Input;
  readonly file: ArchivedFile;
  /** Its present state as far as it is known. */
  readonly before: Version;
  readonly options: IngestOptions;
}

/** A file whose present state was its source's. */
function ingestKnown(ingesting: Ingesting): Step {
  const { db, pieces, key, input, file, before, options } = ingesting;
  const source = sourceOf(db, before);
  const same = source.size === input.size && file.mtimeMs === input.mtimeMs;
  if (same && !options.full) return { outcome: 'unchanged', bytes: 0, done: true };
  const full = options.full === true || wasReplaced(db, file.id, input.identity);
  if (goesOn(source, input, modeOf(key.name), full)) {
    const mended = options.full === true && mend(db, pieces, key, before, input);
    if (source.size < input.size) {
      const taken = take(db, pieces, key, mended ? versionOf(db, before.id) : before, input, options);
      return { ...taken, outcome: 'appended', unscrubbed: taken.unscrubbed || isMasked(db, before.id), mended };
    }
    if (same) return { outcome: 'unchanged', bytes: 0, done: true, mended };
    return { ...touch(ingesting, before), mended };
  }
  const known = scrubbedBeginning(db, file.id, input, modeOf(key.name));
  if (known !== undefined) {
    setCurrent(db, file.id, known.id, -1);
    return ingestStep(db, pieces, key, input, { ...options, full: true });
  }
  const kept = options.imported ? undefined : keptAlready(ingesting);
  if (kept !== undefined) {
    saveSeen(db, file.id, kept.seen);
    return touch(ingesting, kept.version);
  }
  return takeAnother(ingesting, 'rewritten');
}

/** A file that was last seen in another state than the one that is kept; undefined when it is that no more. */
function ingestSeen(ingesting: Ingesting, seen: SeenState): Step | undefined {
  const { db, pieces, key, input, file, before, options } = ingesting;
  const same = seen.size === input.size && file.mtimeMs === input.mtimeMs;
  if (same && !options.full) return { outcome: 'unchanged', bytes: 0, done: true };
  const mode = modeOf(key.name);
  const goesOnSeen = goesOn(seen, input, mode, options.full === true || wasReplaced(db, file.id, input.identity));
  if (goesOnSeen && seen.size === input.size) {
    const mended = options.full === true && mend(db, pieces, key, before, input, { linesOnly: true });
    return same ? { outcome: 'unchanged', bytes: 0, done: true, mended } : { ...touch(ingesting, before), mended };
  }
  const beginning = goesOnSeen ? beginningOf(db, before, input) : undefined;
  // It came nearer to what is kept, without being it yet.
  if (beginning !== undefined && beginning.size < before.size) {
    saveSeen(db, file.id, beginning);
    return touch(ingesting, before);
  }
  dropSeen(db, file.id);
  if (!goesOnSeen || goesOn(sourceOf(db, before), input, mode, true)) return undefined;
  return takeAnother(ingesting, 'appended');
}

/** A version beside the one there is. */
function takeAnother({ db, pieces, key, input, file, before, options }: Ingesting, outcome: Outcome): Step {
  const wasMasked = isMasked(db, before.id);
  const taken = takeNew(db, pieces, key, input, file, options);
  return { ...taken, outcome, unscrubbed: taken.unscrubbed || wasMasked };
}

/** The same bytes, another time. */
function touch({ db, file, input }: Ingesting, version: Version): Step {
  setCurrent(db, file.id, version.id, input.mtimeMs);
  saveIdentity(db, file.id, input.identity);
  return { outcome: 'touched', bytes: 0, done: true };
}

/** The scrubbed copy of it took its place, or all that was known of it came with another archive, which has more of it. */
function keptAlready({ db, file, before, input }: Ingesting): { version: Version; seen: SeenState } | undefined {
  const copy = scrubbedCopy(db, file.id, input);
  if (copy !== undefined) return { version: copy, seen: copy };
  const seen = wasOnlyImported(db, file.id) ? beginningOf(db, before, input) : undefined;
  return seen && { version: before, seen };
}

/** What is stored may be damaged although its digest, which was just compared, is not. */
function mend(
  db: Database,
  pieces: PieceWriter,
  key: FileKey,
  version: Version,
  input: Input,
  { linesOnly = sourceOf(db, version).scrubbed } = {},
): boolean {
  if (isWhole(db, version)) return false;
  const mending = { db, pieces, mode: modeOf(key.name) };
  return linesOnly ? mendLines(mending, version, input) : mendVersion(mending, version, input);
}

/** A version that was scrubbed and now is the source's beginning again: what was masked must not come back as another version. */
function scrubbedBeginning(db: Database, file: number, input: Input, mode: 'lines' | 'blocks'): Version | undefined {
  return versionsOf(db, file).find((version) => {
    const source = sourceOf(db, version);
    return source.scrubbed && goesOn(source, input, mode, true);
  });
}

function takeNew(
  db: Database,
  pieces: PieceWriter,
  key: FileKey,
  input: Input,
  file: ArchivedFile | undefined,
  options: IngestOptions,
): Omit<Step, 'outcome'> {
  const id = file?.id ?? addFile(db, key, options.session?.());
  if (file === undefined && options.imported) noteImported(db, id);
  const version = newVersion(db, id);
  const taken = take(db, pieces, key, version, input, options);
  if (taken.problem !== undefined && taken.bytes === 0) {
    // Not one byte could be read: that is not an empty file.
    dropVersion(db, version.id);
    if (file === undefined) dropFile(db, id);
  }
  return taken;
}

/** Whether the input still begins with what was archived of it. */
function goesOn(before: SeenState, input: Input, mode: 'lines' | 'blocks', full: boolean): boolean {
  if (before.size > input.size) return false;
  // The last block of such a file is a piece although it is not full: nothing can follow it.
  if (mode === 'blocks' && before.size < input.size && before.size % BLOCK !== 0) return false;
  const whole = full || before.size === input.size;
  const digest = createDigest(whole ? FIRST_LINK : { chain: before.chain, at: lastBlock(before.size) });
  for (const chunk of chunksOf(input, digest.size(), before.size)) digest.update(chunk);
  return digest.value().equals(before.digest);
}

function newVersion(db: Database, file: number): Version {
  const { chain } = FIRST_LINK;
  const digest = createDigest().value();
  const sql = 'INSERT INTO version (file, size, mtime, chain, digest, tail) VALUES (?, 0, 0, ?, ?, ?)';
  const id = insert(db, sql, file, chain, digest, NO_BYTES);
  return { id, file, size: 0, mtimeMs: 0, chain: Buffer.from(chain), digest, tail: NO_BYTES };
}

/** Takes what follows the version's end, as much as one step does. */
function take(
  db: Database,
  pieces: PieceWriter,
  key: FileKey,
  version: Version,
  input: Input,
  { follow, imported = false }: IngestOptions,
): Omit<Step, 'outcome'> {
  const mode = modeOf(key.name);
  const source = sourceOf(db, version);
  const taker = createPieceTaker({ db, pieces, key, version, follow });
  const splitter = splitPieces(mode, taker.add);
  const start = source.size - source.tail;
  const end = Math.min(input.size, start + STEP_BYTES);
  follow?.from(start, version.file);
  const { digest, problem } = feed(input, source, start, end, (chunk) => splitter.push(chunk));
  const reached = digest.size();
  // It became shorter since it was opened, or cannot be read: the version stays as it was, the next sync looks again.
  if (reached < source.size || (problem && reached === source.size)) return { bytes: 0, done: true, problem };
  const isEnd = end === input.size || reached < end;
  const rest = splitter.rest();
  if (mode === 'blocks' && isEnd && rest.length > 0) taker.add(rest);
  const tail = mode === 'lines' && rest.length > 0 ? rest : NO_BYTES;
  const state = taker.save(digest, tail);
  saveVersion(db, { ...version, ...state, mtimeMs: input.mtimeMs, tail });
  setCurrent(db, version.file, version.id, isEnd ? input.mtimeMs : -1);
  saveIdentity(db, version.file, input.identity);
  if (isEnd) {
    forgetTwin(db, version, imported);
    follow?.end({ ...state, id: version.file }, tail);
  }
  const [masked, unscrubbed] = [taker.masked(), taker.unscrubbed()];
  return { bytes: reached - source.size, done: isEnd, masked, unscrubbed, problem };
}

/** Reads once what both need: the digest from its last block on, the splitter from the end of the last whole piece. */
function feed(
  input: Input,
  source: SourceState,
  start: number,
  end: number,
  push: (chunk: Buffer) => void,
): { digest: Digest; problem?: Problem } {
  const block = lastBlock(source.size);
  const digest = createDigest({ chain: source.chain, at: block });
  let at = Math.min(block, start);
  try {
    for (const chunk of chunksOf(input, at, end)) {
      digest.update(chunk.subarray(Math.max(0, block - at)));
      const from = Math.max(0, start - at);
      if (from < chunk.length) push(chunk.subarray(from));
      at += chunk.length;
    }
    return { digest };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return { digest, problem: toProblem(error, error.where) };
  }
}

/** A file that is as it once was needs no second version of that. Its source may be another one, which was masked alike. */
function forgetTwin(db: Database, { id, file }: Version, imported: boolean): void {
  const versions = versionsOf(db, file);
  const own = versions.find((version) => version.id === id);
  const twin = versions.find((each) => each.id !== id && each.size === own?.size && own.digest.equals(each.digest));
  if (own === undefined || twin === undefined) return;
  setCurrent(db, file, twin.id, own.mtimeMs);
  const source = sourceOf(db, own);
  if (!imported && !source.digest.equals(sourceOf(db, twin).digest)) saveSeen(db, file, source);
  dropVersion(db, id);
}
