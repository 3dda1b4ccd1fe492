/** What was shown in a line and can be written out whole: calls and thinking, the newest first, and no more than can be kept. */
import { safeLine } from '../../views/safe.ts';
import { callTitle, textOf } from './callview.ts';
import { type Dialog, dialogOf, type Option } from './dialog.ts';
import { duration } from './lines.ts';
import type { Piece } from './state.ts';

export type FoldedPiece = Extract<Piece, { kind: 'call' | 'thought' }>;

const MOST = 50;
/** Characters; the newest is kept whatever its size. */
const MOST_CHARACTERS = 8 << 20;
const LONGEST_LABEL = 300;

/** With one more; the oldest give way. */
export function withFolded(before: readonly FoldedPiece[], piece: FoldedPiece): FoldedPiece[] {
  const kept: FoldedPiece[] = [piece];
  let room = MOST_CHARACTERS - sizeOf(piece);
  for (const each of before.slice(0, MOST - 1)) {
    room -= sizeOf(each);
    if (room < 0) break;
    kept.push(each);
  }
  return kept;
}

const sizes = new WeakMap<FoldedPiece, number>();

/** Looked into once. */
function sizeOf(piece: FoldedPiece): number {
  const known = sizes.get(piece);
  if (known !== undefined) return known;
  const size = JSON.stringify(piece).length;
  sizes.set(piece, size);
  return size;
}

/** The key that asks for it chooses, too: twice opens the newest. */
export function foldedDialog(pieces: readonly FoldedPiece[], cwd: string): Dialog {
  const options = pieces.map((piece) => optionOf(piece, cwd));
  return dialogOf({ title: 'What should be written out?', options, filter: '', again: 'ctrl+o' });
}

function optionOf(piece: FoldedPiece, cwd: string): Option {
  if (piece.kind === 'thought') {
    const note = safeLine(piece.text.trimStart().slice(0, LONGEST_LABEL));
    return { label: `∴ Thought for ${duration(piece.ms)}`, note };
  }
  const lines = textOf(piece.outcome).trimEnd().split('\n').length;
  const label = `● ${callTitle(piece.name, piece.input, cwd).slice(0, LONGEST_LABEL)}`;
  return { label, ...(lines > 1 && { note: `${lines} lines` }) };
}
