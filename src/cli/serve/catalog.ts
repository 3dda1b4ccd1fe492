/** What there is, kept up to date: the library, its chats and their rows. Read in slices, newest first, and usable from the start. */
import type { Changed } from '../../archive/watch.ts';
import type { SessionFile } from '../../disk/find.ts';
import { newestFirst } from '../../graph/chat.ts';
import type { ChatList, LiveEvent } from '../../views/page/types.ts';
import { chatsFrom, type ListedChat } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { type Library, openLibrary, sessionFilesOf } from '../library.ts';
import { changedFiles, sessionIdsOf } from './changes.ts';
import { type Grown, grownChats, grownFiles, type Read } from './grown.ts';
import { createKeptOutlines, stampOf } from './outlines.ts';
import type { Counted } from './rows.ts';
import { createShown } from './shown.ts';
import { createPause } from './slices.ts';

export interface Catalog {
  /** Something can be shown. */
  readonly ready: Promise<void>;
  /** Everything was read once. */
  readonly whole: Promise<void>;
  /** Looks what changed: at the paths given, or everywhere. Calls that come meanwhile wait for their turn. */
  look(changed?: Changed): Promise<void>;
  readonly library: Library | undefined;
  /** By its id, or that of one of its sessions: while the first reading goes on, ids may still change. */
  find(id: string): ListedChat | undefined;
  /** The chat a session is of. */
  chatOf(sessionId: string): ListedChat | undefined;
  readonly list: ChatList;
  /** Changes with the list. */
  readonly version: string;
  /** How often something changed on disk. */
  readonly changes: number;
  readonly progress: { readonly read: number; readonly sessions: number };
  /** What a look everywhere took, without waiting. */
  readonly cost: number;
  setCounted(counted: ReadonlyMap<string, Counted>): void;
  listen(tell: (event: LiveEvent) => void): () => void;
  /** Tells once more that a chat changed. */
  tellLater(chatId: string, wait: number): void;
}

/** What is read by then is shown first. */
const FIRST_MS = 300;
/** While the first reading goes on, what is read is shown this often. */
const SHOW_MS = 700;
/** Chats are joined anew from all there is at least this often while sessions grow. */
const WHOLE_MS = 30_000;

export function createCatalog(context: Context, args: Arguments): Catalog {
  const outlines = createKeptOutlines();
  const listeners = new Set<(event: LiveEvent) => void>();
  const waiting = new Set<string>();
  let library: Library | undefined;
  let stamps: ReadonlyMap<string, SessionFile> | undefined;
  let read: ReadonlyMap<string, Read> = new Map();
  let byId = new Map<string, ListedChat>();
  let bySession = new Map<string, ListedChat>();
  let progress = { read: 0, sessions: 0 };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let cost = 0;
  let changes = 0;
  /** Chats are joined of all there is. */
  let settled = false;

  const tell = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };

  const { promise: whole, resolve: setWhole } = Promise.withResolvers<void>();
  const shown = createShown(
    () => context.now().getTime(),
    () => tell({ type: 'chats' }),
  );

  function show(): void {
    shown.show({
      chats: byId.values(),
      demo: library?.demo ?? false,
      team: library?.team?.name,
      problems: [...(library?.problems ?? []), ...outlines.problems],
      outlineOf: (file) => read.get(file)?.outline,
    });
  }

  function put(chats: readonly ListedChat[]): void {
    byId = new Map(chats.map((chat) => [chat.id, chat]));
    bySession = new Map(chats.flatMap((chat) => chat.sessions.map(({ id }) => [id, chat])));
    show();
  }

  function gather(sessions: ReadonlyMap<string, Read>): void {
    read = sessions;
    put(chatsFrom(read).chats);
  }

  function tellChanged(files: readonly SessionFile[]): void {
    const ids = sessionIdsOf(files, bySession);
    if (ids.length > 0) tell({ type: 'sessions', ids });
  }

  async function everywhere(): Promise<void> {
    const began = performance.now();
    lookedAt = began;
    const found = openLibrary(context, args);
    const isFirst = library === undefined;
    library = found;
    const before = stamps;
    stamps = new Map(found.files.map((file) => [stampOf(file), file]));
    const changed = before && [...changedFiles(before, stamps)];
    if (changed?.length === 0 && settled) {
      show();
      cost = performance.now() - began;
      return;
    }
    changes += 1;
    settled = false;
    const sessions = sessionFilesOf(found).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
    outlines.keep(sessions);
    const pause = createPause();
    const sofar = new Map<string, Read>();
    let due = performance.now() + FIRST_MS;
    for (const [place, file] of sessions.entries()) {
      const outline = outlines.known(file, found) ?? (await outlines.read(file, pause));
      if (outline !== undefined && outline.lines > 0) sofar.set(file.file, { file, outline });
      progress = { read: place + 1, sessions: sessions.length };
      const wait = pause();
      if (wait) await wait;
      if (isFirst && performance.now() > due) {
        const start = performance.now();
        gather(sofar);
        due = performance.now() + Math.max(SHOW_MS, 4 * (performance.now() - start));
      }
    }
    const start = performance.now();
    // In the order of the library, as every verb has them.
    gather(new Map(sessionFilesOf(found).flatMap(({ file }) => pairOf(file, sofar.get(file)))));
    settled = true;
    setWhole();
    cost = performance.now() - start;
    if (changed) tellChanged(changed);
  }

  /** Files that only grew: their own chats are made anew, all others stay. false when that is not all that happened. */
  async function nearby(paths: ReadonlySet<string>): Promise<boolean> {
    if (library === undefined || !settled || performance.now() - lookedAt > WHOLE_MS) return false;
    const files = grownFiles(library, paths);
    if (files === undefined) return false;
    if (files.length === 0) return true;
    const pause = createPause();
    const grown: Grown[] = [];
    for (const { before, after } of files) {
      if (after.kind === 'agent') continue;
      const outline = await outlines.read(after, pause);
      if (outline === undefined || !read.has(after.file)) return false;
      grown.push({ before, after, outline });
    }
    const next = grownChats(read, grown, bySession);
    if (next === undefined) return false;
    changes += 1;
    const replaced = new Map(files.map(({ before, after }) => [before, after]));
    library = { ...library, files: library.files.map((file) => replaced.get(file) ?? file) };
    stamps = new Map(library.files.map((file) => [stampOf(file), file]));
    read = next.read;
    const chats = [...byId.values()].map((chat) => next.chats.get(chat.id) ?? chat);
    put(chats.sort(newestFirst));
    tellChanged(files.map(({ after }) => after));
    return true;
  }

  let queue: Promise<void> = Promise.resolve();

  return {
    ready: shown.ready,
    whole,
    look(changed) {
      const next = queue.then(async () => {
        if (changed === undefined || !(await nearby(changed))) await everywhere();
      });
      queue = next.catch(() => {});
      return next;
    },
    get library() {
      return library;
    },
    find: (id) => byId.get(id) ?? bySession.get(id),
    chatOf: (sessionId) => bySession.get(sessionId),
    get list() {
      return shown.list;
    },
    get version() {
      return shown.version;
    },
    get progress() {
      return progress;
    },
    get changes() {
      return changes;
    },
    get cost() {
      return cost;
    },
    setCounted(counted) {
      shown.setCounted(counted);
      show();
    },
    tellLater(chatId, wait) {
      if (waiting.has(chatId)) return;
      waiting.add(chatId);
      setTimeout(() => {
        waiting.delete(chatId);
        const ids = byId.get(chatId)?.sessions.map(({ id }) => id);
        if (ids) tell({ type: 'sessions', ids });
      }, wait).unref();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function pairOf<V>(key: string, value: V | undefined): (readonly [string, V])[] {
  return value === undefined ? [] : [[key, value]];
}
