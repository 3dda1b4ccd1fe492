/** What to send to the model: a session and the next prompt as the messages of a request (R1–R15), which the API accepts (A). */
import type { Entry } from '../../format/entry.ts';
import { chainOf, isBoundary, lastSaid, leafOf, noVisit, walk } from '../chain.ts';
import { isBlank } from './blocks.ts';
import { buildMessages } from './build.ts';
import { closeLoop, dropBlanks, dropRefused } from './clean.ts';
import { answerOpen, closeTurn, openCalls } from './close.ts';
import { dropSilent, filterPieces } from './filter.ts';
import { takesSystemTurns } from './model.ts';
import type { Chain, ChainNode } from './node.ts';
import { pairCalls } from './pair.ts';
import { type Piece, pieceOf, SYNTHETIC, type UserPiece, userPiece } from './pieces.ts';
import { reattach } from './reattach.ts';
import { settleResults } from './settle.ts';
import type { Context, ContextOptions } from './types.ts';

export type { ApiMessage, Context, ContextOptions } from './types.ts';

/** All entries of one file in file order. Never throws; equals what the client sends wherever the API accepts that. */
export function context(entries: readonly Entry[], options: ContextOptions = {}): Context {
  const chain = chainOf(entries, options.onVisit);
  const nodes = sinceBoundary(resumedNodes(chain));
  const read = settleResults(readPieces(nodes, options));
  const open = openCalls(read);
  const history = answerOpen(filterPieces(read, new Set(open)), open);
  const prompt = promptOf(options.prompt);
  const { pieces, closed } = prompt === undefined ? { pieces: history, closed: false } : closeTurn(history);
  if (prompt !== undefined) pieces.push({ kind: 'attachment', notes: [], own: true }, prompt);
  const model = options.model ?? lastModel(history);
  const built = buildMessages(dropSilent(pieces), { model, systemTurns: takesSystemTurns(model) });
  const sendable = dropRefused(prompt === undefined ? built : closeLoop(built));
  return {
    messages: dropBlanks(pairCalls(sendable)),
    model,
    leaf: nodes.at(-1)?.entry.head.uuid,
    openCalls: open,
    noResponse: closed,
  };
}

/** The conversation that a resume goes on from, in its order; of what is before a boundary, as much as the walk reaches. */
export function resumedNodes(chain: Chain): ChainNode[] {
  const leaf = lastSaid(chain, leafOf(chain));
  return leaf === undefined ? [] : reattach(chain, walk(chain, leaf));
}

/** A prompt that says nothing is none (A4). */
function promptOf(content: ContextOptions['prompt']): UserPiece | undefined {
  const piece = content === undefined ? undefined : userPiece(content);
  return piece?.blocks.every(isBlank) ? undefined : piece;
}

/** R7: the last boundary and what stands before it are not sent. */
function sinceBoundary(nodes: readonly ChainNode[]): readonly ChainNode[] {
  return nodes.slice(nodes.findLastIndex((node) => isBoundary(node.entry)) + 1);
}

function readPieces(nodes: readonly ChainNode[], { tools, onVisit = noVisit }: ContextOptions): Piece[] {
  const known = tools && new Set(tools);
  const pieces: Piece[] = [];
  for (const node of nodes) {
    const piece = pieceOf(node.entry, onVisit, known);
    if (piece !== undefined) pieces.push(piece);
  }
  return pieces;
}

/** R15: the model of the last answer that a model gave. */
function lastModel(pieces: readonly Piece[]): string | undefined {
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const piece = pieces[i];
    if (piece?.kind === 'assistant' && piece.model !== undefined && piece.model !== SYNTHETIC) return piece.model;
  }
  return undefined;
}
