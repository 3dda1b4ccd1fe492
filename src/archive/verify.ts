/** Whether everything in the archive is whole: every pack, every piece by its address, every version by its digest. */
import { ArchiveError, DAMAGED, sqliteCode, toArchiveError } from './errors.ts';
import { type ArchivedFile, allFiles, type Version, versionsOf } from './files.ts';
import { piecesOf, release, toPack } from './pieces/packs.ts';
import { addressOf } from './pieces/piece.ts';
import { checkedBytes } from './pieces/read.ts';
import { countScrubbed } from './scrub/scrubs.ts';
import { type Database, each, get, maybeNumber, numberOf, textOf } from './sqlite.ts';
import { type Archive, guarded } from './store.ts';
import { atOnce, inTurns, type Work } from './turns.ts';

export interface Fault {
  readonly where: string;
  readonly what: string;
}

export interface Verified {
  readonly packs: number;
  readonly pieces: number;
  readonly files: number;
  readonly versions: number;
  /** Versions whose secrets were masked. */
  readonly scrubbed: number;
  readonly bytes: number;
  /** Ended before everything was checked. */
  readonly stopped: boolean;
  readonly faults: readonly Fault[];
}

export interface VerifyOptions {
  readonly signal?: AbortSignal;
  /** Packs are read once by themselves and once as the versions made of them. */
  readonly onBytes?: (work: { readonly bytes: number }) => void;
}

/** Reads the whole archive; changes nothing. */
export function verify(archive: Archive, options: VerifyOptions = {}): Verified {
  return guarded('cannot verify the archive', archive.path, () => atOnce(verifyAll(archive, options)));
}

/** The same, stopped by the signal between two steps. */
export async function verifyInTurns(archive: Archive, options: VerifyOptions = {}): Promise<Verified> {
  try {
    return await inTurns(verifyAll(archive, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot verify the archive', archive.path);
  }
}

function* verifyAll({ db, path }: Archive, { signal, onBytes }: VerifyOptions): Work<Verified> {
  const faults: Fault[] = [];
  caught(faults, path, () => faults.push(...checkFile(db, path)));
  const { packs, pieces } = yield* checkPacks(db, path, faults, { signal, onBytes });
  const files: ArchivedFile[] = [];
  caught(faults, path, () => files.push(...allFiles(db)));
  let versions = 0;
  let bytes = 0;
  for (const file of files) {
    for (const version of checkedVersions(db, file, faults)) {
      if (signal?.aborted) break;
      yield* checkVersion(db, version, faults, { signal, onBytes });
      versions += 1;
      bytes += version.version.size;
    }
  }
  const stopped = signal?.aborted === true;
  let scrubbed = 0;
  caught(faults, path, () => {
    scrubbed = countScrubbed(db);
  });
  return { packs, pieces, files: files.length, versions, scrubbed, bytes, stopped, faults };
}

/** Whether SQLite finds nothing wrong with the file. */
export function isSound({ db, path }: Archive): boolean {
  const faults: Fault[] = [];
  caught(faults, path, () => faults.push(...checkFile(db, path)));
  return faults.length === 0;
}

/** What SQLite itself knows to be wrong. */
function* checkFile(db: Database, path: string): Generator<Fault> {
  for (const row of each(db, 'PRAGMA quick_check(20)')) {
    const what = textOf(row, 'quick_check');
    if (what !== 'ok') yield { where: path, what };
  }
}

function* checkPacks(
  db: Database,
  path: string,
  faults: Fault[],
  options: VerifyOptions,
): Work<{ packs: number; pieces: number }> {
  const counts = { packs: 0, pieces: 0 };
  try {
    yield* countPacks(db, faults, counts, options);
  } catch (error) {
    // Those behind a page that is broken; of the versions each is looked at.
    faults.push(toFault(error, path));
  }
  return counts;
}

function* countPacks(
  db: Database,
  faults: Fault[],
  counts: { packs: number; pieces: number },
  { signal, onBytes }: VerifyOptions,
): Work<void> {
  for (const row of each(db, 'SELECT id, count, raw, lengths, data FROM pack')) {
    if (signal?.aborted) return;
    counts.packs += 1;
    caught(faults, `pack ${numberOf(row, 'id')}`, () => {
      const pack = toPack(row);
      for (const { id, bytes } of piecesOf(pack)) {
        counts.pieces += 1;
        const known = maybeNumber(get(db, 'SELECT id FROM piece WHERE hash = ?', addressOf(bytes)), 'id');
        if (known !== id) faults.push({ where: `piece ${id}`, what: 'its bytes do not fit its address' });
      }
      release(pack.data);
    });
    onBytes?.({ bytes: numberOf(row, 'raw') });
    yield;
  }
  const addresses = numberOf(get(db, 'SELECT count(*) AS n FROM piece'), 'n');
  if (addresses !== counts.pieces)
    faults.push({ where: 'pieces', what: `${addresses} addresses for ${counts.pieces} pieces` });
}

interface Placed {
  readonly where: string;
  readonly version: Version;
}

function checkedVersions(db: Database, file: ArchivedFile, faults: Fault[]): Placed[] {
  const versions: Version[] = [];
  caught(faults, `${file.root}/${file.name}`, () => versions.push(...versionsOf(db, file.id)));
  if (!versions.some(({ id }) => id === file.current)) {
    faults.push({ where: `${file.root}/${file.name}`, what: 'its current version is not there' });
  }
  return versions.map((version, place) => ({
    where: `${file.root}/${file.name}${versions.length > 1 ? ` (version ${place + 1})` : ''}`,
    version,
  }));
}

function* checkVersion(db: Database, { where, version }: Placed, faults: Fault[], options: VerifyOptions): Work<void> {
  try {
    for (const { length } of checkedBytes(db, version)) {
      if (options.signal?.aborted) return;
      options.onBytes?.({ bytes: length });
      yield;
    }
  } catch (error) {
    faults.push(toFault(error, where));
  }
}

function caught(faults: Fault[], where: string, call: () => void): void {
  try {
    call();
  } catch (error) {
    faults.push(toFault(error, where));
  }
}

/** Any other error is none of the archive's. */
function toFault(error: unknown, where: string): Fault {
  if (((sqliteCode(error) ?? 0) & 0xff) === DAMAGED) return { where, what: 'the file is damaged where this is stored' };
  if (!(error instanceof ArchiveError)) throw error;
  return { where, what: `${error.message} (${error.where})` };
}
