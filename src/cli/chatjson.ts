/** Parts of chats that several verbs print as JSON. */
import type { Agent } from '../graph/agents.ts';
import type { Branch } from '../graph/branches.ts';
import type { ChatSession } from '../graph/chat.ts';

export function sessionJson(session: ChatSession) {
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
  readonly file: string | null;
  readonly toolUseId: string | null;
  readonly parent: string | null;
  readonly depth: number;
  readonly how: string;
  readonly sure: string;
  readonly background: boolean;
  readonly status: string | null;
  readonly children: readonly AgentJson[];
}

export function agentJson(agent: Agent): AgentJson {
  return {
    agentId: agent.agentId,
    type: agent.agentType ?? null,
    description: agent.description ?? null,
    file: agent.file ?? null,
    toolUseId: agent.toolUseId ?? null,
    parent: agent.parent ?? null,
    depth: agent.depth,
    how: agent.how,
    sure: agent.sure,
    background: agent.background,
    status: agent.status ?? null,
    children: agent.children.map(agentJson),
  };
}
