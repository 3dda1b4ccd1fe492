/** Agents whose session has no transcript: a client that ends before anything is said leaves its warm-ups behind (L6). */
import { loadOnce, parentOf } from '../../disk/agentfiles.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readSessionOf } from '../../disk/read.ts';
import { withLatePromptless } from '../../export/otlp/promptless.ts';
import type { SessionSpans } from '../../export/otlp/session.ts';
import { seenOf } from '../../export/otlp/state.ts';
import { type Agent, agentsOf } from '../../graph/agents.ts';
import { tracesOfAgents } from '../../views/spans/traces.ts';
import type { TurnTrace } from '../../views/spans/types.ts';
import type { ListedChat } from '../chats.ts';
import type { Library } from '../library.ts';

export interface Orphans {
  readonly sessionId: string;
  readonly files: readonly SessionFile[];
}

/** By the session that they name, of the projects that are sent. */
export function orphansOf(
  library: Library,
  chats: readonly ListedChat[],
  isWanted: (slug: string) => boolean,
): Orphans[] {
  const ids = new Set(chats.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
  const agents = library.files.filter(({ kind, slug }) => kind === 'agent' && isWanted(slug));
  const bySession = Map.groupBy(agents, (file) => parentOf(file) ?? '');
  return [...bySession].flatMap(([sessionId, files]) => (ids.has(sessionId) ? [] : [{ sessionId, files }]));
}

/** The name and the state of what is kept when all of them are settled: while their files are the same, there is nothing new. */
export function seenOfOrphans({ sessionId, files }: Orphans): { readonly name: string; readonly seen: string } {
  return { name: `orphans of ${sessionId}`, seen: seenOf(files) };
}

/** Chats with calls that may lead to one of them: those of the same project folders. */
export function chatsNear({ files }: Orphans, chats: readonly ListedChat[]): ListedChat[] {
  const slugs = new Set(files.map(({ slug }) => slug));
  return chats.filter((chat) => chat.files.some(({ slug }) => slugs.has(slug)));
}

/** `used`: files of agents that calls of some chat lead to, as those of a fork whose original is gone. */
export function tracesOfOrphans(
  { sessionId, files }: Orphans,
  used: ReadonlySet<string>,
  options: SessionSpans,
): TurnTrace[] {
  const load = loadOnce((file) => readSessionOf(file).entries);
  const own = files.filter(({ file }) => !used.has(file)).map(load);
  return withLatePromptless(tracesOfAgents(agentsOf([], own).all, { ...options, sessionId }), options.now);
}

export function filesUsed(agents: readonly Agent[]): string[] {
  return agents.flatMap(({ file }) => file ?? []);
}
