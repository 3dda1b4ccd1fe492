/** W1: what every entry of a conversation must have to be resumed, filled in where it is missing. */
import type { Head } from '../format/head.ts';
import { asObject, type JsonObject } from '../format/json.ts';
import type { Kind } from '../format/kinds.ts';
import { parseTimestamp } from '../format/time.ts';

/**
 * A time for each place: its own, else a moment after that of the entry before it, so that the last entry is the newest: old
 * clients go on from there. Without any before it, that of the first that has one, else now.
 */
export function createClock(heads: readonly Head[], now: string): (at: number) => string {
  const first = heads.find(isTimed)?.timestamp ?? now;
  let last = new Date(parseTimestamp(first) - 1).toISOString();
  let done = -1;
  // Asked in order, so that one pass serves all.
  return (at) => {
    for (; done < at; done += 1) {
      const head = heads[done + 1];
      last = head !== undefined && isTimed(head) ? head.timestamp : new Date(parseTimestamp(last) + 1).toISOString();
    }
    return last;
  };
}

function isTimed(head: Head): head is Head & { readonly timestamp: string } {
  return head.timestamp !== undefined && !Number.isNaN(parseTimestamp(head.timestamp));
}

/** E15: reduced entries get the envelope that the client looks for. */
export function complete(value: JsonObject, kind: Kind): void {
  if (kind !== 'user' && kind !== 'assistant') return;
  if (typeof value.type !== 'string') value.type = kind;
  const message = asObject(value.message);
  if (message?.content === undefined && value.content !== undefined) {
    value.message = { role: kind, ...message, content: value.content };
    delete value.content;
  } else if (message !== undefined && typeof message.role !== 'string') value.message = { role: kind, ...message };
}
