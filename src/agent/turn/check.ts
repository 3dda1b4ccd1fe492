/** Every request is checked against the API's rules (A) before it is sent; what was checked before is not checked again. */
import type { ApiMessage } from '../../graph/context/types.ts';
import { type MessageIssue, unthinkingLoop, validate } from '../../graph/validate.ts';

export interface Checked {
  /** What the API would refuse. */
  readonly issues: readonly MessageIssue[];
  /** A6: otherwise the model cannot be asked to think before the person speaks again. */
  mayThink(): boolean;
}

export type Check = (messages: readonly ApiMessage[]) => Checked;

/** Stands for what comes before the part that is looked at. */
const BEFORE: ApiMessage = { role: 'user', content: [{ type: 'text', text: '…' }] };

/** That no id occurs twice over the parts (A3) is the transcript's doing. */
export function createCheck(): Check {
  let fine: readonly ApiMessage[] = [];
  return (messages) => {
    const start = firstToCheck(messages, fine);
    const issues = validate(start === 0 ? messages : [BEFORE, ...messages.slice(start)]);
    if (issues.length === 0) fine = messages;
    return { issues, mayThink: () => unthinkingLoop(messages) < 0 };
  };
}

/**
 * The last answer that was fine before: what follows it is to be held against it. Where a message is the very same as before,
 * all before it are.
 */
function firstToCheck(messages: readonly ApiMessage[], fine: readonly ApiMessage[]): number {
  let same = Math.min(fine.length, messages.length) - 1;
  while (same >= 0 && fine[same] !== messages[same]) same -= 1;
  while (same > 0 && messages[same]?.role !== 'assistant') same -= 1;
  return Math.max(same, 0);
}
