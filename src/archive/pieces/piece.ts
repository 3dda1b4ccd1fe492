/**
 * A piece is one line of a transcript as the archive stores it: the value of its session id is cut out and kept apart,
 * so that the copies resume and fork make, which differ only there (H1), are one piece. Any bytes at all can be a piece;
 * what is cut out is put back byte for byte.
 */
import { sha256 } from '../../format/sha256.ts';
import { damaged } from '../errors.ts';
import { pushVarint, readVarints, type VarintReader } from './varint.ts';

export interface Piece {
  /** How many values were cut out, where, and what is left. */
  readonly bytes: Buffer;
  /** The value that was cut out. */
  readonly param: string | undefined;
}

const START = Buffer.from('"session');
const ENDINGS = [Buffer.from('Id":"'), Buffer.from('_id":"')];
const QUOTE = 34;
/** Ids are plain letters, digits and dashes; anything else stays where it is. */
const ID = /^[\w-]{8,64}$/;
const LONGEST_ID = 64;
/** A line may quote thousands of lines. */
const MOST_CUTS = 255;

/** Where something is cut out of a line, and the header that says so. */
export interface Cuts {
  readonly starts: readonly number[];
  readonly header: readonly number[];
  readonly param: string | undefined;
}

export function toPiece(raw: Buffer): Piece {
  const cuts = cutsOf(raw);
  const bytes = Buffer.allocUnsafe(pieceLength(raw, cuts));
  writePiece(raw, cuts, bytes);
  return { bytes, param: cuts.param };
}

export function cutsOf(raw: Buffer): Cuts {
  for (let at = raw.indexOf(START); at >= 0; at = raw.indexOf(START, at + 1)) {
    const value = valueStart(raw, at + START.length);
    const param = value === undefined ? undefined : idAt(raw, value);
    if (value === undefined || param === undefined) continue;
    const starts = startsOf(raw, value);
    return { starts, header: headerOf(starts, param.length), param };
  }
  return { starts: [], header: headerOf([], 0), param: undefined };
}

/** Of the id that was just found, from there on. It is looked for itself: the longer the needle, the fewer bytes are looked at. */
function startsOf(raw: Buffer, first: number): number[] {
  const { quoted } = lastId;
  const starts = [first];
  let at = raw.indexOf(quoted, first + quoted.length);
  for (; at >= 0 && starts.length < MOST_CUTS; at = raw.indexOf(quoted, at + 1)) if (isNamed(raw, at)) starts.push(at);
  return starts;
}

function isNamed(raw: Buffer, at: number): boolean {
  return ENDINGS.some((ending) => {
    const name = at - ending.length;
    return isAt(raw, name, ending) && isAt(raw, name - START.length, START);
  });
}

/** How many values were cut out, and how far each lies from the one before. */
function headerOf(starts: readonly number[], length: number): number[] {
  const header: number[] = [];
  pushVarint(header, starts.length);
  let end = 0;
  for (const start of starts) {
    pushVarint(header, start - end);
    end = start + length;
  }
  return header;
}

export function pieceLength(raw: Buffer, { starts, header, param }: Cuts): number {
  return header.length + raw.length - starts.length * (param?.length ?? 0);
}

function valueStart(raw: Buffer, at: number): number | undefined {
  for (const ending of ENDINGS) if (isAt(raw, at, ending)) return at + ending.length;
  return undefined;
}

/** Byte by byte: for so few a call out of JavaScript costs more. */
function isAt(raw: Buffer, at: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i += 1) if (raw[at + i] !== bytes[i]) return false;
  return true;
}

/** Mostly the one of the line before. */
let lastId = { id: '', quoted: Buffer.alloc(0) };

function idAt(raw: Buffer, start: number): string | undefined {
  if (lastId.id !== '' && isAt(raw, start, lastId.quoted)) return lastId.id;
  let end = start;
  while (end <= start + LONGEST_ID && end < raw.length && raw[end] !== QUOTE) end += 1;
  const id = raw[end] === QUOTE ? raw.toString('latin1', start, end) : '';
  if (!ID.test(id)) return undefined;
  lastId = { id, quoted: Buffer.from(`${id}"`, 'latin1') };
  return id;
}

/** Copied range by range: a view for each part would cost more than the copying. */
export function writePiece(raw: Buffer, { starts, header, param }: Cuts, to: Buffer): void {
  let at = 0;
  for (const byte of header) to[at++] = byte;
  let from = 0;
  for (const start of starts) {
    at += raw.copy(to, at, from, start);
    from = start + (param?.length ?? 0);
  }
  raw.copy(to, at, from);
}

/** The line's bytes. */
export function fromPiece(bytes: Buffer, param: string | undefined): Buffer {
  if (bytes[0] === 0) return bytes.subarray(1);
  const header = readVarints(bytes);
  const gaps = Array.from({ length: cutsIn(header) }, () => header.next());
  if (gaps.reduce((sum, gap) => sum + gap, header.at()) > bytes.length) throw damaged('a piece', 'its header is wrong');
  const value = Buffer.from(param ?? '', 'latin1');
  const raw = Buffer.allocUnsafe(bytes.length - header.at() + gaps.length * value.length);
  let from = header.at();
  let at = 0;
  for (const gap of gaps) {
    at += bytes.copy(raw, at, from, from + gap);
    at += value.copy(raw, at);
    from += gap;
  }
  bytes.copy(raw, at, from);
  return raw;
}

/** More are never cut: a number that is wrong must not ask for all memory. */
function cutsIn(header: VarintReader): number {
  const cuts = header.next();
  if (cuts > MOST_CUTS) throw damaged('a piece', 'its header is wrong');
  return cuts;
}

/** How long the line is, without making it. */
export function lengthFromPiece(bytes: Buffer, param: string | undefined): number {
  const header = readVarints(bytes);
  const cuts = cutsIn(header);
  for (let cut = 0; cut < cuts; cut += 1) header.next();
  return bytes.length - header.at() + cuts * (param?.length ?? 0);
}

/** What a piece is known by. 160 bits: two different lines with one address will not be met, nor made. */
export function addressOf(piece: Uint8Array): Buffer {
  return sha256(piece).subarray(0, 20);
}
