/** What a command printed, in bounded memory however much it is. Bytes become text only when somebody asks for them. */
import { cutStart } from '../cut.ts';
import { createCleaner } from './clean.ts';
import type { Printed } from './types.ts';

export const MAX_HEAD_BYTES = 16 << 20;
const TAIL_BYTES = 64 << 10;

export interface Collector {
  push(bytes: Buffer): void;
  readonly lines: number;
  /** The last of it, of at most so many bytes (and never more than is kept). */
  tail(bytes: number): string;
  printed(): Printed;
}

export function createCollector(maxHead = MAX_HEAD_BYTES, maxTail = TAIL_BYTES): Collector {
  const head: Buffer[] = [];
  let room = maxHead;
  const last = createTail(maxTail);
  let all = 0;
  let lines = 0;
  return {
    push: (bytes) => {
      all += bytes.length;
      lines += countLines(bytes);
      last.push(bytes);
      if (room === 0) return;
      const kept = bytes.subarray(0, room);
      room -= kept.length;
      head.push(kept);
    },
    get lines() {
      return lines;
    },
    tail: (bytes) => endText(last.bytes(bytes), all > bytes),
    printed: () => {
      const rest = all - (maxHead - room);
      const cleaner = createCleaner();
      const text = head.map(cleaner.push).join('');
      // What is held back at a cut is half of something.
      if (rest === 0) return { head: text + cleaner.end(), tail: '', lost: 0, bytes: all };
      const tail = last.bytes(rest);
      return { head: text, tail: endText(tail, true), lost: rest - tail.length, bytes: all };
    },
  };
}

/** Text of bytes that may begin in the middle of a character. */
function endText(bytes: Buffer, isCut: boolean): string {
  let from = 0;
  while (isCut && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  const cleaner = createCleaner();
  return cleaner.push(bytes.subarray(from)) + cleaner.end();
}

interface Tail {
  push(bytes: Buffer): void;
  bytes(count: number): Buffer;
}

/** The last `max` bytes of what is pushed. */
function createTail(max: number): Tail {
  let parts: Buffer[] = [];
  let length = 0;
  const trim = (): Buffer => {
    const joined = Buffer.concat(parts, length);
    const kept = joined.length > max ? Buffer.from(joined.subarray(joined.length - max)) : joined;
    parts = [kept];
    length = kept.length;
    return kept;
  };
  return {
    push: (bytes) => {
      parts.push(bytes);
      length += bytes.length;
      if (length > 8 * max) trim();
    },
    bytes: (count) => {
      const kept = trim();
      return kept.subarray(Math.max(0, kept.length - count));
    },
  };
}

/** One by one: looking for the next with indexOf takes ten times as long where lines are short. */
function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 10) count++;
  return count;
}

export interface Unread {
  push(bytes: Buffer): void;
  take(): { readonly text: string; readonly lost: number };
}

/** What nobody has looked at yet; the oldest goes where it gets too much. */
export function createUnread(max = 1 << 20): Unread {
  const cleaner = createCleaner();
  let text = '';
  let lost = 0;
  return {
    push: (bytes) => {
      text += cleaner.push(bytes);
      if (text.length <= 2 * max) return;
      lost += text.length - max;
      text = text.slice(-max);
    },
    take: () => {
      const kept = cutStart(text, max);
      const taken = { text: kept, lost: lost + text.length - kept.length };
      text = '';
      lost = 0;
      return taken;
    },
  };
}
