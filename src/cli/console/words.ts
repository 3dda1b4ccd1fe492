/** What is said about errors, ends of turns, and how to go on. */
import type { TurnEnd } from '../../agent/ports.ts';
import { failureWords, isError } from '../chat/result.ts';
import type { ConsoleHost } from './host.ts';

/** What, and what next, as every error of ours tells it. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const what = 'what' in error ? String(error.what) : error.message;
  const where = 'where' in error ? ` (${String(error.where)})` : '';
  return `${what}${where}${'next' in error ? `\n${String(error.next)}` : ''}`;
}

/** Why a turn did not end well. */
export function notesOf(end: TurnEnd, limits: ConsoleHost['limits']): string[] {
  if (end.reason === 'interrupted') return [];
  const words = isError(end) ? failureWords(end, limits) : undefined;
  return words === undefined || words === end.text ? [] : [words];
}

export function resumeHint(id: string): string {
  return `Go on with it: skein chat --resume ${id}\n           or: claude --resume ${id}`;
}
