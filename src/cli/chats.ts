/** The chats of a library: listed from outlines, opened with their entries and sub-agents. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DiskError } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { parentSessionOf } from '../disk/parent.ts';
import { readEntriesOf, readSessionOf } from '../disk/read.ts';
import { agentMetaOf, folderOf, readJsonObject } from '../disk/sidecars.ts';
import { asString } from '../format/json.ts';
import { projectSlug } from '../format/slug.ts';
import type { AgentFile } from '../graph/agents.ts';
import { type Chat, type ChatSummary, chatsOf, openChat as openGraph } from '../graph/chat.ts';
import { type Outline, outlineOf } from '../graph/outline.ts';
import type { Context } from './context.ts';
import { type Library, reportProblems, sessionFilesOf } from './library.ts';
import { progressOf } from './progress.ts';

export interface ListedChat extends ChatSummary {
  /** The path of the project; the slug where no entry tells one. */
  readonly project: string;
  readonly slug: string;
  readonly bytes: number;
  /** The file a resume goes on in. */
  readonly file: SessionFile;
}

/** All chats, newest first. */
export function listChats(context: Context, library: Library): ListedChat[] {
  return chatsIn(context, sessionFilesOf(library));
}

/** The chat a session belongs to. Copies lie in the same project folder, so only that is read. A sub-agent's file is one by itself. */
export function chatOf(context: Context, library: Library, session: SessionFile): ListedChat {
  const files =
    session.kind === 'agent'
      ? [session]
      : library.files.filter((file) => file.kind === 'session' && isSameProject(file, session));
  const chat = chatsIn(context, files).find(({ sessions }) => sessions.some(({ file }) => file === session.file));
  if (chat) return chat;
  const what = session.bytes === 0 ? 'the file is empty: nothing was said' : 'the session cannot be read';
  throw new DiskError({ what, where: session.file, next: 'Look at the file itself: skein cat, skein check' });
}

function isSameProject(a: SessionFile, b: SessionFile): boolean {
  return a.root === b.root && a.slug === b.slug;
}

function chatsIn(context: Context, sessions: readonly SessionFile[]): ListedChat[] {
  const outlines = new Map<string, { file: SessionFile; outline: Outline }>();
  const progress = progressOf(context, 'reading', sessions);
  for (const file of sessions) {
    const outline = readOutline(context, file);
    // The client leaves empty files behind (L6): nothing was said there.
    if (outline !== undefined && outline.lines > 0) outlines.set(file.file, { file, outline });
    progress.done(file);
  }
  progress.clear();
  const facts = [...outlines.values()].map(({ file, outline }) => ({
    id: file.sessionId,
    file: file.file,
    bytes: file.bytes,
    outline,
  }));
  return chatsOf(facts).flatMap((chat) => {
    const place = chat.sessions.findLast(({ id }) => id === chat.head)?.file;
    const head = outlines.get(place ?? '');
    if (head === undefined) return [];
    const { file, outline } = head;
    const bytes = chat.sessions.reduce((sum, session) => sum + session.bytes, 0);
    return [{ ...chat, project: projectPath(outline, file.slug), slug: file.slug, bytes, file }];
  });
}

/** The cwd that gives the folder its name, else the one most lines have (L2). */
function projectPath(outline: Outline, slug: string): string {
  return outline.cwds.find((cwd) => projectSlug(cwd) === slug) ?? outline.cwd ?? slug;
}

function readOutline(context: Context, file: SessionFile): Outline | undefined {
  try {
    const outline = outlineOf(readEntriesOf(file.file));
    const custom = outline.titles.custom ?? savedTitle(file);
    return custom === undefined ? outline : { ...outline, titles: { ...outline.titles, custom } };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    reportProblems(context, [{ kind: 'unreadable', what: error.what, where: error.where, next: error.next }]);
    return undefined;
  }
}

/** The client also keeps the name a person gave in a file of its own (L4). */
function savedTitle(file: SessionFile): string | undefined {
  const path = join(folderOf(file), 'custom-title.json');
  return existsSync(path) ? asString(readJsonObject(path)?.customTitle) : undefined;
}

/** A chat with its entries, branches and sub-agents. */
export function openChat(library: Library, chat: ListedChat): Chat {
  const files = new Map(library.files.map((file) => [file.file, file]));
  const slugs = new Set(chat.sessions.flatMap(({ file }) => files.get(file)?.slug ?? []));
  const agents = library.files.filter((file) => file.kind === 'agent' && slugs.has(file.slug) && file !== chat.file);
  return openGraph(chat, (session) => {
    const file = files.get(session.file);
    // Agents that an agent started lie flat beside it, under the same session (L3).
    const owner = file?.kind === 'agent' ? parentOf(file) : session.id;
    return {
      entries: readSessionOf(session.file).entries,
      agents: agents.filter((agent) => parentOf(agent) === owner).map(loadAgent),
    };
  });
}

const parents = new Map<string, string | undefined>();

/** Newer agents lie in their session's folder; older ones beside it, where only their entries tell (L3). */
function parentOf(agent: SessionFile): string | undefined {
  if (agent.parentSessionId !== undefined) return agent.parentSessionId;
  if (!parents.has(agent.file)) parents.set(agent.file, parentSessionOf(agent.file));
  return parents.get(agent.file);
}

function loadAgent(agent: SessionFile): AgentFile {
  return {
    agentId: agent.agentId ?? agent.sessionId,
    file: agent.file,
    entries: readSessionOf(agent.file).entries,
    meta: agentMetaOf(agent)?.raw,
  };
}
