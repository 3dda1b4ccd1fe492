/** Which chat each archived session belongs to, and what it is called: decided by the graph when sessions come or change, so that a search need not. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { eachId } from '../../format/idlist.ts';
import { asArray, asNumber, asString, at, type Json, parseJson } from '../../format/json.ts';
import { chatsOf } from '../../graph/chat/summary.ts';
import type { SessionFacts } from '../../graph/lineage.ts';
import type { Outline } from '../../graph/outline.ts';
import { type ArchivedState, allStates } from '../files.ts';
import { INDEX_NAME, openIndex } from '../index/derived.ts';
import { outlineIn } from '../index/outlines.ts';
import { all, blobOf, type Database, get, numberOf, run, transaction } from '../sqlite.ts';
import { type Archive, guarded } from '../store.ts';
import { pathOf } from '../sync/sources.ts';
import { collectGarbage } from '../turns.ts';

/** After the outlines. Nothing is done while they are those it was made of. */
export function updateChats(archive: Archive): void {
  guarded('cannot keep the chats', join(archive.folder, INDEX_NAME), () => {
    const index = openIndex(archive);
    try {
      const kept = keptIn(index.db);
      const state = stateOf(kept);
      if (metaOf(index.db, 'chats') === state) return;
      const grown = madeOfGrown(index.db, kept);
      const { rows, made } = grown ? { rows: undefined, made: grown } : makeChats(archive, index.db, kept);
      transaction(index.db, () => {
        if (rows !== undefined) save(index.db, rows);
        const sql = "INSERT OR REPLACE INTO meta VALUES ('chats', ?), ('chats-of', ?)";
        run(index.db, sql, state, JSON.stringify([...made]));
      });
    } finally {
      index.close();
    }
  });
}

function save(db: Database, rows: readonly ChatRow[]): void {
  run(db, 'DELETE FROM chat');
  const sql = 'INSERT OR REPLACE INTO chat (session, chat, title) VALUES (?, ?, ?)';
  for (const { session, chat, title } of rows) run(db, sql, session, chat, title ?? null);
}

function metaOf(db: Database, key: string) {
  return get(db, 'SELECT value FROM meta WHERE key = ?', key)?.value;
}

/** By file: of which bytes its outline is. */
type Kept = ReadonlyMap<number, Buffer>;

function keptIn(db: Database): Kept {
  const rows = all(db, 'SELECT file, digest FROM outline ORDER BY file');
  return new Map(rows.map((row) => [numberOf(row, 'file'), blobOf(row, 'digest')]));
}

function stateOf(kept: Kept): string {
  const hash = createHash('sha256');
  for (const [file, digest] of kept) hash.update(`${file} `).update(digest);
  return hash.digest('hex');
}

/** What of an outline decides which chat it is in and how that is called, when the chats were made. */
interface Made {
  readonly digest: string;
  /** How many ids it had; what has more and begins with them only grew. */
  readonly ids: number;
  /** '' for a session in a chat of several: which of them was last written to matters there. */
  readonly key: string;
}

/**
 * When sessions only grew, and still say the same of themselves, the chats are what they were, and none but their outlines
 * is read. undefined when the chats have to be made again.
 */
function madeOfGrown(index: Database, kept: Kept): Map<number, Made> | undefined {
  const before = madeBefore(index);
  if (before.size !== kept.size) return undefined;
  const made = new Map<number, Made>();
  for (const [file, bytes] of kept) {
    const [was, digest] = [before.get(file), bytes.toString('hex')];
    if (was === undefined) return undefined;
    if (was.digest !== digest) {
      const outline = was.key === '' ? undefined : outlineIn(index, bytes);
      if (outline === undefined || keyOf(outline, was.ids) !== was.key) return undefined;
    }
    made.set(file, { ...was, digest });
  }
  return made;
}

function madeBefore(index: Database): Map<number, Made> {
  const text = metaOf(index, 'chats-of');
  const list = asArray(typeof text === 'string' ? parseJson(text) : undefined) ?? [];
  return new Map(list.flatMap(toMade));
}

function toMade(json: Json): [number, Made][] {
  const [id, made] = asArray(json) ?? [];
  const [file, digest] = [asNumber(id), asString(at(made, 'digest'))];
  const [ids, key] = [asNumber(at(made, 'ids')), asString(at(made, 'key'))];
  return file === undefined || digest === undefined || ids === undefined || key === undefined
    ? []
    : [[file, { digest, ids, key }]];
}

function keyOf({ titles, sessionIds, lineage, uuids }: Outline, ids: number): string {
  const hash = createHash('sha256').update(JSON.stringify([titles, sessionIds, lineage]));
  for (const id of eachId(uuids)) {
    if (ids === 0) break;
    hash.update(`\n${id}`);
    ids -= 1;
  }
  return hash.digest('hex').slice(0, 24);
}

interface ChatRow {
  readonly session: string;
  readonly chat: string;
  readonly title: string | undefined;
}

/** Outlines read before the memory that reading them took is asked back. */
const MOST_READ = 256;

function makeChats(archive: Archive, index: Database, kept: Kept): { rows: ChatRow[]; made: Map<number, Made> } {
  const facts: (SessionFacts & { readonly from: number })[] = [];
  const states = allStates(archive.db);
  if (states.length > MOST_READ) collectGarbage();
  let read = 0;
  for (const state of states) {
    const outline = state.kind === 'session' ? outlineOf(index, state, kept) : undefined;
    if (outline === undefined || state.session === undefined) continue;
    facts.push({ id: state.session, file: pathOf(state), bytes: state.size, outline, from: state.id });
    read += 1;
    if (read % MOST_READ === 0) collectGarbage();
  }
  const chats = chatsOf(facts);
  const alone = new Set(chats.flatMap(({ sessions: [one, ...more] }) => (one && more.length === 0 ? one.id : [])));
  const outlines = new Map(facts.flatMap(({ id, from, outline }) => (alone.has(id) ? [[from, outline] as const] : [])));
  const made = [...kept].map(([file, digest]): [number, Made] => {
    const outline = outlines.get(file);
    const ids = outline?.uuids.count ?? 0;
    return [file, { digest: digest.toString('hex'), ids, key: outline ? keyOf(outline, ids) : '' }];
  });
  const rows = chats.flatMap(({ id, title, sessions }) =>
    sessions.map((session) => ({ session: session.id, chat: id, title })),
  );
  return { rows, made: new Map(made) };
}

/** Of a large session that grows the last that was made (outlinemaker.ts). */
function outlineOf(index: Database, { id, digest }: ArchivedState, kept: Kept): Outline | undefined {
  const before = kept.get(id);
  return outlineIn(index, digest) ?? (before && outlineIn(index, before));
}
