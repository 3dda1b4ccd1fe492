/** The chat of a session, as it was decided when the session was archived (chats.ts). */
import type { KnownChat } from '../../store/search.ts';
import { type Database, get, maybeText, textOf } from '../sqlite.ts';

export function chatOfSession(db: Database, session: string): KnownChat | undefined {
  const row = get(db, 'SELECT chat, title FROM chat WHERE session = ?', session);
  return row && { id: textOf(row, 'chat'), title: maybeText(row, 'title') };
}
