/**
 * R9: results that stand before the message of their calls, as only damaged chains have them, go behind its last line with the
 * notes that follow them, unless something was typed between.
 */
import type { JsonObject } from '../../format/json.ts';
import { isResult, isUse, resultId, useId } from './blocks.ts';
import { hasResult, type Piece } from './pieces.ts';

export function settleResults(pieces: readonly Piece[]): Piece[] {
  const calls = callsIn(pieces);
  const moved = new Map<number, Piece[]>();
  const left: (Piece | undefined)[] = [...pieces];
  for (const [at, piece] of pieces.entries()) {
    const place = piece.kind === 'user' && piece.blocks.every(isResult) ? placeOf(piece.blocks, calls, at) : undefined;
    if (place === undefined) continue;
    const others = moved.get(place) ?? [];
    for (let next = at; next === at || isNote(pieces[next]); next += 1) {
      others.push(pieces[next] ?? piece);
      left[next] = undefined;
    }
    moved.set(place, others);
  }
  if (moved.size === 0) return [...pieces];
  return left.flatMap((piece, at) => [...(piece === undefined ? [] : [piece]), ...(moved.get(at) ?? [])]);
}

function isNote(piece: Piece | undefined): boolean {
  return piece?.kind === 'attachment' || (piece?.kind === 'system' && piece.text === '');
}

/** Where a message stands. */
interface Span {
  readonly first: number;
  last: number;
}

interface Calls {
  readonly messages: ReadonlyMap<string, Span>;
  /** For each piece: how often something was typed up to there. */
  readonly turns: readonly number[];
}

function callsIn(pieces: readonly Piece[]): Calls {
  const messages = new Map<string, Span>();
  const spans = new Map<string, Span>();
  const turns: number[] = [];
  let turn = 0;
  for (const [at, piece] of pieces.entries()) {
    const typed = piece.kind === 'user' ? !hasResult(piece) : piece.kind === 'system' && piece.text !== '';
    if (typed) turn += 1;
    turns.push(turn);
    if (piece.kind !== 'assistant') continue;
    const known = piece.key === undefined ? undefined : spans.get(piece.key);
    const span = known ?? { first: at, last: at };
    span.last = at;
    if (piece.key !== undefined) spans.set(piece.key, span);
    for (const block of piece.blocks) if (isUse(block) && !messages.has(useId(block))) messages.set(useId(block), span);
  }
  return { messages, turns };
}

/** The last line of the one message that makes all of these calls, if it comes later in the same turn. */
function placeOf(results: readonly JsonObject[], { messages, turns }: Calls, own: number): number | undefined {
  const [span, ...others] = new Set(results.map((block) => messages.get(resultId(block))));
  const comesLater = span !== undefined && others.length === 0 && span.first > own;
  return comesLater && turns[span.last] === turns[own] ? span.last : undefined;
}
