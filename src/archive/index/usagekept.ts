/** Reading what is kept of usage. */
import type { FileUsage } from '../../disk/usage.ts';
import { type Json, parseJson } from '../../format/json.ts';
import { cellsFromJson } from '../../views/usage/cells.ts';
import { dayCellsFromJson } from '../../views/usage/daycells.ts';
import type { Fact } from '../../views/usage/facts.ts';
import { TABLE } from '../../views/usage/pricetable.ts';
import { nodeZlib } from '../builtins.ts';
import { blobOf, type Database, get, maybeText } from '../sqlite.ts';
import { type Archive, changesOf } from '../store.ts';
import { openIndexForReading, quietly } from './derived.ts';
import { USAGE_LAYOUT, usageFromJson } from './usagejson.ts';

/** What the sums were made by. Before 2, models that cost less by night had one price a day. */
export const PRICED_BY = `${TABLE.version}/${USAGE_LAYOUT}/2`;

export interface KeptUsage {
  readonly index: Database;
  /** The messages of a transcript with these bytes; `file` is what to call it. */
  find(digest: Buffer, file: string): FileUsage[] | undefined;
  /** All transcripts of the archive added up, if they are so many. undefined when that is not of now. `fileOf`: by id, what to call it. */
  cells(count: number, fileOf?: (id: string) => string): Fact[] | undefined;
  /** The same by the machine's days, without files and sub-agents; `named`: told apart by project, branch and model, unless told otherwise. */
  dayCells(count: number, named?: boolean): Fact[] | undefined;
  close(): void;
}

/** Whether the sums are of the archive as it is now. */
export function isUsageKept(archive: Archive): boolean {
  return (
    quietly(() => {
      const index = openIndexForReading(archive);
      if (index === undefined) return false;
      try {
        const sql = 'SELECT 1 FROM usage_cells WHERE prices = ? AND changes = ?';
        return get(index.db, sql, PRICED_BY, changesOf(archive.db)) !== undefined;
      } finally {
        index.close();
      }
    }) === true
  );
}

/** undefined where there is none, or none of this layout. */
export function openUsage(archive: Archive): KeptUsage | undefined {
  const index = quietly(() => openIndexForReading(archive));
  if (index === undefined) return undefined;
  const { db } = index;
  let isOfNow: boolean | undefined;
  const find = (digest: Buffer, file: string) => {
    isOfNow ??= isOfLayout(db);
    return isOfNow ? findUsage(db, digest, file) : undefined;
  };
  return {
    index: db,
    find: (digest, file) => quietly(() => find(digest, file)),
    cells: (count, fileOf) => quietly(() => cellsFromJson(keptSums(archive, db, 'body', count), fileOf)),
    dayCells: (count, named) => quietly(() => dayCellsFromJson(keptSums(archive, db, 'days', count), named)),
    close: () => index.close(),
  };
}

/** What is kept of so many files, if that is of now. */
function keptSums(archive: Archive, db: Database, column: 'body' | 'days', count: number): Json | undefined {
  const sql = `SELECT ${column} FROM usage_cells WHERE prices = ? AND changes = ? AND files = ?`;
  const text = maybeText(get(db, sql, PRICED_BY, changesOf(archive.db), count), column);
  // Written by us: how deep it is need not be looked at.
  return text === undefined ? undefined : JSON.parse(text);
}

/** Whether what is kept of single transcripts goes by today's rules. */
export function isOfLayout(db: Database): boolean {
  return get(db, "SELECT value FROM meta WHERE key = 'usage'")?.value === USAGE_LAYOUT;
}

export function findUsage(db: Database, digest: Buffer, file: string): FileUsage[] | undefined {
  const row = get(db, 'SELECT body FROM usage WHERE digest = ?', digest);
  return row && usageFromJson(parseJson(nodeZlib().zstdDecompressSync(blobOf(row, 'body')).toString('utf8')), file);
}
