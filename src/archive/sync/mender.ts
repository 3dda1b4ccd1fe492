/** Stored pieces looked at again: a good copy takes the place of one that is not what its address says. */
import { ArchiveError } from '../errors.ts';
import { createPieceReader, type Pack, salvaged, writePack } from '../pieces/packs.ts';
import { addressOf } from '../pieces/piece.ts';
import { type Database, get, maybeNumber, numberOf, type Row } from '../sqlite.ts';

export interface Mender {
  /** Whether the id is the one of these bytes; what is stored under it is put right. The bytes are copied. */
  keep(id: number, bytes: Buffer): boolean;
  /** Before the transaction ends. */
  flush(): void;
}

const WAITING_BYTES = 4 << 20;

/** For one transaction. */
export function createMender(db: Database): Mender {
  let reader = createPieceReader(db);
  /** Packs that cannot be read need not be tried for every piece. */
  let lost: Extent[] = [];
  const waiting = new Map<number, Buffer>();
  let bytesWaiting = 0;

  function stored(id: number): Buffer | undefined {
    if (lost.some(({ first, end }) => id >= first && id < end)) return undefined;
    try {
      return reader.piece(id);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      const row = packOf(db, id);
      if (row !== undefined && salvaged(row) === undefined) lost.push(extentOf(db, row));
      return undefined;
    }
  }

  function flush(): void {
    if (waiting.size === 0) return;
    const ids = [...waiting.keys()].sort((a, b) => a - b);
    while (ids.length > 0) putInPlace(db, ids, waiting);
    waiting.clear();
    bytesWaiting = 0;
    reader = createPieceReader(db);
    lost = [];
  }

  return {
    keep(id, bytes) {
      if (waiting.has(id)) return true;
      const there = stored(id);
      if (there?.equals(bytes)) return true;
      // What is whole stays: then it is the address that leads astray.
      if (there !== undefined && isOwn(db, id, there)) return false;
      waiting.set(id, Buffer.from(bytes));
      bytesWaiting += bytes.length;
      if (bytesWaiting >= WAITING_BYTES) flush();
      return true;
    },
    flush,
  };
}

/** Whether a piece is what its address says. */
export function isOwn(db: Database, id: number, bytes: Buffer): boolean {
  return maybeNumber(get(db, 'SELECT id FROM piece WHERE hash = ?', addressOf(bytes)), 'id') === id;
}

interface Extent {
  readonly first: number;
  readonly end: number;
}

function packOf(db: Database, id: number): Row | undefined {
  return get(db, 'SELECT id, count, raw, lengths, data FROM pack WHERE id <= ? ORDER BY id DESC LIMIT 1', id);
}

/** Which ids are a pack's: no more than there are up to the next one, whatever it says itself. */
function extentOf(db: Database, row: Row): Extent {
  const first = numberOf(row, 'id');
  const after = get(db, 'SELECT id AS value FROM pack WHERE id > ? ORDER BY id LIMIT 1', first);
  const next = numberOf(after ?? get(db, "SELECT value FROM meta WHERE key = 'next'"), 'value');
  return { first, end: Math.min(next, first + Math.max(0, numberOf(row, 'count'))) };
}

/** Puts the first of the pieces, with all others of the same pack, where they belong, and takes their ids off the list. */
function putInPlace(db: Database, ids: number[], pieces: ReadonlyMap<number, Buffer>): void {
  const [id = 0] = ids;
  const row = packOf(db, id);
  const pack = row && packToMend(db, row);
  if (pack === undefined || id >= pack.first + pack.lengths.length) {
    const bytes = pieces.get(id) ?? Buffer.alloc(0);
    writePack(db, { first: id, lengths: [bytes.length], data: bytes });
    ids.shift();
    return;
  }
  const end = pack.first + pack.lengths.length;
  const parts: Buffer[] = [];
  let at = 0;
  const lengths = pack.lengths.map((length, place) => {
    const part = pieces.get(pack.first + place) ?? pack.data.subarray(at, at + length);
    at += length;
    parts.push(part);
    return part.length;
  });
  writePack(db, { first: pack.first, lengths, data: Buffer.concat(parts) });
  const rest = ids.findIndex((each) => each >= end);
  ids.splice(0, rest < 0 ? ids.length : rest);
}

/** Of one that cannot be read every piece is missing until a copy comes. */
function packToMend(db: Database, row: Row): Pack {
  const { first, end } = extentOf(db, row);
  const empty = { first, lengths: new Array<number>(Math.max(0, end - first)).fill(0), data: Buffer.alloc(0) };
  return salvaged(row) ?? empty;
}
