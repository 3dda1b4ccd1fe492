/** Bytes into pieces, the same ones however the bytes arrive: lines of transcripts, blocks of all other files. */

/** A longer line is several pieces: memory stays bounded whatever a file holds. */
export const MAX_LINE = 4 << 20;
export const BLOCK = 1 << 20;
const NEWLINE = 10;

export interface Splitter {
  /** The chunk may be used again after the call. */
  push(chunk: Buffer): void;
  /** What is left of the last piece: a torn line, or a block that is not full. */
  rest(): Buffer;
}

/** Each piece is a view that is valid during the call. */
export function splitPieces(mode: 'lines' | 'blocks', onPiece: (raw: Buffer) => void): Splitter {
  let rest: Buffer = Buffer.alloc(0);

  function take(bytes: Buffer): void {
    const done = mode === 'lines' ? takeLines(bytes, rest.length, onPiece) : takeBlocks(bytes, onPiece);
    rest = Buffer.from(bytes.subarray(done));
  }

  return {
    push(chunk) {
      let from = 0;
      if (rest.length > 0) {
        // What was left is joined with the end of its line alone: the rest of the chunk need not be copied.
        from = mode === 'lines' ? chunk.indexOf(NEWLINE) + 1 || chunk.length : chunk.length;
        take(Buffer.concat([rest, chunk.subarray(0, from)]));
      }
      if (from < chunk.length) take(chunk.subarray(from));
    },
    rest: () => rest,
  };
}

/** `searched`: so many bytes at the start are known to hold no line end. */
function takeLines(bytes: Buffer, searched: number, onPiece: (raw: Buffer) => void): number {
  let at = 0;
  for (let look = searched; ; look = at) {
    const newline = bytes.indexOf(NEWLINE, look);
    const end = newline < 0 ? bytes.length : newline + 1;
    for (; end - at > MAX_LINE; at += MAX_LINE) onPiece(bytes.subarray(at, at + MAX_LINE));
    if (newline < 0) return at;
    onPiece(bytes.subarray(at, end));
    at = end;
  }
}

function takeBlocks(bytes: Buffer, onPiece: (raw: Buffer) => void): number {
  let at = 0;
  for (; bytes.length - at >= BLOCK; at += BLOCK) onPiece(bytes.subarray(at, at + BLOCK));
  return at;
}
