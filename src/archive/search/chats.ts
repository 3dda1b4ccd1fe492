/** Which chat each archived session belongs to, and what it is called: decided by the graph when sessions come or change, so that a search need not. */
import { join } from 'node:path';
import { chatsOf } from '../../graph/chat/summary.ts';
import type { SessionFacts } from '../../graph/lineage.ts';
import { INDEX_NAME, openIndex } from '../derived.ts';
import { allStates } from '../files.ts';
import { outlineIn } from '../outlines.ts';
import { pathOf } from '../sources.ts';
import { all, type Database, get, numberOf, run, transaction } from '../sqlite.ts';
import { type Archive, guarded } from '../store.ts';
import { collectGarbage } from '../turns.ts';

/** After the outlines. Nothing is done while the sessions are those it was made of. */
export function updateChats(archive: Archive): void {
  guarded('cannot keep the chats', join(archive.folder, INDEX_NAME), () => {
    const index = openIndex(archive);
    try {
      const state = stateOf(index.db);
      if (get(index.db, "SELECT value FROM meta WHERE key = 'chats'")?.value === state) return;
      const rows = chatRows(archive, index.db);
      transaction(index.db, () => {
        run(index.db, 'DELETE FROM chat');
        for (const { session, chat, title } of rows)
          run(
            index.db,
            'INSERT OR REPLACE INTO chat (session, chat, title) VALUES (?, ?, ?)',
            session,
            chat,
            title ?? null,
          );
        run(index.db, "INSERT OR REPLACE INTO meta VALUES ('chats', ?)", state);
      });
    } finally {
      index.close();
    }
  });
}

/** Which files have outlines. A session that only grows stays in its chat. */
function stateOf(db: Database): string {
  return all(db, 'SELECT file FROM outline ORDER BY file')
    .map((row) => numberOf(row, 'file'))
    .join();
}

interface ChatRow {
  readonly session: string;
  readonly chat: string;
  readonly title: string | undefined;
}

/** Outlines read before the memory that reading them took is asked back. */
const MOST_READ = 256;

function chatRows(archive: Archive, index: Database): ChatRow[] {
  const facts: SessionFacts[] = [];
  const states = allStates(archive.db);
  if (states.length > MOST_READ) collectGarbage();
  let read = 0;
  for (const state of states) {
    const outline = state.kind === 'session' ? outlineIn(index, state.digest) : undefined;
    if (outline === undefined || state.session === undefined) continue;
    facts.push({ id: state.session, file: pathOf(state), bytes: state.size, outline });
    read += 1;
    if (read % MOST_READ === 0) collectGarbage();
  }
  return chatsOf(facts).flatMap(({ id, title, sessions }) =>
    sessions.map((session) => ({ session: session.id, chat: id, title })),
  );
}
