/** Standard input as messages, a line each. Those that come before anybody takes them wait. */
import type { Readable } from 'node:stream';
import { CommandError } from '../../errors.ts';
import { type InputMessage, parseInputLine } from '../input.ts';

export interface Inbox {
  /** The first message, which stays; undefined when there is none. */
  readonly first: Promise<InputMessage | undefined>;
  /** Hands over what waits, and from then on what comes. `ended`: nothing more will; with what was wrong with the input, if anything. */
  open(take: (message: InputMessage) => void, ended: (wrong: unknown) => void): void;
  /** Reads no more. */
  stop(): void;
}

/** More than a prompt with pictures that any model takes. */
const MOST_BYTES = 64 << 20;
const LINE_END = 10;

/** `early`: takes what must not wait, as soon as it is read. */
export function createInbox(input: Readable, early: (message: InputMessage) => boolean): Inbox {
  const waiting: InputMessage[] = [];
  const { promise: first, resolve: begin } = Promise.withResolvers<InputMessage | undefined>();
  let taker: { take(message: InputMessage): void; ended(wrong: unknown): void } | undefined;
  let isOver = false;
  let wrong: unknown;
  let number = 0;
  let parts: Buffer[] = [];
  let held = 0;

  const end = (error?: unknown) => {
    if (isOver) return;
    isOver = true;
    wrong = error;
    parts = [];
    begin(undefined);
    taker?.ended(wrong);
  };
  const stop = (error?: unknown) => {
    end(error);
    input.destroy();
  };
  const line = (bytes: Buffer) => {
    number += 1;
    const text = bytes.toString('utf8');
    if (text.trim() === '') return;
    const message = parseInputLine(text, number);
    if (early(message)) return;
    begin(message);
    if (taker) taker.take(message);
    else waiting.push(message);
  };
  const hold = (part: Buffer) => {
    held += part.length;
    if (held > MOST_BYTES) throw tooLong(number + 1);
    parts.push(part);
  };
  const take = (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(LINE_END); at >= 0 && !isOver; at = chunk.indexOf(LINE_END, from)) {
      hold(chunk.subarray(from, at));
      const whole = Buffer.concat(parts);
      [parts, held, from] = [[], 0, at + 1];
      line(whole);
    }
    if (from < chunk.length && !isOver) hold(chunk.subarray(from));
  };
  const attempt = (work: () => void) => {
    try {
      if (!isOver) work();
    } catch (error) {
      stop(error);
    }
  };
  input.on('data', (chunk: Buffer | string) => attempt(() => take(Buffer.from(chunk))));
  input.on('end', () => {
    attempt(() => line(Buffer.concat(parts)));
    end();
  });
  // What cannot be read has ended.
  input.on('error', () => end());
  input.on('close', () => end());
  return {
    first,
    open(takes, ended) {
      taker = { take: takes, ended };
      for (const message of waiting.splice(0)) takes(message);
      if (isOver) ended(wrong);
    },
    stop: () => stop(),
  };
}

function tooLong(number: number): CommandError {
  const most = `${MOST_BYTES >> 20} MB`;
  return new CommandError(
    `Line ${number} of the input is longer than ${most}.`,
    'standard input',
    'Send less at once.',
  );
}
