/** What there is, kept up to date: the library, its chats and their rows. Read in slices, newest first, and usable from the start. */
import type { Changed } from '../../archive/sync/watch.ts';
import type { Problem } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { newestFirst } from '../../graph/chat.ts';
import { toldBy } from '../../server/errors.ts';
import type { ChatList, LiveEvent } from '../../views/page/types.ts';
import { chatsFrom, type ListedChat } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { type Library, openLibrary, sessionFilesOf } from '../library.ts';
import { teamStore } from '../shelf.ts';
import { changedFiles, sessionIdsOf } from './changes.ts';
import { type Grown, grownChats, grownFiles, type Read } from './grown.ts';
import { createKeptOutlines, stampOf } from './outlines.ts';
import type { Counted } from './rows.ts';
import { createShown } from './shown.ts';
import { createPause } from './slices.ts';

export interface Catalog {
  /** Something can be shown. */
  readonly ready: Promise<void>;
  /** Everything was read once, or could not be: then there is a trouble. */
  readonly whole: Promise<void>;
  /** Why what there is could not be looked at last. It is shown with what was there before, if anything was. */
  readonly trouble: CommandError | undefined;
  /** undefined: there is none any more. A look that fails sets it, too. */
  setTrouble(error: unknown): void;
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
  /** How often something changed on disk, or a team was looked at. */
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
  let trouble: CommandError | undefined;

  const tell = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };

  let whole = Promise.withResolvers<void>();
  const shown = createShown(
    () => context.now().getTime(),
    () => tell({ type: 'chats' }),
  );

  function show(): void {
    shown.show({
      chats: byId.values(),
      demo: library?.demo ?? false,
      team: teamStore(args)?.name,
      problems: [...troublesOf(trouble), ...(library?.problems ?? []), ...outlines.problems],
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

  function setTrouble(error: unknown): void {
    const next = error === undefined ? undefined : toldOf(error);
    if (trouble === undefined && next === undefined) return;
    trouble = next;
    show();
    if (next === undefined || settled) return;
    // Whoever waits is told; who asks later waits for the next try.
    whole.resolve();
    whole = Promise.withResolvers();
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
    // It is looked at when its state is another: that may be who belongs to it and what may be spent, which no file tells.
    if (found.team) changes += 1;
    const next = new Map(found.files.map((file) => [stampOf(file), file]));
    const changed = stamps && [...changedFiles(stamps, next)];
    if (changed?.length === 0 && settled) {
      show();
      cost = performance.now() - began;
      return;
    }
    if (!found.team) changes += 1;
    settled = false;
    const sessions = sessionFilesOf(found).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
    outlines.keep(sessions);
    const pause = createPause(context.signal);
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
    // Only now: what changed is told when it can be shown, also after a look that failed half-way.
    stamps = next;
    settled = true;
    whole.resolve();
    cost = performance.now() - start;
    if (changed) tellChanged(changed);
  }

  /** Files that only grew: their own chats are made anew, all others stay. false when that is not all that happened. */
  async function nearby(paths: ReadonlySet<string>): Promise<boolean> {
    if (library === undefined || !settled || performance.now() - lookedAt > WHOLE_MS) return false;
    const files = grownFiles(library, paths);
    if (files === undefined) return false;
    if (files.length === 0) return true;
    const pause = createPause(context.signal);
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
    get whole() {
      return whole.promise;
    },
    get trouble() {
      return trouble;
    },
    setTrouble,
    look(changed) {
      const next = queue.then(async () => {
        try {
          if (changed === undefined || !(await nearby(changed))) await everywhere();
          setTrouble(undefined);
        } catch (error) {
          if (!context.signal.aborted) setTrouble(error);
          throw error;
        }
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

function troublesOf(trouble: CommandError | undefined): Problem[] {
  return trouble === undefined
    ? []
    : [{ kind: 'unreadable', what: trouble.message, where: trouble.where, next: trouble.next }];
}

function toldOf(error: unknown): CommandError {
  const told = toldBy(error);
  if (told) return new CommandError(told.what, told.where, told.next);
  const what = error instanceof Error ? error.message : String(error);
  return new CommandError(what, 'skein serve', 'The terminal that runs skein serve says more.');
}
