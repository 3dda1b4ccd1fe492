/** Lines of which nothing might be left once what the API refuses is gone: few enough to be read before all others. */
import type { Entry } from '../../format/entry.ts';

/** A line that says nothing is hardly longer than its envelope. */
const SHORT = 1500;

export function isSuspect({ kind, head, line }: Entry): boolean {
  if (kind !== 'user' && kind !== 'assistant') return false;
  if (head.contentForm === 'none' || (head.contentForm === 'array' && head.blocks.length === 0)) return true;
  return (
    head.blocks.every(({ type, id, toolUseId }) => {
      if (type === 'tool_use') return !id || kind !== 'assistant';
      if (type === 'tool_result') return !toolUseId || kind !== 'user';
      return type === 'text' ? line.end - line.start < SHORT : type !== 'image';
    }) &&
    (head.contentForm === 'array' || line.end - line.start < SHORT)
  );
}
