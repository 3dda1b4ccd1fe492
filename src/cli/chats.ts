/** The chats of a library: listed from outlines, opened with their entries and sub-agents. */
import { agentsWith, loadOnce, parentOf, type ReadFile } from '../disk/agentfiles.ts';
import { DiskError } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { readSessionOf } from '../disk/read.ts';
import { projectSlug } from '../format/slug.ts';
import { type Chat, type ChatSummary, chatsOf, openChat as openGraph } from '../graph/chat.ts';
import type { SessionFacts } from '../graph/lineage.ts';
import type { Outline } from '../graph/outline.ts';
import type { Context } from './context.ts';
import { kinOf } from './kin.ts';
import { type Library, sessionFilesOf } from './library.ts';
import { createOutlines, type Outlines } from './outlines.ts';
import { progressOf } from './progress.ts';

export { parentOf };

export interface ListedChat extends ChatSummary {
  /** The path of the project; the slug where no entry tells one. */
  readonly project: string;
  readonly slug: string;
  readonly bytes: number;
  /** The file a resume goes on in. */
  readonly file: SessionFile;
  /** Its sessions' files, in their order. */
  readonly files: readonly SessionFile[];
}

/** All chats, newest first. */
export function listChats(context: Context, library: Library): ListedChat[] {
  return chatsIn(context, sessionFilesOf(library), createOutlines(context, library)).chats;
}

/**
 * The chat a session belongs to, as the list has it. Most copies lie in the same project folder: that is read, and of all
 * others the beginnings, to see which may belong to it too. A sub-agent's file is one by itself.
 */
export function chatOf(context: Context, library: Library, session: SessionFile): ListedChat {
  const outlines = createOutlines(context, library);
  const isNear = (file: SessionFile) => file.slug === session.slug;
  const { team } = library;
  // Of a team the sessions are known that any machine took for one chat: no others are looked at.
  const around = () => team?.kinOf(session, sessionFilesOf(library)) ?? sessionFilesOf(library);
  const sessions = session.kind === 'agent' ? [session] : around();
  let near = session.kind === 'agent' || team !== undefined ? sessions : sessions.filter(isNear);
  let far = sessions.filter((file) => file.bytes > 0 && !near.includes(file));
  for (;;) {
    const { chats, facts } = chatsIn(context, near, outlines);
    const chat = chats.find(({ files }) => files.includes(session));
    if (chat === undefined) break;
    const own = new Set(chat.files.map(({ file }) => file));
    const kin = kinOf(
      facts.filter(({ file }) => own.has(file)),
      far,
      outlines.beginningOf,
    );
    if (kin.length === 0) return chat;
    near = [...near, ...kin];
    far = far.filter((file) => !kin.includes(file));
  }
  const what = session.bytes === 0 ? 'the file is empty: nothing was said' : 'the session cannot be read';
  throw new DiskError({ what, where: session.file, next: 'Look at the file itself: skein cat, skein check' });
}

function chatsIn(
  context: Context,
  sessions: readonly SessionFile[],
  outlines: Outlines,
): { readonly chats: ListedChat[]; readonly facts: readonly SessionFacts[] } {
  const read = new Map<string, { file: SessionFile; outline: Outline }>();
  const progress = progressOf(context, 'reading', sessions);
  for (const file of sessions) {
    const outline = outlines.outlineOf(file);
    // The client leaves empty files behind (L6): nothing was said there.
    if (outline !== undefined && outline.lines > 0) read.set(file.file, { file, outline });
    progress.done(file);
  }
  progress.clear();
  return chatsFrom(read);
}

/** The chats that sessions make up, by the paths of their files; those in which nothing was said are not to be there. */
export function chatsFrom(read: ReadonlyMap<string, { readonly file: SessionFile; readonly outline: Outline }>): {
  readonly chats: ListedChat[];
  readonly facts: readonly SessionFacts[];
} {
  const facts = [...read.values()].map(({ file, outline }) => ({
    id: file.sessionId,
    file: file.file,
    bytes: file.bytes,
    outline,
  }));
  const chats = chatsOf(facts).flatMap((chat) => {
    const place = chat.sessions.findLast(({ id }) => id === chat.head)?.file;
    const head = read.get(place ?? '');
    if (head === undefined) return [];
    const { file, outline } = head;
    const bytes = chat.sessions.reduce((sum, session) => sum + session.bytes, 0);
    const files = chat.sessions.flatMap((session) => read.get(session.file)?.file ?? []);
    return [{ ...chat, project: projectPath(outline, file.slug), slug: file.slug, bytes, file, files }];
  });
  return { chats, facts };
}

/** The cwd that gives the folder its name, else the one most lines have (L2). */
function projectPath(outline: Outline, slug: string): string {
  return outline.cwds.find((cwd) => projectSlug(cwd) === slug) ?? outline.cwd ?? slug;
}

const readAll: ReadFile = (file) => readSessionOf(file).entries;

/** A chat with its entries, branches and sub-agents. */
export function openChat(library: Library, chat: ListedChat, read: ReadFile = readAll): Chat {
  const files = new Map(library.files.map((file) => [file.file, file]));
  const slugs = new Set(chat.sessions.flatMap(({ file }) => files.get(file)?.slug ?? []));
  const agents = library.files.filter((file) => file.kind === 'agent' && slugs.has(file.slug) && file !== chat.file);
  const load = loadOnce(read);
  return openGraph(chat, (session) => {
    const file = files.get(session.file);
    // Agents that an agent started lie flat beside it, under the same session (L3).
    const owner = file?.kind === 'agent' ? parentOf(file) : session.id;
    const entries = read(session.file);
    return { entries, agents: agentsWith(entries, owner, agents, load) };
  });
}
