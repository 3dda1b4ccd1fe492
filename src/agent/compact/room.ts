/** Room for the next request of a turn: before the window is full, and when the API says that it is. */
import type { ModelRequest } from '../ports.ts';
import { type Turn, writeFollow, wrote } from '../turn/turn.ts';

/** True when the conversation was compacted, or the turn was ended meanwhile: the request has to be made anew. */
export async function makeRoom(turn: Turn, request: ModelRequest): Promise<boolean> {
  const limit = turn.compactAt?.(request.model);
  if (limit === undefined || turn.isCrowded) return false;
  const { tokens, isGuess, isFresh, least } = turn.meter.measure(request.messages);
  // What a compaction leaves is as short as it gets.
  if (isFresh || least >= limit) return false;
  const isUnsure = isGuess && tokens > limit / 2;
  const known = isUnsure ? ((await counted(turn, request)) ?? tokens) : tokens;
  return known < limit ? false : compactInTurn(turn);
}

/** True when it is worth asking again: once in a turn. */
export async function afterOverflow(turn: Turn): Promise<boolean> {
  if (turn.compactAt === undefined || turn.overflowed || turn.isCrowded) return false;
  turn.overflowed = true;
  return compactInTurn(turn);
}

async function counted(turn: Turn, request: ModelRequest): Promise<number | undefined> {
  const count = await turn.model.countTokens?.(request);
  return count !== undefined && 'tokens' in count ? count.tokens : undefined;
}

async function compactInTurn(turn: Turn): Promise<boolean> {
  const { compact } = await import('./compact.ts');
  const { words, uuids } = turn.asked;
  const done = await compact(turn, { trigger: 'auto', asked: words.join('\n\n'), running: uuids });
  switch (done.kind) {
    case 'done':
      for (const entry of done.after) wrote(turn, turn.transcript.entry(entry));
      writeFollow(turn, turn.remind?.());
      return true;
    case 'aborted':
      return true;
    case 'nothing':
      turn.isCrowded = true;
      return false;
    default: {
      turn.isCrowded = true;
      const why = done.kind === 'blocked' ? `a PreCompact hook did not allow it: ${done.why}` : done.failure.message;
      const content = `The conversation is nearly too long and could not be compacted (${why}). It goes on as it is.`;
      wrote(turn, turn.transcript.system('informational', { content, level: 'warning' }));
      return false;
    }
  }
}
