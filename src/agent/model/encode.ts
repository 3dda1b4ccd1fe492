/** A body as bytes. Each request repeats all that was said before: the bytes of a message are made once, as long as it is the same object. */
import type { ApiMessage } from '../../graph/context/types.ts';
import type { Body } from './request.ts';

const encoded = new WeakMap<ApiMessage, Uint8Array>();
const COMMA = Buffer.from(',');

export function encodeBody({ messages, ...rest }: Body): Buffer {
  const pieces: Uint8Array[] = [Buffer.from('{"messages":[')];
  messages.forEach((message, i) => {
    if (i > 0) pieces.push(COMMA);
    pieces.push(bytesOf(message));
  });
  const others = wellFormed(JSON.stringify(rest)).slice(1);
  pieces.push(Buffer.from(others === '}' ? ']}' : `],${others}`));
  return joined(pieces);
}

/** A buffer that no request uses any more: a long session would leave megabytes behind with each. */
let spare: Buffer | undefined;

function joined(pieces: readonly Uint8Array[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const whole = spare !== undefined && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length + (length >> 1));
  spare = undefined;
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.subarray(0, length);
}

/** Of a request that was sent whole and is over. */
export function giveBack(body: Uint8Array): void {
  const whole = Buffer.from(body.buffer);
  if (spare === undefined || spare.length < whole.length) spare = whole;
}

function bytesOf(message: ApiMessage): Uint8Array {
  const known = encoded.get(message);
  if (known !== undefined) return known;
  const bytes = Buffer.from(wellFormed(JSON.stringify(message)));
  encoded.set(message, bytes);
  return bytes;
}

/** Half a character, as a server or a cut leaves it, would have the API refuse this request and all that repeat it. */
function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\ufffd'));
}
