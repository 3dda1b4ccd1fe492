/** Ids that occur once in a session (A3, E4). Backends that number their calls anew in every answer would make it unusable. */
import type { Ids } from '../../format/ids.ts';
import { asString, type JsonObject } from '../../format/json.ts';

export interface UniqueIds {
  /** The id of the message that a block is of: the same for all blocks of one answer. */
  message(id: string, index: number): string;
  /** The block, with an id of its own where it is a call. */
  block(block: JsonObject): JsonObject;
  /** Whatever has the id next is of another answer. */
  endAnswer(): void;
}

/** `known` are those that the session has; what comes is added. */
export function createUniqueIds(known: Ids, fresh: () => string): UniqueIds {
  let current: { readonly given: string; readonly used: string; index: number } | undefined;

  function unique(id: string): string {
    // With a letter: 2.1.325 finds no result for a call whose id is that of another, an underscore and digits.
    const made = id === '' || known.find(id) >= 0 ? `${id || 'id'}_x${fresh().slice(0, 8)}` : id;
    known.add(made);
    return made;
  }

  return {
    message(id, index) {
      if (current?.given !== id || index <= current.index) current = { given: id, used: unique(id), index };
      current.index = index;
      return current.used;
    },
    block(block) {
      if (block.type !== 'tool_use') return block;
      const id = asString(block.id) ?? '';
      const made = unique(id);
      return made === id ? block : { ...block, id: made };
    },
    endAnswer() {
      current = undefined;
    },
  };
}
