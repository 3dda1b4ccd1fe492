/**
 * R10: the order of blocks in an answer whose lines are joined one by one. Calls come last, until nothing but calls stands
 * between two thoughts: from then on everything stays as it was written, for the API takes no thinking that was moved (A5).
 */
import type { JsonObject } from '../../format/json.ts';
import { isThinking, isUse } from './blocks.ts';

export interface BlockOrder {
  readonly others: JsonObject[];
  readonly uses: JsonObject[];
  /** What came since the order stays as it is. */
  readonly later: JsonObject[];
  /** A thought is the last before the calls. */
  endsInThought: boolean;
  isFixed: boolean;
}

export function newOrder(): BlockOrder {
  return { others: [], uses: [], later: [], endsInThought: false, isFixed: false };
}

/** What is lost is not sent, but has its say in the order. */
export function addLine(order: BlockOrder, line: readonly JsonObject[], isLost: (block: JsonObject) => boolean): void {
  order.isFixed ||= thinksBetween(order, line);
  const last = line.findLast((block) => !isUse(block));
  if (last !== undefined) order.endsInThought = isThinking(last);
  for (const block of line) {
    if (isLost(block)) continue;
    if (order.isFixed) order.later.push(block);
    else if (isUse(block)) order.uses.push(block);
    else order.others.push(block);
  }
}

/** Whether a thought of this line follows calls that follow a thought. */
function thinksBetween({ endsInThought, uses }: BlockOrder, line: readonly JsonObject[]): boolean {
  let thought = endsInThought;
  let called = endsInThought && uses.length > 0;
  for (const block of line) {
    if (isThinking(block) && called) return true;
    called = thought && isUse(block);
    thought = isThinking(block) || called;
  }
  return false;
}

export function inOrder({ others, uses, later }: BlockOrder): JsonObject[] {
  return [...others, ...uses, ...later];
}
