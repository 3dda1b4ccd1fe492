/** R13: how a conversation that stopped in the middle is closed before the person speaks again. */
import { errorResult, useId } from './blocks.ts';
import { dropUnsaid, filterPieces, unresolvedCalls } from './filter.ts';
import { type AssistantPiece, assistantPiece, hasResult, type Piece, type UserPiece } from './pieces.ts';

export const NO_RESPONSE = 'No response requested.';
export const UNKNOWN_OUTCOME =
  '[Tool call interrupted: the session ended before its result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]';

const NONE: ReadonlySet<string> = new Set();

/**
 * The unanswered calls of a turn that stopped in the middle: all of them if it ends in a result, be it that only lines that
 * come to nothing follow; else those of the last message. What the person typed, or an API error at the end, ends a turn.
 */
export function openCalls(pieces: readonly Piece[]): string[] {
  const unresolved = new Set(unresolvedCalls(pieces));
  if (unresolved.size === 0) return [];
  const turn = lastTurn(dropUnsaid(pieces));
  const last = turn.at(-1);
  const only = last?.kind === 'assistant' && !endsInResult(filterPieces(pieces, NONE)) ? last : undefined;
  const calls: string[] = [];
  for (const piece of turn) {
    if (piece.kind === 'user' || (only !== undefined && piece.id !== only.id)) continue;
    for (const block of piece.blocks) if (unresolved.has(useId(block))) calls.push(useId(block));
  }
  return calls;
}

function endsInResult(pieces: readonly Piece[]): boolean {
  const last = pieces.findLast(({ kind }) => kind === 'user' || kind === 'assistant');
  return last !== undefined && hasResult(last);
}

/** The answers and results since the person last typed. */
function lastTurn(pieces: readonly Piece[]): (UserPiece | AssistantPiece)[] {
  const turn: (UserPiece | AssistantPiece)[] = [];
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const piece = pieces[i];
    if (piece === undefined || piece.kind === 'system' || piece.kind === 'attachment') continue;
    const isError = piece.kind === 'assistant' && piece.apiError;
    // An API error in the middle ended nothing: somebody went on.
    if (isError && turn.length > 0) continue;
    if (isError || (piece.kind === 'user' && !hasResult(piece))) break;
    turn.push(piece);
  }
  return turn.reverse();
}

/**
 * The error results of open calls come last, so that they follow the real ones. Those of earlier messages would be too late
 * there: such calls are answered where they stand (R14).
 */
export function answerOpen(pieces: readonly Piece[], open: readonly string[]): Piece[] {
  const last = pieces.findLast((piece) => piece.kind === 'assistant' && !piece.apiError);
  if (open.length === 0 || last?.kind !== 'assistant') return [...pieces];
  const own = new Set<string>();
  for (const piece of pieces) {
    if (piece.kind !== 'assistant') continue;
    const isOwn = last.key !== undefined && piece.key === last.key;
    for (const block of isOwn || piece === last ? piece.blocks : []) own.add(useId(block));
  }
  const blocks = open.filter((id) => own.has(id)).map((id) => errorResult(id, UNKNOWN_OUTCOME));
  return blocks.length === 0 ? [...pieces] : [...pieces, { kind: 'user', blocks, plain: false, part: 'prompt' }];
}

/** What waits for an answer gets one before the new prompt: after the attachments that go with it, before system lines. */
export function closeTurn(pieces: readonly Piece[]): { pieces: Piece[]; closed: boolean } {
  const end = pieces.findLastIndex((piece) => piece.kind !== 'system') + 1;
  if (!awaitsAnswer(pieces, end)) return { pieces: [...pieces], closed: false };
  return { pieces: [...pieces.slice(0, end), assistantPiece(NO_RESPONSE), ...pieces.slice(end)], closed: true };
}

function awaitsAnswer(pieces: readonly Piece[], end: number): boolean {
  const attached = pieces[end - 1]?.kind === 'attachment';
  // With attachments at the end an API error counts as no answer.
  const spoken = pieces.findLastIndex(
    (piece) => piece.kind === 'user' || (piece.kind === 'assistant' && !(attached && piece.apiError)),
  );
  const last = pieces[spoken];
  if (last?.kind !== 'user' || isLocalCommand(pieces, spoken)) return false;
  return !attached || (last.part !== 'summary' && last.part !== 'interruption');
}

/** A command that the client itself carried out: a caveat, then the command, then what it put out, the latter two optional. */
function isLocalCommand(pieces: readonly Piece[], last: number): boolean {
  const parts: string[] = [];
  for (let i = last; i >= 0 && parts.length < 3; i -= 1) {
    const piece = pieces[i];
    if (piece?.kind === 'user') parts.push(piece.part);
    else if (piece?.kind === 'assistant') break;
  }
  return /^(output )?(command )?caveat( |$)/.test(parts.join(' '));
}
