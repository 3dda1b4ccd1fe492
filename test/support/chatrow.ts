/** A chat of the page's list of which nothing is known. */
import type { ChatRow } from '../../src/views/page/types.ts';

export function chatRow(more: Partial<ChatRow> = {}): ChatRow {
  return {
    id: 'chat',
    title: null,
    project: '/work/app',
    gitBranch: null,
    started: null,
    updated: null,
    turns: 0,
    bytes: 0,
    sessions: 1,
    models: [],
    lastPrompt: null,
    costUSD: null,
    tokens: null,
    source: 'disk',
    marks: [],
    ...more,
  };
}
