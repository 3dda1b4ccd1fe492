/** S5: which lines a slimmed, compressed or repaired copy carries over: no record of requests, costs, queues or files. */
import type { Entry } from '../format/entry.ts';
import type { Kind } from '../format/kinds.ts';
import { isCarried } from './clone.ts';

const LEFT: ReadonlySet<Kind> = new Set<Kind>([
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
  // A copy writes its own.
  'last-prompt',
]);

export function isCarriedOver(entry: Entry): boolean {
  return isCarried(entry) && !LEFT.has(entry.kind);
}
