/** Stores what a version gets of its source: as it is, but for what was scrubbed or forgotten before. */

import type { FileKey, Version } from '../files.ts';
import { forgottenPrompts } from '../forget/forgottenprompts.ts';
import { createDigest, type Digest } from '../pieces/digest.ts';
import type { PieceWriter } from '../pieces/packs.ts';
import { bytesOfVersion } from '../pieces/read.ts';
import { createRunWriter } from '../pieces/runs.ts';
import { maskedLines } from '../scrub/masked.ts';
import { isMasked, saveCut, saveScrub, scrubbedAt } from '../scrub/scrubs.ts';
import { type Database, NO_BYTES } from '../sqlite.ts';
import type { FollowedFile } from './alongside.ts';
import { type SeenState, stateOf } from './seen.ts';

export interface PieceTaker {
  add(raw: Buffer): void;
  /** All that was added is stored; `tail` is the torn end. What the version is now, given the digest of its source. */
  save(digest: Digest, tail: Buffer): SeenState;
  /** Lines were masked, as a scrub had them before. */
  masked(): boolean;
  /** Something that was scrubbed before could not be masked by itself. */
  unscrubbed(): boolean;
}

export interface TakerQuery {
  readonly db: Database;
  readonly pieces: PieceWriter;
  readonly key: FileKey;
  readonly version: Version;
  readonly follow: FollowedFile | undefined;
}

export function createPieceTaker({ db, pieces, key, version, follow }: TakerQuery): PieceTaker {
  const runs = createRunWriter(db, version.id);
  const maskedAs = maskedLines(db);
  const isForgotten = key.kind === 'history' ? forgottenPrompts(db) : undefined;
  let at = scrubbedAt(db, version.id);
  const wasMasked = at !== undefined && isMasked(db, version.id);
  // What is kept of the source is other bytes: they are read again.
  let own = at === undefined ? undefined : digestOfPieces(db, version);
  let masked = false;
  let unscrubbed = false;

  /** From here on what is kept is not what the source has. */
  function part(when: string): void {
    at ??= when;
    if (own !== undefined) return;
    runs.save();
    pieces.flush();
    own = digestOfPieces(db, version);
    // A place in the one is none in the other: the outline is made of what is kept, afterwards.
    follow?.from(-1, version.file);
  }

  /** Nothing for a line that is left out. */
  function kept(raw: Buffer): Buffer {
    const when = isForgotten?.(raw);
    if (when !== undefined) {
      part(when);
      return NO_BYTES;
    }
    const other = maskedAs?.(raw);
    if (other === undefined) return raw;
    if (other.bytes === undefined) {
      unscrubbed = true;
      return raw;
    }
    part(other.at);
    masked = true;
    return other.bytes;
  }

  return {
    add(raw) {
      const bytes = kept(raw);
      if (bytes.length === 0) return;
      const put = pieces.put(bytes);
      runs.add(put.id, put.param);
      own?.update(bytes);
      follow?.add(bytes, put);
    },
    save(digest, tail) {
      runs.save();
      if (own === undefined || at === undefined) return stateOf(digest);
      own.update(tail);
      saveScrub(db, version.id, at, { ...stateOf(digest), tail: tail.length });
      if (!masked && !wasMasked) saveCut(db, version.id);
      return stateOf(own);
    },
    masked: () => masked,
    unscrubbed: () => unscrubbed,
  };
}

/** Without the torn end. */
function digestOfPieces(db: Database, version: Version): Digest {
  const digest = createDigest();
  for (const bytes of bytesOfVersion(db, { ...version, tail: NO_BYTES })) digest.update(bytes);
  return digest;
}
