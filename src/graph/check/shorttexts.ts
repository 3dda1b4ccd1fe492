/** Entries whose long texts are cut when they are read: how a conversation is put together does not rest on what they say. */
import type { Entry, Source } from '../../format/entry.ts';
import { type Json, parseJson } from '../../format/json.ts';
import { decode, encode } from '../../format/text.ts';
import { fingerprint } from '../lineage/fingerprint.ts';

/** More than any text is compared with, or counted to. */
const LONGEST = 1000;
const HEAD = 400;
const TAIL = 100;

export function withShortTexts(entries: readonly Entry[]): Entry[] {
  const sources = new Map<Source, Source>();
  return entries.map((entry) => {
    const short = sources.get(entry.source) ?? shortened(entry.source);
    sources.set(entry.source, short);
    return { ...entry, source: short };
  });
}

function shortened(source: Source): Source {
  return {
    name: source.name,
    read(start, end) {
      const bytes = source.read(start, end);
      if (bytes.length <= LONGEST) return bytes;
      const value = parseJson(decode(bytes));
      return value === undefined ? bytes : encode(JSON.stringify(value, shorten));
    },
  };
}

/** Begins and ends as the text did, is blank only if that was, and differs where that does. */
export function shorten(_: string, value: Json): Json {
  if (typeof value !== 'string' || value.length <= LONGEST) return value;
  const middle = value.trim() === '' ? '' : `…${fingerprint(value)}…`;
  return `${value.slice(0, HEAD)}${middle}${value.slice(-TAIL)}`;
}
