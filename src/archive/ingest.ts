/**
 * Takes one file into the archive, step by step. A step starts from what the tables say and from nothing else, so a
 * killed process, another one at work and a file that grows meanwhile are all the same to it: the next step goes on.
 */
import { DiskError, type Problem, toProblem } from '../disk/errors.ts';
import { createDigest, type Digest, FIRST_LINK, lastBlock } from './digest.ts';
import {
  type ArchivedFile,
  addFile,
  dropFile,
  dropVersion,
  type FileKey,
  findFile,
  saveVersion,
  setCurrent,
  type Version,
  versionOf,
  versionsOf,
} from './files.ts';
import { chunksOf, type Input } from './input.ts';
import type { PieceWriter } from './packs.ts';
import { createRunWriter } from './runs.ts';
import { BLOCK, splitPieces } from './split.ts';
import { type Database, insert } from './sqlite.ts';

/** unchanged: nothing written · touched: the same bytes, another mtime · rewritten: a new version, the old one kept. */
export type Outcome = 'unchanged' | 'touched' | 'added' | 'appended' | 'rewritten';

export interface Step {
  readonly outcome: Outcome;
  /** Bytes taken. */
  readonly bytes: number;
  readonly done: boolean;
  /** Reading ended early; what was read before is taken. */
  readonly problem?: Problem;
}

export interface IngestOptions {
  /** Compare every byte of what was archived before, not only its end. */
  readonly full?: boolean;
  /** Asked for a file that is new. */
  readonly session?: () => string | undefined;
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
  const before = file?.current === undefined ? undefined : versionOf(db, file.current);
  if (file !== undefined && before !== undefined) {
    const same = before.size === input.size && file.mtimeMs === input.mtimeMs;
    if (same && !options.full) return { outcome: 'unchanged', bytes: 0, done: true };
    if (goesOn(before, input, modeOf(key.name), options.full === true)) {
      if (before.size < input.size) return { ...take(db, pieces, key, before, input), outcome: 'appended' };
      if (same) return { outcome: 'unchanged', bytes: 0, done: true };
      setCurrent(db, file.id, before.id, input.mtimeMs);
      return { outcome: 'touched', bytes: 0, done: true };
    }
  }
  return { ...takeNew(db, pieces, key, input, file, options), outcome: before === undefined ? 'added' : 'rewritten' };
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
  const version = newVersion(db, id);
  const taken = take(db, pieces, key, version, input);
  if (taken.problem !== undefined && taken.bytes === 0) {
    // Not one byte could be read: that is not an empty file.
    dropVersion(db, version.id);
    if (file === undefined) dropFile(db, id);
  }
  return taken;
}

/** Whether the input still begins with what was archived of it. */
function goesOn(before: Version, input: Input, mode: 'lines' | 'blocks', full: boolean): boolean {
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
  const empty = Buffer.alloc(0);
  const sql = 'INSERT INTO version (file, size, mtime, chain, digest, tail) VALUES (?, 0, 0, ?, ?, ?)';
  const id = insert(db, sql, file, chain, digest, empty);
  return { id, file, size: 0, mtimeMs: 0, chain: Buffer.from(chain), digest, tail: empty };
}

/** Takes what follows the version's end, as much as one step does. */
function take(db: Database, pieces: PieceWriter, key: FileKey, version: Version, input: Input): Omit<Step, 'outcome'> {
  const mode = modeOf(key.name);
  const runs = createRunWriter(db, version.id);
  const store = (raw: Buffer) => {
    const { id, param } = pieces.put(raw);
    runs.add(id, param);
  };
  const splitter = splitPieces(mode, store);
  const start = version.size - version.tail.length;
  const end = Math.min(input.size, start + STEP_BYTES);
  const { digest, problem } = feed(input, version, start, end, (chunk) => splitter.push(chunk));
  const reached = digest.size();
  // It became shorter since it was opened, or cannot be read: the version stays as it was, the next sync looks again.
  if (reached < version.size || (problem && reached === version.size)) return { bytes: 0, done: true, problem };
  const isEnd = end === input.size || reached < end;
  const rest = splitter.rest();
  if (mode === 'blocks' && isEnd && rest.length > 0) store(rest);
  runs.save();
  const tail = mode === 'lines' ? rest : Buffer.alloc(0);
  const { chain } = digest.link();
  const mtimeMs = input.mtimeMs;
  saveVersion(db, { ...version, size: reached, mtimeMs, chain: Buffer.from(chain), digest: digest.value(), tail });
  setCurrent(db, version.file, version.id, isEnd ? mtimeMs : -1);
  if (isEnd) forgetTwin(db, version);
  return { bytes: reached - version.size, done: isEnd, problem };
}

/** Reads once what both need: the digest from its last block on, the splitter from the end of the last whole piece. */
function feed(
  input: Input,
  version: Version,
  start: number,
  end: number,
  push: (chunk: Buffer) => void,
): { digest: Digest; problem?: Problem } {
  const block = lastBlock(version.size);
  const digest = createDigest({ chain: version.chain, at: block });
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

/** A file that is as it once was needs no second version of that. */
function forgetTwin(db: Database, { id, file }: Version): void {
  const versions = versionsOf(db, file);
  const own = versions.find((version) => version.id === id);
  const twin = versions.find((each) => each.id !== id && each.size === own?.size && own.digest.equals(each.digest));
  if (own === undefined || twin === undefined) return;
  setCurrent(db, file, twin.id, own.mtimeMs);
  dropVersion(db, id);
}
