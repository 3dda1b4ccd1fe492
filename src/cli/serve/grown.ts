/** Sessions that only grew, which is what happens nearly always: nothing else has to be looked at. */
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SessionFile } from '../../disk/find.ts';
import type { Outline } from '../../graph/outline.ts';
import { chatsFrom, type ListedChat } from '../chats.ts';
import type { Library } from '../library.ts';

export interface Read {
  readonly file: SessionFile;
  readonly outline: Outline;
}

export interface GrownFile {
  readonly before: SessionFile;
  readonly after: SessionFile;
}

export interface Grown extends GrownFile {
  readonly outline: Outline;
}

/** The transcripts among the paths that changed; undefined when a path tells of something else. */
export function grownFiles({ files }: Library, paths: ReadonlySet<string>): GrownFile[] | undefined {
  const byPath = new Map(files.map((file) => [file.file, file]));
  const grown: GrownFile[] = [];
  for (const path of paths) {
    // Outputs are read when someone looks at them.
    if (path.includes(`${sep}tool-results${sep}`)) continue;
    const before = byPath.get(path);
    const stat = before && statSync(path, { throwIfNoEntry: false });
    if (!before || before.source !== undefined || !stat?.isFile() || stat.size < before.bytes) return undefined;
    if (stat.size === before.bytes && stat.mtimeMs === before.mtimeMs) continue;
    grown.push({ before, after: { ...before, bytes: stat.size, mtimeMs: stat.mtimeMs } });
  }
  return grown;
}

/** The chats that grew, by their ids; undefined when they are no longer made of the same sessions. */
export function grownChats(
  read: ReadonlyMap<string, Read>,
  grown: readonly Grown[],
  bySession: ReadonlyMap<string, ListedChat>,
): { readonly read: ReadonlyMap<string, Read>; readonly chats: ReadonlyMap<string, ListedChat> } | undefined {
  const after = new Map(read);
  for (const { after: file, outline } of grown) after.set(file.file, { file, outline });
  const chats = new Map<string, ListedChat>();
  for (const { after: file } of grown) {
    const chat = bySession.get(file.sessionId);
    const next = chat && grownChat(chat, read, after);
    if (next === undefined) return undefined;
    chats.set(next.id, next);
  }
  return { read: after, chats };
}

function grownChat(
  chat: ListedChat,
  before: ReadonlyMap<string, Read>,
  after: ReadonlyMap<string, Read>,
): ListedChat | undefined {
  const alone = (read: ReadonlyMap<string, Read>) =>
    chatsFrom(new Map(chat.files.flatMap(({ file }) => [[file, read.get(file)] as const]).flatMap(isThere))).chats;
  const [was] = alone(before);
  const [now, other] = alone(after);
  if (was === undefined || now === undefined || other !== undefined || now.id !== chat.id) return undefined;
  // What was said last decides which of two copies is the older one (H2).
  if (!isDeepStrictEqual(now.edges, was.edges)) return undefined;
  // Other files may tell its title, and guesses about other chats: they did not change.
  const title = now.title === was.title ? chat.title : now.title;
  return { ...now, title, edges: chat.edges };
}

function isThere<K, V>([key, value]: readonly [K, V | undefined]): (readonly [K, V])[] {
  return value === undefined ? [] : [[key, value]];
}
