/** Bytes ⇄ text. Invalid UTF-8 becomes U+FFFD in the text; the bytes themselves are never replaced. */
let decoder: TextDecoder | undefined;
let encoder: TextEncoder | undefined;

/** Both are made when they are needed: in Node the first never is, and making them takes longer than a small command. */
function textDecoder(): TextDecoder {
  decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder;
}

/** Node's Buffer decodes short slices several times faster than TextDecoder; elsewhere plain Uint8Array serves. */
interface NodeBytes extends Uint8Array {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
}

function isNodeBytes(bytes: Uint8Array): bytes is NodeBytes {
  return 'latin1Slice' in bytes;
}

export function decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return isNodeBytes(bytes) ? bytes.utf8Slice(start, end) : textDecoder().decode(bytes.subarray(start, end));
}

/** For slices known to be ASCII. */
export function decodeAscii(bytes: Uint8Array, start: number, end: number): string {
  return isNodeBytes(bytes) ? bytes.latin1Slice(start, end) : textDecoder().decode(bytes.subarray(start, end));
}

export function encode(text: string): Uint8Array {
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}

/** For text known to be ASCII. */
export function encodeAscii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  // By hand: `Uint8Array.from` goes through an iterator, which took 2 ms of every start.
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
