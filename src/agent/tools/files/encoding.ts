/** How a file's bytes are text. An edit works on units that stand for the bytes one to one, so that what it does not touch stays as it is. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const HEAD_BYTES = 8192;

/** undefined: not text. */
export function encodingOf(bytes: Uint8Array): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes.subarray(0, HEAD_BYTES).includes(0) ? undefined : 'utf-8';
}

/** What a person would read, with the byte-order mark. Bytes that are no text become U+FFFD. */
export function toText(bytes: Uint8Array, encoding: Encoding): string {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

export function toBytes(text: string, encoding: Encoding): Buffer {
  return encoding === 'utf-8' ? Buffer.from(text, 'utf8') : unitsToBytes(text, encoding);
}

/** One character for each byte of UTF-8, each code unit of UTF-16. */
export function toUnits(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'utf-8') return bytes.toString('latin1');
  return encoding === 'utf-16le' ? bytes.toString('utf16le') : Buffer.from(bytes).swap16().toString('utf16le');
}

/** The units of a piece of text. UTF-8 cannot be found in the middle of another character, so units match where characters do. */
export function textUnits(text: string, encoding: Encoding): string {
  return encoding === 'utf-8' ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

export function unitsToBytes(units: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(units, 'latin1');
  const bytes = Buffer.from(units, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** Line ends as the model sees and writes them. */
export function withPlainEnds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

/** The line end that most lines of a text have. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  let [all, pairs] = [0, 0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text[at - 1] === '\r') pairs += 1;
  }
  return pairs * 2 > all ? '\r\n' : '\n';
}

/** A text the model wrote, for a file whose lines end like this. */
export function withEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  return lineEnd === '\n' ? text : withPlainEnds(text).replaceAll('\n', '\r\n');
}
