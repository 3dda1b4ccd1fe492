/** Pieces ⇄ packs: about a megabyte of pieces compressed together, as single lines are too short to compress well. */

import { nodeZlib } from '../builtins.ts';
import { ArchiveError, damaged } from '../errors.ts';
import { blobOf, type Database, get, numberOf, type Row, run } from '../sqlite.ts';
import type { Mender } from '../sync/mender.ts';
import { freshAddresses } from './addresses.ts';
import { nextOf } from './next.ts';
import { addressOf, cutsOf, pieceLength, writePiece } from './piece.ts';
import { bytesStored, STORED_BELOW, storedFrame } from './stored.ts';
import { pushVarint, readVarints } from './varint.ts';

/**
 * Measured on 200 MB at level 3: 256 kB packs give 0.247 of the bytes, 1 MB 0.225, 2 MB 0.216. At level 1 the archive is
 * 0.28 of them, in two thirds of the time.
 */
const PACK_BYTES = 1 << 20;
const LEVEL = 1;

export interface Pack {
  readonly first: number;
  /** By place; 0 is a piece that was forgotten. */
  readonly lengths: readonly number[];
  readonly data: Buffer;
}

export interface PutPiece {
  readonly id: number;
  /** It was not archived before. */
  readonly isNew: boolean;
  /** What was cut out of it. */
  readonly param: string | undefined;
  /** As it is stored; valid until the next is put. */
  readonly bytes: Buffer;
}

export interface PieceWriter {
  put(raw: Buffer): PutPiece;
  /** The id that the next new piece gets. */
  next(): number;
  /** Before the transaction ends. */
  flush(): void;
}

/** What is written into before it is full: a pack, and a long line after it. */
const ROOM = PACK_BYTES + (256 << 10);

/** For one transaction: another process may add pieces before the next. With a mender what is stored already is looked at again. */
export function createPieceWriter(db: Database, mender?: Mender): PieceWriter {
  let next = nextOf(db);
  // Pieces are made where they will lie: memory of its own for each would cost more than the rest of the work on it.
  let data = Buffer.alloc(0);
  let used = 0;
  let lengths: number[] = [];
  // With a mender every address is looked up.
  const fresh = mender === undefined ? freshAddresses(db, next) : undefined;

  function flush(): void {
    writePieces();
    fresh?.save(next);
  }

  function writePieces(): void {
    mender?.flush();
    if (lengths.length === 0) return;
    const own = { first: next - lengths.length, lengths, data: data.subarray(0, used) };
    const pack = joinSmall(db, own);
    writePack(db, pack);
    if (pack !== own) release(pack.data);
    run(db, "UPDATE meta SET value = ? WHERE key = 'next'", next);
    lengths = [];
    used = 0;
  }

  function makeRoom(length: number): void {
    if (used + length <= data.length) return;
    writePieces();
    if (length > data.length) data = Buffer.allocUnsafeSlow(Math.max(length, ROOM));
  }

  return {
    put(raw) {
      const cuts = cutsOf(raw);
      const length = pieceLength(raw, cuts);
      makeRoom(length);
      const bytes = data.subarray(used, used + length);
      writePiece(raw, cuts, bytes);
      const put = { param: cuts.param, bytes };
      const hash = addressOf(bytes);
      const isNew = fresh?.add(hash, next) === true;
      if (!isNew && run(db, 'INSERT OR IGNORE INTO piece (hash, id) VALUES (?, ?)', hash, next) === 0) {
        const id = numberOf(get(db, 'SELECT id FROM piece WHERE hash = ?', hash), 'id');
        const isWaiting = id < next && id >= next - lengths.length;
        if (mender === undefined || isWaiting || mender.keep(id, bytes)) return { ...put, id, isNew: false };
        run(db, 'UPDATE piece SET id = ? WHERE hash = ?', next, hash);
      }
      const id = next;
      next += 1;
      lengths.push(length);
      used += length;
      if (used >= PACK_BYTES) writePieces();
      return { ...put, id, isNew: true };
    },
    next: () => next,
    flush,
  };
}

/**
 * A session that grows line by line would leave a pack for each. So the last pack is taken in while it is no more than
 * twice as large: each byte is written again only as often as its pack doubles.
 */
function joinSmall(db: Database, fresh: Pack): Pack {
  let pack = fresh;
  for (;;) {
    const row = get(db, 'SELECT id, count, raw FROM pack ORDER BY id DESC LIMIT 1');
    if (row === undefined) return pack;
    const [first, size] = [numberOf(row, 'id'), numberOf(row, 'raw')];
    if (first + numberOf(row, 'count') !== pack.first) return pack;
    if (size > 2 * pack.data.length || size + pack.data.length > PACK_BYTES) return pack;
    const last = readable(db, first);
    // It stays as it is; what is new is kept all the same.
    if (last === undefined) return pack;
    pack = { first, lengths: [...last.lengths, ...pack.lengths], data: Buffer.concat([last.data, pack.data]) };
    run(db, 'DELETE FROM pack WHERE id = ?', first);
  }
}

function readable(db: Database, first: number): Pack | undefined {
  try {
    return readPack(db, first);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return undefined;
  }
}

export function writePack(db: Database, { first, lengths, data }: Pack): void {
  const packed: number[] = [];
  for (const length of lengths) pushVarint(packed, length);
  const compressed = data.length < STORED_BELOW ? storedFrame(data) : compress(data);
  const sql = 'INSERT OR REPLACE INTO pack (id, count, raw, lengths, data) VALUES (?, ?, ?, ?, ?)';
  run(db, sql, first, lengths.length, data.length, Buffer.from(packed), compressed);
  release(compressed);
}

export function compress(data: Buffer): Buffer {
  // Where any result fits the buffer, zstd reads the data where it lies; otherwise it copies it, and compresses more slowly.
  const chunkSize = data.length + (data.length >> 7) + 1024;
  const { constants, zstdCompressSync } = nodeZlib();
  return zstdCompressSync(data, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

/** Smaller ones may share their memory with others. */
const OWN_MEMORY = 128 << 10;

/**
 * Gives back the memory of a large buffer that nobody looks at any more. Left to the garbage collector, up to 64 MB of
 * such buffers lie about before it starts, which is a good part of what a sync may take.
 */
export function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= OWN_MEMORY) buffer.transfer(0);
}

export function readPack(db: Database, first: number): Pack {
  return toPack(get(db, 'SELECT id, count, raw, lengths, data FROM pack WHERE id = ?', first));
}

export function toPack(row: Row | undefined): Pack {
  const first = numberOf(row, 'id');
  const [packed, count] = [blobOf(row, 'lengths'), numberOf(row, 'count')];
  // Each length takes a byte at least; a number that is wrong must not ask for all memory.
  if (count > packed.length) throw damaged(`pack ${first}`, `${packed.length} lengths where ${count} should be`);
  const reader = readVarints(packed);
  const lengths = Array.from({ length: count }, () => reader.next());
  const data = decompress(blobOf(row, 'data'), first, numberOf(row, 'raw'));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (data.length !== total || data.length !== numberOf(row, 'raw')) {
    throw damaged(`pack ${first}`, `${data.length} bytes where ${total} should be`);
  }
  return { first, lengths, data };
}

/** A pack whose bytes are all there, whatever else its row says. */
export function salvaged(row: Row): Pack | undefined {
  const packed = blobOf(row, 'lengths');
  const reader = readVarints(packed);
  const lengths: number[] = [];
  while (reader.at() < packed.length) lengths.push(reader.next());
  try {
    const first = numberOf(row, 'id');
    const data = decompress(blobOf(row, 'data'), first, numberOf(row, 'raw'));
    return lengths.reduce((sum, length) => sum + length, 0) === data.length ? { first, lengths, data } : undefined;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return undefined;
  }
}

/** A size that is wrong must not ask for all memory. */
const LARGEST_CHUNK = 16 << 20;

function decompress(data: Buffer, first: number, size: number): Buffer {
  const stored = bytesStored(data);
  if (stored !== undefined) return stored;
  try {
    return nodeZlib().zstdDecompressSync(data, { chunkSize: Math.max(1024, Math.min(size + 1, LARGEST_CHUNK)) });
  } catch (error) {
    throw damaged(`pack ${first}`, error instanceof Error ? error.message : 'it cannot be decompressed');
  }
}

/** The pieces of a pack with their ids, without those that were forgotten. */
export function* piecesOf({ first, lengths, data }: Pack): Generator<{ readonly id: number; readonly bytes: Buffer }> {
  let at = 0;
  for (const [place, length] of lengths.entries()) {
    if (length > 0) yield { id: first + place, bytes: data.subarray(at, at + length) };
    at += length;
  }
}

export interface PieceReader {
  /** Valid as long as the caller likes, unless packs are released. Throws ArchiveError when it is not there. */
  piece(id: number): Buffer;
}

export interface PieceReaderOptions {
  /** Files are mostly read in order: a few packs at hand do. */
  readonly atHand?: number;
  /** Gives back the memory of a pack as soon as another takes its place: for callers that copy what they need at once. */
  readonly releases?: boolean;
}

const PACKS_AT_HAND = 6;

interface OpenPack {
  readonly pack: Pack;
  readonly starts: Float64Array;
}

export function createPieceReader(db: Database, options: PieceReaderOptions = {}): PieceReader {
  const { atHand = PACKS_AT_HAND, releases = false } = options;
  const open: OpenPack[] = [];

  function find(id: number): OpenPack {
    const place = open.findIndex(({ pack }) => id >= pack.first && id < pack.first + pack.lengths.length);
    const known = open[place];
    if (known === undefined) return load(id);
    if (place > 0) open.unshift(...open.splice(place, 1));
    return known;
  }

  function load(id: number): OpenPack {
    const row = get(db, 'SELECT id, count, raw, lengths, data FROM pack WHERE id <= ? ORDER BY id DESC LIMIT 1', id);
    if (row === undefined) throw damaged(`piece ${id}`, 'it is not there');
    const pack = toPack(row);
    if (releases) release(blobOf(row, 'data'));
    const starts = new Float64Array(pack.lengths.length + 1);
    for (const [place, length] of pack.lengths.entries()) starts[place + 1] = (starts[place] ?? 0) + length;
    open.unshift({ pack, starts });
    for (const { pack: old } of open.splice(atHand)) if (releases) release(old.data);
    return { pack, starts };
  }

  return {
    piece(id) {
      const { pack, starts } = find(id);
      const place = id - pack.first;
      const bytes = pack.data.subarray(starts[place], starts[place + 1]);
      if (place >= pack.lengths.length || bytes.length === 0) throw damaged(`piece ${id}`, 'it is not there');
      return bytes;
    },
  };
}
