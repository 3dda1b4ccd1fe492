/** Which session a sub-agent's file belongs to, where its folder does not say so (2.0.x, L3). */
import { attempt, type Report } from './folder.ts';
import { readEntriesOf } from './read.ts';

/** Mostly enough for some lines of an agent; a session id stands on every line. */
const PEEK_BYTES = 64 << 10;
/** A first line that is longer is read on to this. */
const MOST_BYTES = 32 << 20;

/**
 * The session id that most of the file's first lines carry, the later one on a tie: the first line of a warm-up agent
 * can name another session than all that follow.
 */
export function parentSessionOf(file: string, report: Report = () => {}): string | undefined {
  const counts = attempt(() => countSessionIds(file), file, report) ?? new Map<string, number>();
  let best: string | undefined;
  for (const [id, count] of counts) if (best === undefined || count >= (counts.get(best) ?? 0)) best = id;
  return best;
}

function countSessionIds(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { head, line } of readEntriesOf(file, { to: MOST_BYTES, chunkBytes: PEEK_BYTES })) {
    if (head.sessionId !== undefined) counts.set(head.sessionId, (counts.get(head.sessionId) ?? 0) + 1);
    if (line.end >= PEEK_BYTES && counts.size > 0) break;
  }
  return counts;
}
