/** A listed chat as a row of the page. */
import type { Outline } from '../../graph/outline.ts';
import type { ChatRow, Mark } from '../../views/page/types.ts';
import type { ListedChat } from '../chats.ts';
import { sourceOf } from '../sources.ts';

/** What was counted of a chat. */
export interface Counted {
  readonly costUSD: number | null;
  readonly tokens: number;
}

export interface RowFacts {
  readonly now: number;
  readonly counted: Counted | undefined;
  outlineOf(file: string): Outline | undefined;
}

/** A session that was written to within this time is being worked in. */
const LIVE_MS = 120_000;

export function rowOf(chat: ListedChat, { now, counted, outlineOf }: RowFacts): ChatRow {
  const outlines = chat.files.flatMap(({ file }) => outlineOf(file) ?? []);
  return {
    id: chat.id,
    title: chat.title ?? null,
    project: chat.project,
    gitBranch: chat.gitBranch ?? null,
    started: chat.started ?? null,
    updated: chat.updated ?? null,
    turns: chat.turns,
    bytes: chat.bytes,
    sessions: chat.sessions.length,
    models: [...new Set(outlines.flatMap(({ models }) => models))],
    lastPrompt: outlineOf(chat.file.file)?.lastPrompt ?? null,
    costUSD: counted?.costUSD ?? null,
    tokens: counted?.tokens ?? null,
    source: sourceOf(chat.file),
    marks: marksOf(chat, outlines, now),
  };
}

/** When its row is another one though nothing was written. */
export function liveUntil({ files }: ListedChat, now: number): number {
  const newest = files.reduce((time, file) => (file.source === undefined ? Math.max(time, file.mtimeMs) : time), 0);
  return now - newest < LIVE_MS ? newest + LIVE_MS : Number.POSITIVE_INFINITY;
}

export function isLive({ files }: ListedChat, now: number): boolean {
  return files.some(({ source, mtimeMs }) => source === undefined && now - mtimeMs < LIVE_MS);
}

function marksOf(chat: ListedChat, outlines: readonly Outline[], now: number): Mark[] {
  const isBranched = chat.sessions.filter(({ leaf }) => leaf).length > 1 || outlines.some(({ rewinds }) => rewinds > 0);
  const marks: readonly [Mark, boolean][] = [
    ['live', isLive(chat, now)],
    ['branched', isBranched],
    ['compacted', outlines.some(({ compactions }) => compactions > 0)],
    ['errors', outlines.some(({ apiErrors }) => apiErrors > 0)],
    ['archived', chat.file.source === 'archive' || chat.file.source === 'history'],
  ];
  return marks.flatMap(([mark, holds]) => (holds ? mark : []));
}
