/** Markdown as lines of a terminal. What comes in may be hostile: only what we paint ourselves goes out as an escape. */
import { Markdown, type MarkdownTheme } from '@earendil-works/pi-tui/dist/components/markdown.js';
import { wrapTextWithAnsi } from '@earendil-works/pi-tui/dist/utils.js';
import { lexer, type Token } from 'marked';
import { safeText } from '../../views/safe.ts';
import { broken } from './lines.ts';
import type { Palette } from './palette.ts';

/** Set once it is loaded: few answers hold code, and none in the first second. */
type Highlight = (code: string, language: string, palette: Palette) => string[] | undefined;
let highlighting: Highlight | undefined;

export function useHighlight(highlight: Highlight): void {
  highlighting = highlight;
}

/** Answers are read best in lines that are not too long. */
const MEASURE = 100;

export function markdownLines(text: string, width: number, palette: Palette): string[] {
  const safe = safeText(text).replaceAll('\t', '    ');
  try {
    return laidOut(safe, width, palette);
  } catch {
    // Nested deeper than can be read: as it is.
    return broken(safe, Math.max(1, Math.min(width, MEASURE)));
  }
}

function laidOut(safe: string, width: number, palette: Palette): string[] {
  const measure = Math.max(1, Math.min(width, MEASURE));
  const theme = themeOf(palette);
  const lines: string[] = [];
  for (const part of partsOf(safe)) {
    if (lines.length > 0) lines.push('');
    const own =
      typeof part === 'string'
        ? proseLines(part, measure, theme, palette.isColored)
        : codeLines(part.code, part.language, width, palette);
    // There may be more of them than a call takes arguments.
    for (const line of own) lines.push(line);
  }
  return lines;
}

interface Code {
  readonly code: string;
  readonly language: string;
}

/** Code stands by itself, as wide as the terminal; what is between goes together. */
function partsOf(text: string): (string | Code)[] {
  const parts: (string | Code)[] = [];
  let prose = '';
  const flush = () => {
    if (prose.trim() !== '') parts.push(prose);
    prose = '';
  };
  for (const token of lexer(text)) {
    if (isCode(token)) {
      flush();
      parts.push({ code: token.text, language: /^[\w+#-]+/.exec(token.lang ?? '')?.[0] ?? '' });
    } else prose += token.raw;
  }
  flush();
  return parts;
}

function isCode(token: Token): token is Token & { text: string; lang?: string } {
  return token.type === 'code';
}

function proseLines(text: string, width: number, theme: MarkdownTheme, isColored: boolean): string[] {
  const options = { renderLatex: false, preserveOrderedListMarkers: true };
  const lines = new Markdown(text.trim(), 0, 0, theme, undefined, options).render(width);
  // Some of what the library does ends colours that were never begun.
  return lines.map((line) => (isColored ? line : safeText(line)).trimEnd());
}

/** Under a thin bar; long lines are broken, never cut: they may be copied. */
export function codeLines(code: string, language: string, width: number, palette: Palette): string[] {
  const painted = highlighting?.(code, language, palette) ?? code.split('\n');
  const bar = palette.dim('│ ');
  return painted.flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - 2)).map((part) => bar + part));
}

function themeOf(palette: Palette): MarkdownTheme {
  return {
    heading: (text) => palette.bold(palette.accent(text)),
    link: palette.blue,
    linkUrl: palette.dim,
    code: palette.accent,
    codeBlock: (text) => text,
    codeBlockBorder: palette.dim,
    quote: palette.italic,
    quoteBorder: palette.dim,
    hr: palette.dim,
    listBullet: palette.accent,
    bold: palette.bold,
    italic: palette.italic,
    strikethrough: (text) => text,
    underline: palette.underline,
  };
}
