/** Parts of chats that several verbs print as JSON. */
import { type Agent, type AgentUsage, tokensOf, usageOfAgents } from '../graph/agents.ts';
import type { Branch } from '../graph/branches.ts';
import type { ChatSession } from '../graph/chat.ts';
import type { ListedChat } from './chats.ts';
import { sourceOf } from './sources.ts';

/** The sessions of a chat, each with where it was read from. */
export function sessionsJson({ sessions, files }: ListedChat) {
  const byPath = new Map(files.map((file) => [file.file, sourceOf(file)]));
  return sessions.map((session) => ({ ...sessionJson(session), source: byPath.get(session.file) ?? 'disk' }));
}

function sessionJson(session: ChatSession) {
  return {
    id: session.id,
    file: session.file,
    sessionIds: session.sessionIds,
    superseded: session.superseded,
    leaf: session.leaf,
    bytes: session.bytes,
    turns: session.turns,
    started: session.started ?? null,
    updated: session.updated ?? null,
  };
}

export function branchJson(branch: Branch) {
  return { head: branch.head ?? null, forkedAt: branch.forkedAt ?? null, turns: branch.turns, current: branch.current };
}

export interface AgentJson {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  /** file, inline, or progress: known only from what progress entries repeat (E18). */
  readonly from: string;
  readonly file: string | null;
  readonly toolUseId: string | null;
  readonly toolUseIds: readonly string[];
  readonly parent: string | null;
  readonly depth: number;
  readonly how: string;
  readonly sure: string;
  readonly background: boolean;
  readonly status: string | null;
  /** With all it started, each message and call once; `calls` and `tokens` are its sums, as `show` has them. */
  readonly usage: AgentUsage;
  readonly calls: number;
  readonly tokens: number;
  readonly children: readonly AgentJson[];
}

export function agentJson(agent: Agent): AgentJson {
  const usage = usageOfAgents([agent]);
  return {
    agentId: agent.agentId,
    type: agent.agentType ?? null,
    description: agent.description ?? null,
    from: agent.from,
    file: agent.file ?? null,
    toolUseId: agent.toolUseId ?? null,
    toolUseIds: agent.toolUseIds,
    parent: agent.parent ?? null,
    depth: agent.depth,
    how: agent.how,
    sure: agent.sure,
    background: agent.background,
    status: agent.status ?? null,
    usage,
    calls: usage.toolCalls,
    tokens: tokensOf(usage),
    children: agent.children.map(agentJson),
  };
}
