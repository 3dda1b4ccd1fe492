/** An answer of HTTP/1.1 as its bytes come: as much of the protocol as one request on a connection of its own needs. */

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; null where there is none. */
  header(name: string): string | null;
  /** Cut where it is very long. */
  readonly bytes: Buffer;
}

export interface AnswerReader {
  /** A character for each byte; the answer once it is whole. Throws where it is none. */
  take(text: string): RawAnswer | undefined;
  /** No more comes. Throws where something is missing. */
  end(): RawAnswer;
}

/** What comes before the body, with all that only announces an answer. */
const LONGEST_HEAD = 64 << 10;

type Part = 'status' | 'headers' | 'size' | 'chunk' | 'after chunk' | 'trailers' | 'body' | 'whole';

export function createAnswerReader(longest: number): AnswerReader {
  let part: Part = 'status';
  let pending = '';
  let taken = 0;
  /** Of the body or of a chunk, still to come; what has no length goes on until the connection ends. */
  let rest = 0;
  let status = 0;
  let headers = new Map<string, string>();
  let body = '';

  const read: Readonly<Record<Exclude<Part, 'chunk' | 'body' | 'whole'>, (line: string) => Part>> = {
    status: (line) => {
      const [, code] = /^HTTP\/1\.\d (\d{3})(?: |$)/.exec(line) ?? [];
      if (code === undefined) throw new Error('the answer is not one of HTTP/1.1');
      status = Number(code);
      headers = new Map();
      return 'headers';
    },
    headers: (line) => {
      if (line !== '') {
        const colon = line.indexOf(':');
        const name = line.slice(0, Math.max(0, colon)).toLowerCase();
        if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
        return 'headers';
      }
      // Such a one says that the answer follows.
      if (status < 200) return 'status';
      if (status === 204 || status === 304) return 'whole';
      if (headers.get('transfer-encoding')?.toLowerCase().endsWith('chunked')) return 'size';
      rest = lengthIn(headers.get('content-length'), /^\d+$/, 10);
      return rest === 0 ? 'whole' : 'body';
    },
    size: (line) => {
      rest = lengthIn(line.split(';', 1)[0]?.trim() ?? '', /^[\da-f]+$/i, 16);
      return rest === 0 ? 'trailers' : 'chunk';
    },
    'after chunk': () => 'size',
    trailers: (line) => (line === '' ? 'whole' : 'trailers'),
  };

  /** Whether there was enough to go on. */
  function step(): boolean {
    if (part === 'whole') return false;
    if (part === 'body' || part === 'chunk') {
      const some = pending.slice(0, Math.min(rest, pending.length));
      body += some.slice(0, longest - body.length);
      pending = pending.slice(some.length);
      rest -= some.length;
      if (rest > 0) return false;
      part = part === 'chunk' ? 'after chunk' : 'whole';
      return true;
    }
    const end = pending.indexOf('\n');
    if (end === -1) return false;
    const line = pending.slice(0, pending[end - 1] === '\r' ? end - 1 : end);
    pending = pending.slice(end + 1);
    part = read[part](line);
    return true;
  }

  const header = (name: string) => headers.get(name) ?? null;
  const whole = () => (part === 'whole' ? { status, header, bytes: Buffer.from(body, 'latin1') } : undefined);
  return {
    take(text) {
      pending += text;
      taken += text.length;
      while (step());
      const isHead = part === 'status' || part === 'headers';
      if (isHead && taken > LONGEST_HEAD) throw new Error('the answer begins with too much');
      return whole();
    },
    end() {
      if (part === 'body' && rest === Number.POSITIVE_INFINITY) part = 'whole';
      const answer = whole();
      if (answer === undefined) throw new Error(taken === 0 ? 'socket hang up' : 'the answer was broken off');
      return answer;
    },
  };
}

function lengthIn(text: string | undefined, pattern: RegExp, radix: number): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!pattern.test(text)) throw new Error('the answer has no length that can be read');
  return Number.parseInt(text, radix);
}
