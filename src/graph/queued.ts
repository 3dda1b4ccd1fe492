/** Counts prompts whose only trace is the queue (E9) in one pass, keeping only what the queue is about. */
import type { Entry } from '../format/entry.ts';
import { queuedPrompts } from '../format/prompt.ts';

export function createQueuedCount(): { add(entry: Entry): void; result(): number } {
  const kept: Entry[] = [];

  function addOperation(entry: Entry): void {
    // Print mode queues the prompt it was started with: nothing was waiting.
    const isAtOnce = entry.head.operation === 'dequeue' && kept.at(-1)?.head.operation === 'enqueue';
    if (isAtOnce) kept.pop();
    else if (kept.length > 0 || entry.head.operation === 'enqueue') kept.push(entry);
  }

  return {
    add: (entry) => {
      if (entry.kind === 'queue-operation') addOperation(entry);
      else if (kept.length > 0 && mayShowQueued(entry)) kept.push(entry);
    },
    result: () => queuedPrompts(kept).size,
  };
}

function mayShowQueued({ kind, head }: Entry): boolean {
  if (kind === 'attachment') return head.attachmentType === 'queued_command';
  return kind === 'user' && !head.isSidechain && !head.blocks.some(({ type }) => type === 'tool_result');
}
