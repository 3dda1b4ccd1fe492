/**
 * What the archive took since its index was made, as the hook takes each turn. The transcripts that it was taken from are read anyway,
 * since they are not as they were then: the index can tell as long as all of it stands there.
 */
import { versionOf } from '../files.ts';
import { all, type Database, maybeNumber, numberOf, textOf } from '../sqlite.ts';
import { pathOf } from '../sync/sources.ts';
import { type Compared, placeKey } from './fresh.ts';
import { stateNow, stateOf } from './lastwalk.ts';
import { onlyGrew } from './standing.ts';

/** The states of files that have pieces from one on. A run that begins before it reaches it only if it is as long as that. */
const HOLDING = `SELECT DISTINCT version.id AS version, file.current, file.id, file.root AS rootId, root.path AS root, file.name FROM run
  JOIN version ON version.id = run.version JOIN file ON file.id = version.file JOIN root ON root.id = file.root
  WHERE run.first > ? - (SELECT max(count) FROM run) AND run.first + run.count > ? AND file.kind IN ('session', 'agent')`;

/** Whether the transcripts that have been compared with the disk have all pieces from `next` on that are wanted. */
export function standsOnDisk(
  db: Database,
  next: number,
  { sizes }: Pick<Compared, 'sizes'>,
  wanted: ReadonlySet<number> | undefined,
): boolean {
  return all(db, HOLDING, next, next).every((row) => {
    if (wanted !== undefined && !wanted.has(numberOf(row, 'id'))) return true;
    const place = { root: textOf(row, 'root'), name: textOf(row, 'name') };
    const bytes = sizes.get(placeKey(place.root, place.name));
    const id = numberOf(row, 'version');
    // A file that only grew has one state.
    if (bytes === undefined || id !== maybeNumber(row, 'current')) return false;
    const path = pathOf(place);
    if (isAsArchived(db, numberOf(row, 'rootId'), place.name, path)) return true;
    const version = versionOf(db, id);
    return bytes >= version.size && onlyGrew(db, path, version);
  });
}

function isAsArchived(db: Database, root: number, name: string, path: string): boolean {
  const archived = stateOf(db, root, name);
  return archived !== undefined && stateNow(path, archived) !== undefined;
}
