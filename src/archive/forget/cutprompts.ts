/** Takes what was typed into forgotten sessions out of the archived histories of prompts. */
import { ArchiveError } from '../errors.ts';
import { type ArchivedFile, allFiles, type Version, versionsOf } from '../files.ts';
import { createPieceReader, createPieceWriter } from '../pieces/packs.ts';
import { storedLines } from '../pieces/storedlines.ts';
import { type Rewriting, rewrite } from '../scrub/rewrite.ts';
import { type Database, NO_BYTES } from '../sqlite.ts';
import { atOnce } from '../turns.ts';
import { forgottenPrompts } from './forgottenprompts.ts';

export interface CutPrompts {
  /** Lines, of all versions. */
  readonly prompts: number;
  /** Versions that could not be read. */
  readonly unreadable: number;
}

/** Inside the transaction that forgets. */
export function cutPrompts(db: Database, now: Date): CutPrompts {
  const whose = forgottenPrompts(db);
  let prompts = 0;
  let unreadable = 0;
  if (whose === undefined) return { prompts, unreadable };
  const isForgotten = (raw: Buffer) => raw.length > 0 && whose(raw) !== undefined;
  const pieces = createPieceWriter(db);
  const cut = (file: ArchivedFile, version: Version) => {
    const reader = createPieceReader(db);
    const hits = new Set<number>();
    for (const { raw, pieces: own } of storedLines(db, version, file.name, reader))
      if (isForgotten(raw)) for (const { id } of own) hits.add(id);
    const tail = isForgotten(version.tail) ? NO_BYTES : version.tail;
    if (hits.size === 0 && tail === version.tail) return 0;
    const mask = (raw: Buffer) => (isForgotten(raw) ? NO_BYTES : raw);
    const work: Rewriting = { db, mask, reader, pieces, hits, at: now.toISOString() };
    return atOnce(rewrite(work, file, version, tail));
  };
  for (const file of allFiles(db).filter(({ kind }) => kind === 'history')) {
    for (const version of versionsOf(db, file.id)) {
      try {
        prompts += cut(file, version);
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        unreadable += 1;
      }
    }
  }
  pieces.flush();
  return { prompts, unreadable };
}
