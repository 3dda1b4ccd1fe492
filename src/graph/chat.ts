/**
 * A chat: one conversation as a person understands it, over files, branches and compactions. A list of chats is made of
 * outlines alone; entries are loaded when a chat is opened.
 */
import type { Entry } from '../format/entry.ts';
import { type Agent, type AgentFile, type AgentTree, type AgentUsage, agentsOf, usageWithAgents } from './agents.ts';
import { type Branch, branchesOf } from './branches.ts';
import { chainOf, leafOf } from './chain.ts';
import { type Merged, mergeSessions } from './chat/merge.ts';
import type { ChatSession, ChatSummary } from './chat/summary.ts';
import { isAgentTranscript } from './parts.ts';

export { type ChatSession, type ChatSummary, chatsOf, newestFirst } from './chat/summary.ts';

export interface LoadedSession {
  readonly entries: readonly Entry[];
  readonly agents?: readonly AgentFile[];
}

export interface Chat extends ChatSummary {
  /** Over all its files; one is current: what a resume of the head goes on from. */
  readonly branches: readonly Branch[];
  readonly current: Branch | undefined;
  /** Those with a known call; nested ones are their children. */
  readonly subagents: readonly Agent[];
  /** Warm-ups, and agents whose call is not there. */
  readonly unattached: readonly Agent[];
  /** Every agent once. */
  readonly allAgents: readonly Agent[];
  /** The conversation of one branch in its order, from file to file, copies once; without a branch that of the current one. */
  entriesOf(branch?: Branch): Entry[];
  /** The branch that ends where a session ends, or one that goes on from there. */
  branchOf(sessionId: string): Branch | undefined;
  /** Every entry of every branch. */
  readonly entries: readonly Entry[];
  /** Of all branches and sub-agents, each message and call once. */
  usage(): AgentUsage;
}

export function openChat(chat: ChatSummary, load: (session: ChatSession) => LoadedSession): Chat {
  const loaded = chat.sessions.map(load);
  const merged = mergeSessions(loaded.map(({ entries }) => entries));
  const leaves = createLeaves(chat, loaded, merged);
  const { branches, current, entriesOf, endingWith, containing } = branchesOf(merged.entries, {
    identity: merged.identity,
    joins: joinsOf(chat, loaded, merged, leaves),
    leaf: leaves(chat.head),
  });
  const agents = agentsIn(
    merged.entries,
    loaded.flatMap((session) => session.agents ?? []),
  );
  return {
    ...chat,
    branches,
    current,
    subagents: agents.agents,
    unattached: agents.unattached,
    allAgents: agents.all,
    entries: merged.entries,
    usage: () => usageWithAgents(agents),
    entriesOf: (branch) => entriesOf(branch ?? current),
    branchOf: (sessionId) => {
      const leaf = leaves(sessionId);
      return leaf && (endingWith(leaf) ?? containing(leaf));
    },
  };
}

/** Beside the transcript of an agent lie those of its session's other agents, too: only what it started is its own. */
function agentsIn(entries: readonly Entry[], files: readonly AgentFile[]): AgentTree {
  const tree = agentsOf(entries, files);
  if (!isAgentTranscript(entries)) return tree;
  const others = new Set<Agent>();
  const waiting = [...tree.unattached];
  for (let agent = waiting.pop(); agent !== undefined; agent = waiting.pop()) {
    others.add(agent);
    for (const child of agent.children) waiting.push(child);
  }
  return { ...tree, unattached: [], all: tree.all.filter((agent) => !others.has(agent)) };
}

/** By session id: the entry a resume of that session goes on from, as the chat keeps it. */
function createLeaves(
  chat: ChatSummary,
  loaded: readonly LoadedSession[],
  merged: Merged,
): (sessionId: string) => Entry | undefined {
  return (sessionId) => {
    // The same session may lie in two places; the last is the fuller one.
    const place = chat.sessions.findLastIndex(({ id }) => id === sessionId);
    const leaf = leafOf(chainOf(loaded[place]?.entries ?? []))?.entry;
    return leaf && (merged.find(leaf.head.uuid) ?? leaf);
  };
}

const SPOKEN = new Set(['user', 'assistant']);

/** A session that goes on from another without a link between entries follows the other's end (H4). */
function joinsOf(
  chat: ChatSummary,
  loaded: readonly LoadedSession[],
  merged: Merged,
  leaves: (sessionId: string) => Entry | undefined,
): Map<Entry, Entry> {
  const joins = new Map<Entry, Entry>();
  for (const { from, to, kind, sure } of chat.edges) {
    if (kind !== 'continue' || sure === 'guess') continue;
    const place = chat.sessions.findIndex(({ id }) => id === to);
    const first = loaded[place]?.entries.find(({ kind: type, head }) => SPOKEN.has(type) && !head.isSidechain);
    const end = leaves(from);
    if (first === undefined || end === undefined || merged.find(first.head.parentUuid ?? undefined)) continue;
    joins.set(first, end);
  }
  return joins;
}
