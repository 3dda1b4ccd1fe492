/**
 * Small packs are zstd frames whose one block is the bytes as they are (RFC 8878): any zstd reads them, and a hook that adds a few lines
 * need not load what compresses. They are taken into larger packs, which are compressed, as more is added.
 */

/** A turn or two: what waits to be compressed is less than twice as much. */
export const STORED_BELOW = 16 << 10;

const HEADER_BYTES = 12;
const MAGIC = 0xfd2fb528;
/** The size of the content in four bytes, no window, no checksum. */
const DESCRIPTOR = 0xa0;
const LAST_RAW_BLOCK = 1;

export function storedFrame(data: Uint8Array): Buffer {
  return Buffer.concat([headerOf(data.length), data]);
}

/** The bytes of such a frame; undefined where it is another. */
export function bytesStored(frame: Buffer): Buffer | undefined {
  const size = frame.length - HEADER_BYTES;
  if (size <= 0 || size >= STORED_BELOW) return undefined;
  const isStored = frame.subarray(0, HEADER_BYTES).equals(headerOf(size));
  return isStored ? frame.subarray(HEADER_BYTES) : undefined;
}

/** Byte by byte: Node's own writing of numbers is several functions, each of which a hook would have to compile. */
function headerOf(size: number): Buffer {
  const block = (size << 3) | LAST_RAW_BLOCK;
  return Buffer.from([...littleEndian(MAGIC, 4), DESCRIPTOR, ...littleEndian(size, 4), ...littleEndian(block, 3)]);
}

function littleEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, place) => (value >>> (8 * place)) & 0xff);
}
