/** The chat that is selected, in short: its facts and its last turn, or the turn that was found. */
import { tokensOf } from '../../graph/agents.ts';
import { counted } from '../../views/counted.ts';
import { tokenCount } from '../../views/items.ts';
import { parseArguments } from '../arguments.ts';
import type { ListedChat } from '../chats.ts';
import { pieces, show } from '../commands/show.ts';
import type { Context } from '../context.ts';
import { ago, cut, homePath, humanBytes, shortModel } from '../layout.ts';
import type { Library } from '../library.ts';
import { chosenTurns, type OpenedChat, openListed } from '../opened.ts';
import { MOST_PREVIEWED } from '../terminal/previewed.ts';
import { type Look, marksOf, markWords, plain, titleOf } from './look.ts';
import { brokenLine } from './verbs.ts';

/** More than any screen has rows. */
const MOST_LINES = 300;
const LONGEST = 50_000;

export interface PreviewOf {
  readonly chat: ListedChat;
  readonly turn: string | undefined;
  readonly width: number;
}

export function previewLines(
  context: Context,
  library: Library,
  look: Look,
  { chat, turn, width }: PreviewOf,
): string[] {
  if (chat.bytes > MOST_PREVIEWED)
    return [...factLines(chat, look, width, undefined), '', look.style.dim('Enter reads it.')];
  const args = parseArguments(show, turn === undefined ? [] : ['--turn', turn]);
  const opened = openListed(context, args, library, chat, chat.file);
  const turns = turn === undefined ? opened.turns.slice(-1) : chosenTurns(args, opened.turns);
  const narrow = { ...context, out: { ...context.out, columns: width, style: look.style } };
  const [, ...texts] = pieces(narrow, args, look.mask, opened, turns, 'text');
  const lines = texts.join('').split('\n').slice(0, MOST_LINES);
  return [...factLines(chat, look, width, opened), ...lines.flatMap((line) => brokenLine(line, width, LONGEST))];
}

export function factLines(chat: ListedChat, look: Look, width: number, opened: OpenedChat | undefined): string[] {
  const { style } = look;
  const branches = opened?.chat.branches.length ?? 0;
  const rows: readonly (readonly (string | undefined)[])[] = [
    [plain(homePath(chat.project, look.home), look), chat.gitBranch && plain(chat.gitBranch, look)],
    [
      counted(chat.turns, 'turn'),
      opened && `${tokenCount(tokensOf(opened.chat.usage()))} tokens`,
      humanBytes(chat.bytes),
      plain(shortModel(chat.model), look),
      ago(chat.updated, look.now),
    ],
    [
      ...markWords(marksOf(chat, look)),
      chat.sessions.length > 1 ? `${chat.sessions.length} files` : undefined,
      branches > 1 ? `${branches} branches` : undefined,
    ],
  ];
  const facts = rows.map((row) => row.filter((cell) => cell !== undefined && cell !== '').join(' · '));
  return [
    style.bold(cut(titleOf(chat, look), width)),
    ...facts.filter((line) => line !== '').map((line) => style.dim(cut(line, width))),
  ];
}
