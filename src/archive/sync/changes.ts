/** Which sources must be looked at: decided by one walk over the disk and one over the tables, no file is opened. */

import { forgottenNames } from '../forget/tombstones.ts';
import type { Database } from '../sqlite.ts';
import { archiveId } from '../store.ts';
import { knownSources } from './known.ts';
import type { SourceFile } from './sources.ts';

export interface Changes {
  /** New or changed, as far as size and mtime tell; of transcripts the oldest first: it holds the original of what others repeat (H1). */
  readonly files: readonly SourceFile[];
  readonly unchanged: number;
  /** Left out, because a person had them forgotten. */
  readonly forgotten: number;
}

export function changesIn(db: Database, sources: readonly SourceFile[], full: boolean): Changes {
  const known = knownSources(db);
  const left = full ? sources : sources.filter((file) => !known.isArchived(file));
  const isForgotten = forgottenHere(db);
  const files = left.filter((file) => !isForgotten(file)).toSorted(byAge);
  return { files, unchanged: sources.length - left.length, forgotten: left.length - files.length };
}

/** What belongs to transcripts comes after them, as it was found. */
function byAge(a: SourceFile, b: SourceFile): number {
  const [isFirst, isSecond] = [isTranscript(a), isTranscript(b)];
  if (isFirst !== isSecond) return isFirst ? -1 : 1;
  return isFirst ? a.mtimeMs - b.mtimeMs : 0;
}

function isTranscript({ kind }: SourceFile): boolean {
  return kind === 'session' || kind === 'agent';
}

/** Of the files of this machine. */
export function forgottenHere(db: Database): (file: SourceFile) => boolean {
  const isForgotten = forgottenNames(db);
  const origin = archiveId(db);
  return ({ root, name, session }) => isForgotten({ origin, root, name, session });
}
