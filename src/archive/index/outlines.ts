/** Outlines of archived sessions, kept by what the session holds: a list then opens no session whose bytes the archive knows. */
import { parseJson } from '../../format/json.ts';
import type { Outline } from '../../graph/outline.ts';
import { nodeZlib } from '../builtins.ts';
import { blobOf, type Database, get, maybeText } from '../sqlite.ts';
import type { Archive } from '../store.ts';
import { openIndexForReading, quietly } from './derived.ts';
import { toOutline } from './outlinejson.ts';

export interface Outlines {
  find(digest: Buffer): Outline | undefined;
  /** When something was last said, without the rest. */
  updatedOf(digest: Buffer): string | undefined;
}

/** What is kept, to read; nothing where there is none, or none of this layout. */
export function openOutlines(archive: Archive): Outlines | undefined {
  const index = quietly(() => openIndexForReading(archive));
  if (index === undefined) return undefined;
  const { db } = index;
  return {
    find: (digest) => quietly(() => outlineIn(db, digest)),
    updatedOf: (digest) =>
      quietly(() => maybeText(get(db, 'SELECT updated FROM outline WHERE digest = ?', digest), 'updated')),
  };
}

export function outlineIn(db: Database, digest: Buffer): Outline | undefined {
  const row = get(db, 'SELECT body FROM outline WHERE digest = ?', digest);
  return row && toOutline(parseJson(nodeZlib().zstdDecompressSync(blobOf(row, 'body')).toString('utf8')));
}
