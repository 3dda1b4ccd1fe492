/** R13: how a conversation that stopped in the middle is closed before the person speaks again. */
import { errorResult, isResult, isUse, useId } from './blocks.ts';
import { unresolvedCalls } from './filter.ts';
import { type AssistantPiece, assistantPiece, type Piece } from './pieces.ts';

export const NO_RESPONSE = 'No response requested.';
const UNKNOWN_OUTCOME =
  '[Tool call interrupted: the session ended before its result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]';

/** Calls that nothing but lines and results of their own message, system lines and attachments follow. */
export function openCalls(pieces: readonly Piece[]): string[] {
  const tail = lastMessage(pieces);
  const unresolved = new Set(unresolvedCalls(pieces));
  return tail.flatMap((piece) => piece.blocks.filter(isUse).map(useId)).filter((id) => unresolved.has(id));
}

/** The lines of the last message, as far as only its own results stand among and after them. */
function lastMessage(pieces: readonly Piece[]): AssistantPiece[] {
  const lines: AssistantPiece[] = [];
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const piece = pieces[i];
    if (piece === undefined || piece.kind === 'system' || piece.kind === 'attachment') continue;
    if (piece.kind === 'user') {
      if (!piece.blocks.every(isResult)) break;
      continue;
    }
    if (piece.apiError || (lines[0] !== undefined && lines[0].id !== piece.id)) break;
    lines.push(piece);
  }
  return lines.reverse();
}

/** The error results of open calls come last, so that they follow the real ones. */
export function answerOpen(pieces: readonly Piece[], open: readonly string[]): Piece[] {
  if (open.length === 0) return [...pieces];
  const blocks = open.map((id) => errorResult(id, UNKNOWN_OUTCOME));
  return [...pieces, { kind: 'user', blocks, plain: false }];
}

/** A user's last word gets an answer before the new prompt: after the attachments that go with it, before system lines. */
export function closeTurn(pieces: readonly Piece[]): { pieces: Piece[]; closed: boolean } {
  const spoken = pieces.findLastIndex((piece) => piece.kind === 'user' || piece.kind === 'assistant');
  if (pieces[spoken]?.kind !== 'user') return { pieces: [...pieces], closed: false };
  const end = pieces.findLastIndex((piece) => piece.kind !== 'system');
  return { pieces: [...pieces.slice(0, end + 1), assistantPiece(NO_RESPONSE), ...pieces.slice(end + 1)], closed: true };
}
