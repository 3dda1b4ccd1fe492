/** Versions that are no longer what was archived, made whole of a source that still has their bytes. */

import { ArchiveError } from '../errors.ts';
import { saveVersion, type Version, versionOf } from '../files.ts';
import { createDigest } from '../pieces/digest.ts';
import type { PieceWriter } from '../pieces/packs.ts';
import { addressOf, toPiece } from '../pieces/piece.ts';
import { checkedBytes } from '../pieces/read.ts';
import { createRunWriter } from '../pieces/runs.ts';
import { splitPieces } from '../pieces/split.ts';
import { type Database, get, NO_BYTES } from '../sqlite.ts';
import { chunksOf, type Input } from './input.ts';

export function isWhole(db: Database, version: Version): boolean {
  try {
    for (const _ of checkedBytes(db, version));
    return true;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return false;
  }
}

export interface Mending {
  readonly db: Database;
  /** One that looks at what is stored. */
  readonly pieces: PieceWriter;
  readonly mode: 'lines' | 'blocks';
}

/** The input begins with the version's bytes. Whether it is whole now. */
export function mendVersion({ db, pieces, mode }: Mending, version: Version, input: Input): boolean {
  const runs = createRunWriter(db, version.id, { anew: true });
  const digest = createDigest();
  const store = (raw: Buffer) => {
    const { id, param } = pieces.put(raw);
    runs.add(id, param);
  };
  const splitter = splitPieces(mode, store);
  for (const chunk of chunksOf(input, 0, version.size)) {
    digest.update(chunk);
    splitter.push(chunk);
  }
  const rest = splitter.rest();
  if (mode === 'blocks' && rest.length > 0) store(rest);
  runs.save();
  const tail = mode === 'lines' && rest.length > 0 ? rest : NO_BYTES;
  saveVersion(db, { ...version, chain: Buffer.from(digest.link().chain), tail });
  pieces.flush();
  return isWhole(db, versionOf(db, version.id));
}

/** Only lines that are archived: what was scrubbed must not come back. Whether the version is whole now. */
export function mendLines({ db, pieces, mode }: Mending, version: Version, input: Input): boolean {
  const isKnown = (raw: Buffer) =>
    get(db, 'SELECT 1 FROM piece WHERE hash = ?', addressOf(toPiece(raw).bytes)) !== undefined;
  const mend = (raw: Buffer) => {
    if (isKnown(raw)) pieces.put(raw);
  };
  const splitter = splitPieces(mode, mend);
  for (const chunk of chunksOf(input, 0, input.size)) splitter.push(chunk);
  const rest = splitter.rest();
  if (rest.length > 0) mend(rest);
  pieces.flush();
  return isWhole(db, version);
}
