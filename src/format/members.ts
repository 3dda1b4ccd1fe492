/** Where the members of a line's object stand in its bytes, for those who change one and leave the others as they are. */
import { asString, parseJson } from './json.ts';
import {
  beginScan,
  CLOSE_OBJECT,
  COMMA,
  OPEN_OBJECT,
  skipColon,
  skipSpace,
  skipString,
  skipValue,
  UNSURE,
} from './jsonscan.ts';
import { decode } from './text.ts';

export interface Member {
  readonly name: string;
  /** From the quote of its name to the end of its value. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** In their order; undefined where the scan is not sure, or a name occurs twice. */
export function membersOf(line: Uint8Array): Member[] | undefined {
  try {
    beginScan(line);
    const members = scan(line);
    return new Set(members.map(({ name }) => name)).size === members.length ? members : undefined;
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

function scan(line: Uint8Array): Member[] {
  const members: Member[] = [];
  let i = skipSpace(0);
  if (line[i] !== OPEN_OBJECT) throw UNSURE;
  i = skipSpace(i + 1);
  if (line[i] !== CLOSE_OBJECT) {
    for (;;) {
      const start = skipSpace(i);
      const stop = skipString(start);
      const valueStart = skipSpace(skipColon(stop));
      const end = skipValue(valueStart, 1);
      members.push({ name: nameAt(line, start, stop), start, valueStart, end });
      i = skipSpace(end);
      if (line[i] === CLOSE_OBJECT) break;
      if (line[i] !== COMMA) throw UNSURE;
      i += 1;
    }
  }
  if (skipSpace(i + 1) !== line.length) throw UNSURE;
  return members;
}

const BACKSLASH = 92;

/** Hardly a name has an escape in it. */
function nameAt(line: Uint8Array, start: number, stop: number): string {
  for (let i = start + 1; i < stop - 1; i += 1) {
    if (line[i] === BACKSLASH) return asString(parseJson(decode(line, start, stop))) ?? '';
  }
  return decode(line, start + 1, stop - 1);
}
