/**
 * What a source looked like when it was last read, where that is not what is kept as its present state: the scrubbed copy itself,
 * put in its place, or the beginning of a longer state that came with another archive. It is a state the archive has already.
 */

import { ArchiveError } from '../errors.ts';
import { type Version, versionsOf } from '../files.ts';
import { createDigest, type Digest } from '../pieces/digest.ts';
import { archivedInput } from '../pieces/read.ts';
import { sourceOf } from '../scrub/scrubs.ts';
import { blobOf, type Database, get, numberOf, run } from '../sqlite.ts';
import { chunksOf, type Input } from './input.ts';

/** As far as it must be known to see whether the source changed. */
export type SeenState = Pick<Version, 'size' | 'chain' | 'digest'>;

export function seenOf(db: Database, file: number): SeenState | undefined {
  const row = get(db, 'SELECT size, chain, digest FROM seen WHERE file = ?', file);
  return row && { size: numberOf(row, 'size'), chain: blobOf(row, 'chain'), digest: blobOf(row, 'digest') };
}

export function saveSeen(db: Database, file: number, { size, chain, digest }: SeenState): void {
  run(db, 'INSERT OR REPLACE INTO seen (file, size, chain, digest) VALUES (?, ?, ?, ?)', file, size, chain, digest);
}

/** The source is again what is kept as its present state. */
export function dropSeen(db: Database, file: number): void {
  run(db, 'DELETE FROM seen WHERE file = ?', file);
}

export function stateOf(digest: Digest): SeenState {
  return { size: digest.size(), chain: Buffer.from(digest.link().chain), digest: digest.value() };
}

/** A version whose scrubbed bytes are just those of the input. */
export function scrubbedCopy(db: Database, file: number, input: Input): Version | undefined {
  const fits = (version: Version) => version.size === input.size && sourceOf(db, version).scrubbed;
  const versions = versionsOf(db, file).filter(fits);
  if (versions.length === 0) return undefined;
  const { digest } = stateOfInput(input);
  return versions.find((version) => version.digest.equals(digest));
}

/** The input's state, if a version, as its source had it, begins with it. */
export function beginningOf(db: Database, version: Version, input: Input): SeenState | undefined {
  if (version.size < input.size || sourceOf(db, version).scrubbed) return undefined;
  const state = stateOfInput(input);
  return startsWith(db, version, state) ? state : undefined;
}

function stateOfInput(input: Input): SeenState {
  const digest = createDigest();
  for (const chunk of chunksOf(input, 0, input.size)) digest.update(chunk);
  return stateOf(digest);
}

/** Whether a version begins with some bytes, or is the same. */
export function startsWith(
  db: Database,
  longer: Version,
  { size, digest: wanted }: Pick<Version, 'size' | 'digest'>,
): boolean {
  if (longer.size === size) return longer.digest.equals(wanted);
  if (longer.size < size) return false;
  const digest = createDigest();
  try {
    for (const chunk of chunksOf(archivedInput(db, longer), 0, size)) digest.update(chunk);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return false;
  }
  return digest.value().equals(wanted);
}
