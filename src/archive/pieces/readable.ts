/** How much of a version is still what was archived. */

import { ArchiveError, damaged } from '../errors.ts';
import type { Version } from '../files.ts';
import type { Database } from '../sqlite.ts';
import { isOwn } from '../sync/mender.ts';
import type { Work } from '../turns.ts';
import { createDigest, type Digest } from './digest.ts';
import { createPieceReader, type PieceReader } from './packs.ts';
import { bytesOfVersion } from './read.ts';

export type Readable = Pick<Version, 'size' | 'digest'> & { readonly fault?: string };

/** All of it, or what lies before the first piece that is damaged. */
export function* readableOf(db: Database, version: Version): Work<Readable> {
  const digest = createDigest();
  const fault = yield* digested(digest, bytesOfVersion(db, version));
  if (fault === undefined && digest.size() === version.size && digest.value().equals(version.digest)) return version;
  const sound = createDigest();
  const broken = yield* digested(sound, bytesOfVersion(db, version, checkingReader(db)));
  if (broken !== undefined) return { size: sound.size(), digest: sound.value(), fault: broken };
  // Every piece is sound: what they were put together by is not.
  return { size: 0, digest: createDigest().value(), fault: 'its bytes are not those that were archived' };
}

/** What is wrong, where the bytes end before their time. */
function* digested(digest: Digest, bytes: Iterable<Buffer>): Work<string | undefined> {
  try {
    for (const part of bytes) {
      digest.update(part);
      yield;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return error.message;
  }
}

function checkingReader(db: Database): PieceReader {
  const reader = createPieceReader(db);
  return {
    piece(id) {
      const bytes = reader.piece(id);
      if (!isOwn(db, id, bytes)) throw damaged(`piece ${id}`, 'its bytes do not fit its address');
      return bytes;
    },
  };
}
