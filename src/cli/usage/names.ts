/** The chat, the session and the kind of agent of a fact, looked up only when a report is grouped by them. */
import type { SessionFile } from '../../disk/find.ts';
import type { Fact } from '../../views/usage/facts.ts';
import type { Grouping, GroupOptions } from '../../views/usage/rows.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import type { Library } from '../library.ts';
import { openMask } from '../mask.ts';
import { ownerOf } from './choose.ts';

export interface Names extends Pick<GroupOptions, 'chatOf' | 'sessionOf' | 'agentOf' | 'teamOf'> {
  /** Titles of chats by their ids. */
  readonly labels: ReadonlyMap<string, string>;
}

/** Where nothing is grouped by them. */
export const NO_NAMES: Names = { labels: new Map() };

export async function namesFor(
  context: Context,
  args: Arguments,
  library: Library,
  by: readonly Grouping[],
): Promise<Names> {
  const needsSession = by.includes('session') || by.includes('chat');
  const sessionOf = needsSession ? sessionNames(library.files) : undefined;
  const chats = by.includes('chat') && sessionOf ? await chatNames(context, args, library, sessionOf) : undefined;
  const typeOf = by.includes('agent') ? (await import('./agents.ts')).agentTypes(library.files) : undefined;
  return {
    sessionOf,
    chatOf: chats?.chatOf,
    agentOf: typeOf && (({ agentId }) => typeOf(agentId)),
    labels: chats?.labels ?? new Map(),
  };
}

function sessionNames(files: readonly SessionFile[]): (fact: Fact) => string {
  const byPath = new Map(files.map((file) => [file.file, file]));
  const known = new Map<string, string>();
  return ({ file }) => {
    const session = byPath.get(file);
    const name = known.get(file) ?? (session && ownerOf(session)) ?? session?.sessionId ?? file;
    known.set(file, name);
    return name;
  };
}

async function chatNames(context: Context, args: Arguments, library: Library, sessionOf: (fact: Fact) => string) {
  const mask = await openMask(context, args);
  const { listChats } = await import('../chats.ts');
  const chats = listChats(context, library);
  const labels = new Map<string, string>();
  const byFile = new Map<string, string>();
  const bySession = new Map<string, string>();
  for (const chat of chats) {
    if (chat.title !== undefined) labels.set(chat.id, mask(chat.title));
    for (const session of chat.sessions) {
      byFile.set(session.file, chat.id);
      bySession.set(session.id, chat.id);
    }
  }
  const chatOf = (fact: Fact) => byFile.get(fact.file) ?? bySession.get(sessionOf(fact)) ?? sessionOf(fact);
  return { chatOf, labels };
}
