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
import { type Library, openLibrary, reportProblems } from '../library.ts';
import { openMask } from '../mask.ts';
import { nothing, select, selectOne } from '../select.ts';
import { openPricing } from '../usage/pricing.ts';

export interface ChatToSend {
  readonly library: Library;
  /** Oldest first, so that what was said first is sent first. */
  readonly chats: readonly ListedChat[];
}

export function chatsToSend(context: Context, args: Arguments, since: number | undefined): ChatToSend {
  const { library, chats } = named(context, args);
  const isRecent = ({ updated }: ListedChat) => since === undefined || (millisOf(updated) ?? since) >= since;
  return { library, chats: chats.filter(isRecent).toReversed() };
}

function named(context: Context, args: Arguments): ChatToSend {
  const [selector] = args.positionals;
  if (selector === undefined) {
    const library = openLibrary(context, args);
    reportProblems(context, library.problems);
    return { library, chats: listChats(context, library) };
  }
  if (!selector.startsWith('project:')) {
    const { library, file } = selectOne(context, args, selector);
    return { library, chats: [chatOf(context, library, file)] };
  }
  const { library, files } = select(context, args, selector);
  const wanted = new Set(files);
  const chats = listChats(context, library).filter((chat) => chat.files.some((file) => wanted.has(file)));
  if (chats.length === 0) throw nothing(selector);
  return { library, chats };
}

/** The files a chat is made of: while they are the same, there is nothing new in it. */
export function seenOfChat(library: Library, chat: ListedChat): string {
  const ids = new Set(chat.sessions.map(({ id }) => id));
  const slugs = new Set(chat.files.map(({ slug }) => slug));
  const isNear = ({ kind, slug, parentSessionId }: SessionFile) =>
    kind === 'agent' && slugs.has(slug) && (parentSessionId === undefined || ids.has(parentSessionId));
  return seenOf([...chat.files, ...library.files.filter(isNear)]);
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

export async function tracesOf(
  context: Context,
  args: Arguments,
): Promise<(library: Library, chat: ListedChat) => TurnTrace[]> {
  const options = await spanOptions(context, args);
  return (library, chat) => {
    const resolve = toolOutputsOf(chat.sessions.map(({ file }) => file));
    return withLatePromptless(tracesOfChat(openChat(library, chat), { ...options, resolve }), options.now);
  };
}
