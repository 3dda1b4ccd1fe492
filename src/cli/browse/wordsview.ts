/** What a search found: by chat, the words marked. */
import { safeLine } from '../../views/safe.ts';
import { hitLine, LABELS } from '../search/hitline.ts';
import { shortId } from '../shortid.ts';
import type { Layout } from './layout.ts';
import { type Look, titleOf, within } from './look.ts';
import type { Hit, State, WordsScreen } from './state.ts';
import { chatOfHit } from './wordskeys.ts';

const NAMES = new Map<string, string>(Object.entries(LABELS));

export function hitRows(state: State, screen: WordsScreen, look: Look, { list }: Layout): string[] {
  const { style } = look;
  const title = style.dim(within(toldOf(screen), list.columns));
  if (screen.hits.length === 0) return [title, ...noHits(screen, look)];
  const lines: string[] = [];
  let chat: string | undefined;
  for (const [i, hit] of screen.hits.entries()) {
    if (i < screen.top) continue;
    if (lines.length >= list.rows) break;
    if (hit.chat !== chat) lines.push(heading(state, hit, look));
    chat = hit.chat;
    lines.push(rowOf(hit, i === screen.selected, look, list.columns));
  }
  return [title, ...lines.slice(0, list.rows).map((line) => within(line, list.columns))];
}

function heading(state: State, hit: Hit, look: Look): string {
  const chat = chatOfHit(state, hit);
  return `  ${look.style.bold(chat === undefined ? `chat ${safeLine(shortId(hit.chat))}` : titleOf(chat, look))}`;
}

const INDENT = '    ';

/** Masked by the search. */
function rowOf(hit: Hit, isSelected: boolean, { style, now }: Look, columns: number): string {
  const { where, isError, time, snippet } = hit;
  const highlights = hit.highlights.map(([start, end]) => ({ start, end }));
  const shown = { label: NAMES.get(where) ?? safeLine(where), isError, time, snippet, highlights };
  const line = hitLine(shown, { style, columns, indent: INDENT.length, now });
  return `${isSelected ? style.accent('❯') : ' '}${INDENT.slice(1)}${line}`;
}

function toldOf({ phase, told }: WordsScreen): string {
  if (phase === 'searching') return 'searching …';
  return phase === 'typing' ? 'Enter searches all chats' : told;
}

function noHits({ phase }: WordsScreen, { style }: Look): string[] {
  if (phase === 'found') {
    return ['', '  Nothing was found.', style.dim('  Fewer words or filters, begin*, or ~part of a text find more.')];
  }
  if (phase !== 'typing') return [];
  return [
    '',
    style.dim('  words        all of them, anywhere      "a phrase"   begin*   ~part   -without   /regex/'),
    style.dim('  project: after: before: role: tool: file: model: git-branch: is:error in:prompt|answer|result'),
  ];
}
