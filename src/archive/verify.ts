/** Whether everything in the archive is whole: every pack, every piece by its address, every version by its digest. */
import { ArchiveError } from './errors.ts';
import { type ArchivedFile, allFiles, type Version, versionsOf } from './files.ts';
import { piecesOf, release, toPack } from './packs.ts';
import { addressOf } from './piece.ts';
import { checkedBytes } from './read.ts';
import { type Database, each, get, maybeNumber, numberOf, textOf } from './sqlite.ts';
import { type Archive, guarded } from './store.ts';

export interface Fault {
  readonly where: string;
  readonly what: string;
}

export interface Verified {
  readonly packs: number;
  readonly pieces: number;
  readonly files: number;
  readonly versions: number;
  readonly bytes: number;
  readonly faults: readonly Fault[];
}

export interface VerifyOptions {
  readonly signal?: AbortSignal;
  readonly onVersion?: (version: { readonly bytes: number }) => void;
}

/** Reads the whole archive; changes nothing. */
export function verify({ db, path }: Archive, options: VerifyOptions = {}): Verified {
  return guarded('cannot verify the archive', path, () => {
    const faults: Fault[] = [...checkFile(db, path)];
    const { packs, pieces } = checkPacks(db, faults);
    const files = allFiles(db);
    let versions = 0;
    let bytes = 0;
    for (const file of files) {
      if (options.signal?.aborted) break;
      for (const version of checkedVersions(db, file, faults)) {
        versions += 1;
        bytes += version.size;
        options.onVersion?.({ bytes: version.size });
      }
    }
    return { packs, pieces, files: files.length, versions, bytes, faults };
  });
}

/** What SQLite itself knows to be wrong. */
function* checkFile(db: Database, path: string): Generator<Fault> {
  for (const row of each(db, 'PRAGMA quick_check(20)')) {
    const what = textOf(row, 'quick_check');
    if (what !== 'ok') yield { where: path, what };
  }
}

function checkPacks(db: Database, faults: Fault[]): { packs: number; pieces: number } {
  let packs = 0;
  let pieces = 0;
  for (const row of each(db, 'SELECT id, count, raw, lengths, data FROM pack')) {
    packs += 1;
    caught(faults, `pack ${numberOf(row, 'id')}`, () => {
      const pack = toPack(row);
      for (const { id, bytes } of piecesOf(pack)) {
        pieces += 1;
        const known = maybeNumber(get(db, 'SELECT id FROM piece WHERE hash = ?', addressOf(bytes)), 'id');
        if (known !== id) faults.push({ where: `piece ${id}`, what: 'its bytes do not fit its address' });
      }
      release(pack.data);
    });
  }
  const addresses = numberOf(get(db, 'SELECT count(*) AS n FROM piece'), 'n');
  if (addresses !== pieces) faults.push({ where: 'pieces', what: `${addresses} addresses for ${pieces} pieces` });
  return { packs, pieces };
}

function* checkedVersions(db: Database, file: ArchivedFile, faults: Fault[]): Generator<Version> {
  const versions = versionsOf(db, file.id);
  if (!versions.some(({ id }) => id === file.current)) {
    faults.push({ where: `${file.root}/${file.name}`, what: 'its current version is not there' });
  }
  for (const [place, version] of versions.entries()) {
    const where = `${file.root}/${file.name}${versions.length > 1 ? ` (version ${place + 1})` : ''}`;
    caught(faults, where, () => {
      for (const _ of checkedBytes(db, version));
    });
    yield version;
  }
}

function caught(faults: Fault[], where: string, call: () => void): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    faults.push({ where, what: `${error.message} (${error.where})` });
  }
}
