/** E1: what can still be read of a bad line: whole entries that a crash or two writers ran together with something else. */
import { bytesOf, type Entry, toEntry } from '../../format/entry.ts';
import { isObject, parseJson } from '../../format/json.ts';
import { memorySource } from '../../format/session.ts';
import { decode, encode } from '../../format/text.ts';
import type { Note } from '../log.ts';

export interface Salvaged {
  readonly entries: readonly Entry[];
  readonly notes: readonly Note[];
}

/** Bad lines replaced by the entries in them. */
export function salvage(entries: readonly Entry[]): Salvaged {
  const notes: Note[] = [];
  const read = entries.flatMap((entry) => {
    if (entry.kind !== 'unreadable') return [entry];
    const found = objectsIn(decode(bytesOf(entry)));
    const { number, terminated } = entry.line;
    const torn = terminated ? 'unreadable' : 'torn';
    const what = found.length === 0 ? 'left out, as every client does' : `${found.length} whole entries in it are kept`;
    notes.push({ rule: 'E1', what: `${torn} line (${entry.problem ?? 'cut off'}): ${what}`, line: number });
    return found.map((text) => entryOf(entry, text));
  });
  return { entries: notes.length === 0 ? entries : read, notes };
}

function entryOf({ source, line }: Entry, text: string): Entry {
  const bytes = encode(text);
  const place = { ...line, start: 0, end: bytes.length };
  return toEntry(memorySource(source.name, bytes), place, bytes);
}

/** How the client begins an entry; blocks inside of one begin otherwise. */
const START =
  /\{"(?:parentUuid|logicalParentUuid|uuid|sessionId|isSidechain|timestamp)":|\{"type":"(?:user|assistant|system|summary|progress|attachment|custom-title|ai-title|last-prompt)"/g;
/** A line with more starts is quoting transcripts. */
const MOST_STARTS = 16;

/** Every stretch from one start to a later one, or to the end, that is an object. */
function objectsIn(text: string): string[] {
  const starts = [...text.matchAll(START)].map(({ index }) => index).slice(0, MOST_STARTS);
  const found: string[] = [];
  let from = 0;
  for (const start of starts) {
    if (start < from) continue;
    const ends = [...starts.filter((other) => other > start), text.length];
    const whole = ends
      .map((end) => text.slice(start, end).replace(/[\0\s]+$/, ''))
      .find((each) => isObject(parseJson(each)));
    if (whole === undefined) continue;
    found.push(whole);
    from = start + whole.length;
  }
  return found;
}
