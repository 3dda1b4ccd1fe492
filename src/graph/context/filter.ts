/** R12: lines that cannot be sent, dropped in the client's order, each step seeing what the one before left. */
import type { JsonObject } from '../../format/json.ts';
import { isBlank, isThinking, isUse, resultId, useId } from './blocks.ts';
import type { AssistantPiece, Piece } from './pieces.ts';

export function filterPieces(pieces: readonly Piece[], open: ReadonlySet<string>): Piece[] {
  return dropUnsaid(dropUnresolved(pieces, open));
}

/** Lines that say nothing: blank ones, and thinking that led to nothing. */
export function dropUnsaid(pieces: readonly Piece[]): Piece[] {
  return dropMute(
    keepAssistants(pieces, ({ blocks }) => blocks.length === 0 || !blocks.every(isBlank)),
    isThinking,
  );
}

/** Once it is decided what waits for an answer, thinking beside nothing but blank text goes too. */
export function dropSilent(pieces: readonly Piece[]): Piece[] {
  return dropMute(pieces, (block) => isThinking(block) || isBlank(block));
}

/** Calls used without a result anywhere, in the order of their use. */
export function unresolvedCalls(pieces: readonly Piece[]): string[] {
  const calls = new Set<string>();
  for (const piece of pieces) {
    for (const block of piece.kind === 'assistant' ? piece.blocks : []) if (isUse(block)) calls.add(useId(block));
  }
  for (const piece of pieces) {
    for (const block of piece.kind === 'user' ? piece.blocks : []) calls.delete(resultId(block));
  }
  return [...calls];
}

/** A line goes when none of its calls was answered, with whatever else it says. Calls that are still open stay. */
function dropUnresolved(pieces: readonly Piece[], open: ReadonlySet<string>): Piece[] {
  const unresolved = new Set(unresolvedCalls(pieces));
  return keepAssistants(pieces, ({ blocks }) => {
    const uses = blocks.filter(isUse).map(useId);
    return uses.length === 0 || uses.some((id) => !unresolved.has(id) || open.has(id));
  });
}

/** Lines of mute blocks only go when no line of their message holds anything else. */
function dropMute(pieces: readonly Piece[], isMute: (block: JsonObject) => boolean): Piece[] {
  const speaking = new Set<string>();
  for (const piece of pieces) {
    if (piece.kind === 'assistant' && piece.id !== undefined && !piece.blocks.every(isMute)) speaking.add(piece.id);
  }
  return keepAssistants(
    pieces,
    ({ id, blocks }) => blocks.length === 0 || !blocks.every(isMute) || speaking.has(id ?? ''),
  );
}

function keepAssistants(pieces: readonly Piece[], keep: (piece: AssistantPiece) => boolean): Piece[] {
  return pieces.filter((piece) => piece.kind !== 'assistant' || keep(piece));
}
