/** Results that stand before the message of their call, as only damaged chains have them, go behind the call, unless something was typed between. */
import { isResult, isUse, resultId, useId } from './blocks.ts';
import { hasResult, type Piece } from './pieces.ts';

export function settleResults(pieces: readonly Piece[]): Piece[] {
  const calls = firstUses(pieces);
  const moved = new Map<number, Piece[]>();
  const left = pieces.map((piece, i) => {
    const call =
      piece.kind === 'user' && piece.blocks.every(isResult) ? laterCall(piece.blocks.map(resultId), calls, i) : i;
    if (call === i) return piece;
    const others = moved.get(call);
    if (others === undefined) moved.set(call, [piece]);
    else others.push(piece);
    return undefined;
  });
  if (moved.size === 0) return [...pieces];
  return left.flatMap((piece, i) => [...(piece === undefined ? [] : [piece]), ...(moved.get(i) ?? [])]);
}

interface Place {
  readonly at: number;
  /** Where the message of the call begins. */
  readonly start: number;
  /** How often something was typed before. */
  readonly turn: number;
}

interface Calls {
  readonly uses: ReadonlyMap<string, Place>;
  readonly turns: readonly number[];
}

function firstUses(pieces: readonly Piece[]): Calls {
  const uses = new Map<string, Place>();
  const turns: number[] = [];
  const starts = new Map<string, number>();
  let turn = 0;
  for (const [at, piece] of pieces.entries()) {
    if (piece.kind === 'user' && !hasResult(piece)) turn += 1;
    turns.push(turn);
    if (piece.kind !== 'assistant') continue;
    const start = piece.key === undefined ? at : (starts.get(piece.key) ?? at);
    if (piece.key !== undefined) starts.set(piece.key, start);
    for (const block of piece.blocks) {
      if (isUse(block) && !uses.has(useId(block))) uses.set(useId(block), { at, start, turn });
    }
  }
  return { uses, turns };
}

/** Where the last of these calls is made, if all of them come later in the same turn; else the own place. */
function laterCall(ids: readonly string[], { uses, turns }: Calls, own: number): number {
  let last = own;
  for (const id of ids) {
    const use = uses.get(id);
    if (use === undefined || use.start < own || use.turn !== turns[own]) return own;
    last = Math.max(last, use.at);
  }
  return last;
}
