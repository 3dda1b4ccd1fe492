/** The list of chats: only the rows that are seen are made. */
import type { ListedChat } from '../chats.ts';
import { ago, type Column, humanBytes, table } from '../layout.ts';
import type { Layout } from './layout.ts';
import { type Look, markSigns, marksOf, plain, titleOf } from './look.ts';
import type { State } from './state.ts';

/** Wider than any screen: the title takes all that the others leave. */
const ALL = 1000;

/** The titles of the columns, then the rows. */
export function chatRows(state: State, look: Look, { list }: Layout): string[] {
  const { style } = look;
  const chats = state.shown.slice(state.top, state.top + list.rows);
  const selected = state.shown[state.selected];
  const fixed = (width: number) => ({ min: width, max: width });
  const columns: Column<ListedChat>[] = [
    {
      title: '',
      cell: (chat) => `${chat === selected ? '❯' : ' '}${markSigns(marksOf(chat, look))}`,
      drop: 0,
      ...fixed(3),
      paint: (text, chat) => paintedMarks(text, chat, look),
    },
    {
      title: 'TITLE',
      cell: (chat) => titleOf(chat, look),
      drop: 0,
      min: ALL,
      flexible: true,
      paint: (text, chat) => (chat === selected ? style.bold(text) : chat.title === undefined ? style.dim(text) : text),
    },
    {
      title: 'PROJECT',
      cell: ({ project }) => plain(lastPart(project), look),
      drop: 3,
      ...fixed(14),
      paint: style.accent,
    },
    { title: 'BRANCH', cell: ({ gitBranch }) => plain(gitBranch ?? '', look), drop: 5, ...fixed(14) },
    { title: 'TURNS', cell: ({ turns }) => String(turns), align: 'right', drop: 2, ...fixed(5) },
    { title: 'SIZE', cell: ({ bytes }) => humanBytes(bytes), align: 'right', drop: 4, ...fixed(7) },
    { title: 'UPDATED', cell: ({ updated }) => ago(updated, look.now), drop: 0, ...fixed(10) },
  ];
  return table(chats, columns, list.columns, style.dim);
}

function paintedMarks(text: string, chat: ListedChat, look: Look): string {
  const { style } = look;
  const marks = text.slice(1);
  return style.accent(text.slice(0, 1)) + (marksOf(chat, look).isLive ? style.good(marks) : style.dim(marks));
}

/** The preview has all of the path. */
function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}

/** Why there is nothing in it. */
export function nothingLines(state: State, look: Look): string[] {
  const { dim } = look.style;
  if (state.chats.length === 0)
    return ['', '  No sessions here.', dim('  Point Skein at some: skein --root DIR, or CLAUDE_CONFIG_DIR.')];
  return ['', `  None of ${state.chats.length} chats is called so.`, dim('  Enter searches what was said in them.')];
}
