/** What a person types while the model is busy (E9): it waits, and both its coming and its going stand in the transcript. */
import { randomUUID } from 'node:crypto';
import { DiskError } from '../disk/errors.ts';
import { asString, type JsonObject } from '../format/json.ts';
import type { Queued, Transcript } from './ports.ts';

export interface MessageQueue {
  readonly size: number;
  /** The names of what waits in it. */
  readonly waiting: readonly string[];
  /** `isNotice`: nobody typed it, something in the background is done. `uuid`: the name it was given. */
  add(content: string | readonly JsonObject[], isNotice?: boolean, uuid?: string): void;
  /** Takes one back; false when it is not there any more. */
  remove(uuid: string): boolean;
  /** All of it, to be told beside the results of the running turn. */
  take(): readonly Queued[];
  /** The first, to be the next prompt. */
  next(): Queued | undefined;
}

export function createQueue(transcript: Pick<Transcript, 'line'>, now: () => number = Date.now): MessageQueue {
  let waiting: Queued[] = [];

  /** What was typed is not lost for a full disk: the turn itself will say so when it next writes. */
  function note(operation: string, fields: JsonObject = {}): void {
    try {
      transcript.line({ type: 'queue-operation', operation, timestamp: new Date(now()).toISOString(), ...fields });
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
    }
  }

  return {
    get size() {
      return waiting.length;
    },
    get waiting() {
      return waiting.flatMap(({ uuid, isNotice }) => (isNotice ? [] : [uuid]));
    },
    remove(uuid) {
      const isThere = waiting.some((each) => each.uuid === uuid);
      waiting = waiting.filter((each) => each.uuid !== uuid);
      // To readers `remove` is what the model was told; what is taken back is all of it, and the rest comes again.
      if (isThere) note('popAll');
      if (isThere) for (const { content } of waiting) note('enqueue', { content: wordsOf(content) });
      return isThere;
    },
    add(content, isNotice = false, uuid = randomUUID()) {
      note('enqueue', { content: wordsOf(content) });
      const typed = new Date(now()).toISOString();
      waiting.push({ content, uuid, typed, ...(isNotice && { isNotice }) });
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    next() {
      const first = waiting.shift();
      if (first !== undefined) note('dequeue');
      return first;
    },
  };
}

function wordsOf(content: Queued['content']): string {
  return typeof content === 'string' ? content : content.flatMap(({ text }) => asString(text) ?? []).join('\n');
}
