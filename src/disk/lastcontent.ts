/**
 * Lines of messages that occur again under one uuid belong where the last content says (E12). Ids outside the JavaScript heap: entries of
 * a large file would fill it.
 */
import { createIds } from '../format/ids.ts';
import { asArray, asString, parseJson } from '../format/json.ts';
import { createNumbers } from '../format/numbers.ts';
import type { LineUsage } from '../graph/usage/line.ts';
import { readEntriesOf } from './read.ts';

type Said = Pick<LineUsage, 'key' | 'requestId' | 'synthetic'>;

export interface LastContent {
  /** What the last line of this uuid says; undefined where there is only one. */
  of(line: LineUsage): Said | undefined;
}

/** Reads all of a file. Throws DiskError. */
export function lastContentOf(file: string): LastContent {
  const own = createRepeated();
  const copies = createRepeated();
  for (const { kind, head } of readEntriesOf(file)) {
    const copy = kind === 'progress' ? head.progress?.copy : undefined;
    const isCopy = (copy?.type ?? copy?.message?.role) === 'assistant';
    if (kind === 'assistant') own.add(head.uuid, head.message, head.requestId);
    else if (isCopy) copies.add(copy?.uuid, copy?.message, copy?.requestId);
  }
  return { of: ({ uuid, origin }) => (uuid === undefined ? undefined : (origin.isCopy ? copies : own).last(uuid)) };
}

/** Only what occurs again is written down. */
function createRepeated() {
  const uuids = createIds();
  const contents = createIds();
  /** By uuid: the number of its last content plus one; 0 where there is one line. */
  const last = createNumbers(0);
  return {
    add(uuid: string | undefined, message: { id?: string; model?: string } = {}, requestId?: string): void {
      if (uuid === undefined) return;
      const { size } = uuids;
      const number = uuids.add(uuid);
      if (number === size) return;
      const said = [message.id ?? null, requestId ?? null, message.model === '<synthetic>' ? 'synthetic' : null];
      last.set(number, contents.add(JSON.stringify(said)) + 1);
    },
    last(uuid: string): Said | undefined {
      const number = uuids.find(uuid);
      const place = number < 0 ? 0 : last.get(number);
      if (place === 0) return undefined;
      const [key, requestId, synthetic] = asArray(parseJson(contents.at(place - 1))) ?? [];
      return { key: asString(key), requestId: asString(requestId), synthetic: synthetic === 'synthetic' };
    },
  };
}
