/** Which chats are sent, and their turns as traces. */
import { createHash } from 'node:crypto';
import { archiveFolder } from '../../archive/place.ts';
import type { SessionFile } from '../../disk/find.ts';
import { toolOutputsOf } from '../../disk/outputs.ts';
import { withLatePromptless } from '../../export/otlp/promptless.ts';
import type { SessionSpans } from '../../export/otlp/session.ts';
import { settingsOf } from '../../export/otlp/settings.ts';
import { seenOf } from '../../export/otlp/state.ts';
import { millisOf } from '../../graph/time.ts';
import { tracesOfChat } from '../../views/spans/traces.ts';
import type { TurnTrace } from '../../views/spans/types.ts';
import { chatOf, type ListedChat, listChats, openChat } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { type Library, openLibrary, reportProblems, sessionFilesOf } from '../library.ts';
import { openMask } from '../mask.ts';
import { nothing, select, selectOne } from '../select.ts';
import { openPricing } from '../usage/pricing.ts';
import { chatsNear, filesUsed, type Orphans, orphansOf, tracesOfOrphans } from './orphans.ts';

export interface ChatToSend {
  readonly library: Library;
  /** Oldest first, so that what was said first is sent first. */
  readonly chats: readonly ListedChat[];
  readonly orphans: readonly Orphans[];
  /** Also those that are not sent: an agent that a call of one leads to is no orphan. */
  readonly all: readonly ListedChat[];
}

export function chatsToSend(context: Context, args: Arguments, since: number | undefined): ChatToSend {
  const { chats, orphans, ...rest } = named(context, args);
  const isRecent = ({ updated }: ListedChat) => since === undefined || (millisOf(updated) ?? since) >= since;
  const isNew = ({ files }: Orphans) => since === undefined || files.some(({ mtimeMs }) => mtimeMs >= since);
  return { ...rest, chats: chats.filter(isRecent).toReversed(), orphans: orphans.filter(isNew) };
}

function named(context: Context, args: Arguments): ChatToSend {
  const [selector] = args.positionals;
  if (selector === undefined) {
    const library = openLibrary(context, args);
    reportProblems(context, library.problems);
    const all = listChats(context, library);
    return { library, chats: all, orphans: orphansOf(library, all, () => true), all };
  }
  if (!selector.startsWith('project:')) {
    const { library, file } = selectOne(context, args, selector);
    const chats = [chatOf(context, library, file)];
    return { library, chats, orphans: [], all: chats };
  }
  const { library, files } = select(context, args, selector);
  const wanted = new Set(files);
  const all = listChats(context, library);
  const chats = all.filter((chat) => chat.files.some((file) => wanted.has(file)));
  if (chats.length === 0) throw nothing(selector);
  const slugs = new Set(files.map(({ slug }) => slug));
  return { library, chats, orphans: orphansOf(library, all, (slug) => slugs.has(slug)), all };
}

/**
 * The files a chat is made of: while they are the same, there is nothing new in it. Agents whose session has no transcript count
 * for every chat of their folder: a call of a fork may lead to them.
 */
export function seenOfChats(library: Library): (chat: ListedChat) => string {
  const sessions = new Set(sessionFilesOf(library).flatMap(({ sessionId, bytes }) => (bytes > 0 ? sessionId : [])));
  return (chat) => {
    const ids = new Set(chat.sessions.map(({ id }) => id));
    const slugs = new Set(chat.files.map(({ slug }) => slug));
    const mayBeOf = (parent: string | undefined) => parent === undefined || ids.has(parent) || !sessions.has(parent);
    const isNear = ({ kind, slug, parentSessionId }: SessionFile) =>
      kind === 'agent' && slugs.has(slug) && mayBeOf(parentSessionId);
    return seenOf([...chat.files, ...library.files.filter(isNear)]);
  };
}

/** SHA-256 as hex. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** How turns become spans, as the command line says. */
export async function spanOptions(context: Context, args: Arguments): Promise<SessionSpans> {
  const settings = settingsOf(context.env, archiveFolder(context));
  return {
    hash,
    mask: await openMask(context, args),
    pricing: openPricing(context, args),
    content: !args.flag('no-content'),
    thinking: args.flag('thinking'),
    user: settings.LANGFUSE_USER_ID,
    environment: settings.LANGFUSE_TRACING_ENVIRONMENT,
    now: context.now().getTime(),
  };
}

export interface ChatTraces {
  /** Empty for a chat without anything to send. */
  ofChat(chat: ListedChat): TurnTrace[];
  /** After those of the chats: what a call of any chat leads to is not told apart. Chats that were not asked for are opened to see it. */
  ofOrphans(orphans: Orphans): TurnTrace[];
}

export async function tracesOf(
  context: Context,
  args: Arguments,
  { library, all }: Pick<ChatToSend, 'library' | 'all'>,
): Promise<ChatTraces> {
  const options = await spanOptions(context, args);
  const used = new Set<string>();
  const opened = new Set<ListedChat>();
  const open = (listed: ListedChat) => {
    const chat = openChat(library, listed);
    for (const file of filesUsed(chat.allAgents)) used.add(file);
    opened.add(listed);
    return chat;
  };
  return {
    ofChat(listed) {
      const resolve = toolOutputsOf(listed.sessions.map(({ file }) => file));
      return withLatePromptless(tracesOfChat(open(listed), { ...options, resolve }), options.now);
    },
    ofOrphans(orphans) {
      for (const chat of chatsNear(orphans, all)) if (!opened.has(chat)) open(chat);
      return tracesOfOrphans(orphans, used, options);
    },
  };
}
