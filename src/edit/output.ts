/** A line put together of stretches of another and new text, in one buffer that serves all lines. */
import { encode } from '../format/text.ts';

export interface Output {
  /** What stretches are copied from. */
  readonly line: Uint8Array;
  copy(start: number, end: number): void;
  text(text: string): void;
  /** All of it; a copy of its own. */
  bytes(): Uint8Array;
}

/** One line is made at a time. It grows to the longest line that was. */
let buffer = new Uint8Array(64 << 10);
/** Longer text is left to the encoder, which is slow to start. */
const SHORT = 512;

export function createOutput(line: Uint8Array): Output {
  let length = 0;
  let text = '';
  // The stretch that is still to be copied.
  let from = 0;
  let to = 0;

  function put(bytes: Uint8Array): void {
    makeRoom(length + bytes.length, length);
    buffer.set(bytes, length);
    length += bytes.length;
  }

  function flush(): void {
    if (to > from) put(line.subarray(from, to));
    from = to;
    if (text === '') return;
    makeRoom(length + text.length, length);
    if (text.length <= SHORT && isAsciiPut(text, length)) length += text.length;
    else put(encode(text));
    text = '';
  }

  return {
    line,
    copy(start, end) {
      // Between two stretches often stands one sign that the line has there too: then they are one.
      if (to > from && text.length === 1 && to + 1 === start && line[to] === text.charCodeAt(0)) text = '';
      else if (text !== '' || to !== start) {
        flush();
        from = start;
      }
      to = end;
    },
    text(more) {
      text += more;
    },
    bytes() {
      flush();
      return buffer.slice(0, length);
    },
  };
}

function makeRoom(wanted: number, used: number): void {
  if (wanted <= buffer.length) return;
  const larger = new Uint8Array(Math.max(wanted, 2 * buffer.length));
  larger.set(buffer.subarray(0, used));
  buffer = larger;
}

/** Whether the text is ASCII; then it has been put there. */
function isAsciiPut(text: string, at: number): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 127) return false;
    buffer[at + i] = code;
  }
  return true;
}
