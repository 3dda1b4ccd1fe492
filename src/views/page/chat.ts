/** A chat as the viewer opens it: all but the contents of its turns. */
import type { Entry } from '../../format/entry.ts';
import { isHumanTurnStart, promptOf } from '../../format/prompt.ts';
import type { Agent } from '../../graph/agents.ts';
import type { Branch } from '../../graph/branches.ts';
import type { Chat } from '../../graph/chat.ts';
import type { Turn } from '../../graph/types.ts';
import { forksOf } from './forks.ts';
import { turnHeads } from './heads.ts';
import { cut, MASKED_LENGTH, maskOf, nameOf, type PageOptions, PROMPT_LENGTH } from './options.ts';
import type { AgentNode, BranchRow, ChatPage, ChatRow, SessionRow } from './types.ts';

export interface ChatPageInput {
  readonly chat: Chat;
  /** Its row of the list. */
  readonly row: ChatRow;
  readonly version: string;
  /** The branch that is shown; the current one without it. */
  readonly branch: Branch | undefined;
  /** Of that branch. */
  readonly turns: readonly Turn[];
  /** Where a session was read from, by its file. */
  readonly sourceOf: (file: string) => SessionRow['source'];
  readonly resume: ChatPage['resume'];
  readonly options: PageOptions;
}

export function chatPage({ chat, row, version, branch, turns, sourceOf, resume, options }: ChatPageInput): ChatPage {
  const shown = branch ?? chat.current;
  return {
    chat: row,
    version,
    sessions: chat.sessions.map((session) => ({
      id: session.id,
      file: maskOf(options)(session.file),
      bytes: session.bytes,
      turns: session.turns,
      superseded: session.superseded,
      source: sourceOf(session.file),
      started: session.started ?? null,
      updated: session.updated ?? null,
    })),
    edges: chat.edges.map(({ from, to, kind, why, sure }) => ({ from, to, kind, why: maskOf(options)(why), sure })),
    branches: branchRows(chat, options),
    branch: shown === undefined ? 0 : Math.max(0, chat.branches.indexOf(shown)),
    turns: turnHeads(turns, forksOf(chat, shown, turns), options),
    agents: agentNodes(chat, turns, options),
    resume,
  };
}

function branchRows(chat: Chat, options: PageOptions): BranchRow[] {
  const byUuid = chat.branches.length < 2 ? new Map() : entriesByUuid(chat.entries);
  return chat.branches.map((branch) => ({
    head: branch.head ?? null,
    forkedAt: branch.forkedAt ?? null,
    turns: branch.turns,
    current: branch.current,
    prompt: ownPrompt(byUuid, branch, options),
  }));
}

function entriesByUuid(entries: readonly Entry[]): Map<string, Entry> {
  const byUuid = new Map<string, Entry>();
  for (const entry of entries) if (entry.head.uuid !== undefined) byUuid.set(entry.head.uuid, entry);
  return byUuid;
}

/** From its end up to where it left the others: the last prompt on the way is its first. */
function ownPrompt(byUuid: ReadonlyMap<string, Entry>, branch: Branch, options: PageOptions): string | null {
  let first: string | null = null;
  const seen = new Set<string>();
  for (let at = branch.head; at !== undefined && at !== branch.forkedAt && !seen.has(at); ) {
    seen.add(at);
    const entry = byUuid.get(at);
    if (entry === undefined) break;
    const { kind, text } = promptOf(entry);
    if (isHumanTurnStart(kind)) first = text;
    at = entry.head.parentUuid ?? entry.head.logicalParentUuid;
  }
  return first === null ? null : cut(maskOf(options)(first.slice(0, MASKED_LENGTH)), PROMPT_LENGTH);
}

function agentNodes({ subagents }: Chat, turns: readonly Turn[], options: PageOptions): AgentNode[] {
  const turnOf = turnsOfAgents(turns);
  return subagents.map((agent) => agentNode(agent, turnOf, options));
}

function turnsOfAgents(turns: readonly Turn[]): Map<string, number> {
  const places = turns.flatMap(({ toolCalls }, index) =>
    toolCalls.flatMap(({ agentId }): [string, number][] => (agentId === undefined ? [] : [[agentId, index]])),
  );
  return new Map(places.reverse());
}

function agentNode(agent: Agent, turnOf: ReadonlyMap<string, number>, options: PageOptions): AgentNode {
  return {
    agentId: agent.agentId,
    type: nameOf(agent.agentType, options),
    description: agent.description === undefined ? null : cut(maskOf(options)(agent.description), 200),
    uuid: agent.calls[0]?.useUuid ?? null,
    turn: turnOf.get(agent.agentId) ?? null,
    children: agent.children.map((child) => agentNode(child, turnOf, options)),
  };
}
