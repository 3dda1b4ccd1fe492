/** Finished pieces as lines for the scrollback: written once, to be read and copied there. */
import { safeLine, safeText } from '../../views/safe.ts';
import { tokenText } from '../../views/usage/amounts.ts';
import { callLines, callTitle } from './callview.ts';
import type { FoldedPiece } from './folded.ts';
import { broken, duration, fit, indented } from './lines.ts';
import { markdownLines } from './markdown.ts';
import type { Palette } from './palette.ts';
import type { Piece } from './state.ts';

export interface Look {
  readonly width: number;
  readonly palette: Palette;
  readonly cwd: string;
}

/** A prompt of many lines is told by its first ones: the person knows what they pasted. */
const PROMPT_LINES = 12;

export function pieceLines(piece: Piece, { width, palette, cwd }: Look): string[] {
  switch (piece.kind) {
    case 'prompt':
      return promptLines(piece.text, width, palette);
    case 'answer':
      return markdownLines(piece.text, width, palette);
    case 'thought':
      return [palette.dim(fit(`∴ Thought for ${duration(piece.ms)} (Ctrl-O shows it)`, width))];
    case 'call':
      return callLines(piece, width, palette, cwd);
    case 'denied':
      return [
        `${palette.bad('●')} ${fit(callTitle(piece.name, piece.input, cwd), width - 2)}`,
        `  ${palette.bad(fit(whyNot(piece.message), width - 2))}`,
      ];
    case 'compacted': {
      const words = ` context compacted: ${tokenText(piece.before)} → ${tokenText(piece.after)} tokens `;
      return [palette.dim(fit(`──${words}${'─'.repeat(Math.max(2, width - words.length - 2))}`, width))];
    }
    case 'note':
      return broken(safeText(piece.text), width).map(palette[piece.tone]);
    case 'output':
      return broken(safeText(piece.text), width);
    case 'shell': {
      const lines = broken(safeText(piece.text).trimEnd(), width - 2);
      const mark = piece.failed ? palette.bad('!') : palette.magenta('!');
      return [`${mark} ${palette.bold(fit(safeLine(piece.command), width - 2))}`, ...indented(lines, '  ')];
    }
  }
}

/** What the model is told in many words when a person says no. */
function whyNot(message: string): string {
  return message.startsWith("The user doesn't want to") ? 'you said no' : `not allowed: ${safeLine(message)}`;
}

function promptLines(text: string, width: number, palette: Palette): string[] {
  const lines = broken(safeText(text).trimEnd(), width - 2);
  const shown = lines.length > PROMPT_LINES ? lines.slice(0, PROMPT_LINES - 1) : lines;
  const left = lines.length - shown.length;
  const all = left > 0 ? [...shown, palette.dim(`… ${left} more lines`)] : shown;
  return all.map((line, i) => `${palette.accent(i === 0 ? '❯' : ' ')} ${palette.bold(line)}`.trimEnd());
}

/** What Ctrl-O shows of it. */
export function openedLines(piece: FoldedPiece, { width, palette, cwd }: Look): string[] {
  if (piece.kind === 'thought') {
    return [palette.dim('∴ Thought'), ...indented(broken(safeText(piece.text), width - 2).map(palette.italic), '  ')];
  }
  return callLines(piece, width, palette, cwd, true);
}

/** Calls stand together; everything else has a line of air before it. */
export function needsAir(before: Piece | undefined, piece: Piece): boolean {
  if (before === undefined) return true;
  if (before.kind === 'answer' && before.goesOn && piece.kind === 'answer') return false;
  return !(isWork(before) && isWork(piece));
}

function isWork({ kind }: Piece): boolean {
  return kind === 'call' || kind === 'denied' || kind === 'thought';
}
