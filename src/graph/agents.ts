/**
 * Sub-agents of every layout, each with the tool call that started it (L3, E18): by its meta file, else by what the call's
 * result, progress or notification says, else by its prompt. What nothing explains is kept and told apart. Never throws.
 */
import { type Entry, jsonOf } from '../format/entry.ts';
import { asNumber, asString, at, type JsonObject } from '../format/json.ts';
import { type AgentLink, type Attachment, attach, type Candidate } from './agents/attach.ts';
import { beginningOf, type Evidence, firstTextOf, gatherEvidence, MAIN } from './agents/evidence.ts';
import { splitInline } from './agents/inline.ts';
import { compareText } from './compare.ts';
import { copiedMessages, mergeMessages, type UsageTotals, usageOfMessages } from './messages.ts';
import type { Sure } from './sure.ts';

import { inputOfCall } from './toolcalls.ts';

/** The transcript of a sub-agent in a file of its own. */
export interface AgentFile {
  readonly agentId: string;
  readonly file: string;
  readonly entries: readonly Entry[];
  /** What `agent-<id>.meta.json` holds. */
  readonly meta?: JsonObject;
}

export interface Agent {
  /** Of an inline side chain without one: the uuid of its first entry. */
  readonly agentId: string;
  /** Undefined for a side chain in the session's own file. */
  readonly file: string | undefined;
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  /** The call that started it, and all that took it up again. */
  readonly toolUseId: string | undefined;
  readonly toolUseIds: readonly string[];
  /** The agent that started it; undefined for the session itself, and where unknown. */
  readonly parent: string | undefined;
  readonly children: readonly Agent[];
  /** 1 for agents of the session, one more for each agent between. */
  readonly depth: number;
  readonly how: AgentLink;
  readonly sure: Sure;
  /** Started by the client before anyone asked (L6). */
  readonly warmup: boolean;
  readonly background: boolean;
  /** As the client last told it: completed, async_launched, failed … */
  readonly status: string | undefined;
  readonly outputFile: string | undefined;
  readonly entries: readonly Entry[];
}

export interface AgentTree {
  /** The session without inline side chains. */
  readonly main: readonly Entry[];
  readonly agents: readonly Agent[];
  /** Warm-ups, and agents whose call is not there. */
  readonly unattached: readonly Agent[];
  /** Every agent once, parents first. */
  readonly all: readonly Agent[];
}

interface Draft extends Omit<Agent, 'depth' | 'children'> {
  depth: number;
  readonly children: Draft[];
}

export function agentsOf(entries: readonly Entry[], files: readonly AgentFile[] = []): AgentTree {
  const { main, chains } = splitInline(entries);
  const candidates: Candidate[] = [
    ...chains.map(({ id, entries: own }): Candidate => ({ agentId: id, entries: own, ...startOf(own) })),
    ...withoutCopies(files).map((file): Candidate => ({ ...file, ...startOf(file.entries) })),
  ];
  const transcripts = candidates.map((candidate, index) => [index, candidate.entries] as const);
  const evidence = gatherEvidence([[MAIN, main], ...transcripts]);
  const attachments = attach(candidates, evidence);
  const drafts = candidates.map((candidate, index) => toDraft(candidate, attachments[index], evidence, candidates));
  return { main, ...toTree(drafts, attachments) };
}

function startOf(entries: readonly Entry[]): { prompt?: string; warmup: boolean } {
  const prompt = firstTextOf(entries);
  return { prompt, warmup: prompt === 'Warmup' };
}

/** In the order in which they began. A fork may bring the files of its agents along: one id is one agent, and its longest transcript counts. */
function withoutCopies(files: readonly AgentFile[]): AgentFile[] {
  const byId = new Map<string, AgentFile>();
  for (const file of files) {
    const known = byId.get(file.agentId);
    const longer = file.entries.length - (known?.entries.length ?? -1);
    if (longer > 0 || (longer === 0 && file.file < (known?.file ?? ''))) byId.set(file.agentId, file);
  }
  const begun = [...byId.values()].map((file) => ({ file, at: beginningOf(file.entries) ?? Infinity }));
  begun.sort((a, b) => (a.at === b.at ? compareText(a.file.agentId, b.file.agentId) : a.at - b.at));
  return begun.map(({ file }) => file);
}

function toDraft(
  candidate: Candidate,
  attachment: Attachment | undefined,
  evidence: Evidence,
  candidates: readonly Candidate[],
): Draft {
  const { agentId, entries, meta, warmup } = candidate;
  const calls = attachment?.calls ?? [];
  const [first] = calls;
  const input = first && inputOfCall(first);
  const launched = first?.result && jsonOf(first.result)?.toolUseResult;
  const told = evidence.notifications.get(agentId);
  return {
    agentId,
    file: candidate.file,
    agentType: asString(meta?.agentType) ?? asString(at(input, 'subagent_type')) ?? asString(at(launched, 'agentType')),
    description: asString(meta?.description) ?? asString(at(input, 'description')),
    toolUseId: first?.id,
    toolUseIds: calls.map(({ id }) => id),
    parent: attachment && candidates[attachment.owner]?.agentId,
    children: [],
    depth: asNumber(meta?.spawnDepth) ?? 1,
    how: attachment?.how ?? 'folder',
    sure: attachment?.sure ?? 'guess',
    warmup,
    background: calls.some(({ status }) => status === 'background'),
    status: told?.status ?? asString(at(launched, 'status')),
    outputFile: told?.outputFile ?? asString(at(launched, 'outputFile')),
    entries,
  };
}

function toTree(drafts: readonly Draft[], attachments: readonly (Attachment | undefined)[]): Omit<AgentTree, 'main'> {
  const agents: Draft[] = [];
  const unattached: Draft[] = [];
  for (const [index, draft] of drafts.entries()) {
    const attachment = attachments[index];
    if (attachment === undefined) unattached.push(draft);
    else if (attachment.owner === MAIN) agents.push(draft);
    else drafts[attachment.owner]?.children.push(draft);
  }
  for (const agent of agents) agent.depth = 1;
  const all: Draft[] = [];
  const waiting = [...agents, ...unattached].reverse();
  for (let agent = waiting.pop(); agent !== undefined; agent = waiting.pop()) {
    all.push(agent);
    for (const child of agent.children.toReversed()) {
      child.depth = agent.depth + 1;
      waiting.push(child);
    }
  }
  return { agents, unattached, all };
}

export interface AgentUsage extends UsageTotals {
  readonly toolCalls: number;
  readonly agents: number;
}

/** Of some agents with all they started, each message and each call once. */
export function usageOfAgents(agents: Iterable<Agent>): AgentUsage {
  const below: Agent[] = [];
  const waiting = [...agents];
  for (let agent = waiting.pop(); agent !== undefined; agent = waiting.pop()) {
    below.push(agent);
    for (const child of agent.children) waiting.push(child);
  }
  return usageOfTranscripts(
    below.map(({ entries }) => entries),
    below.length,
  );
}

/** Of a session with its agents. Copies in progress entries count only where the transcript they repeat is not there (E18). */
export function usageWithAgents(tree: AgentTree): AgentUsage {
  return usageOfTranscripts([tree.main, ...tree.all.map(({ entries }) => entries)], tree.all.length);
}

function usageOfTranscripts(transcripts: readonly (readonly Entry[])[], agents: number): AgentUsage {
  const own = transcripts.flatMap((entries) => mergeMessages(entries));
  const copies = transcripts.flatMap((entries) => copiedMessages(entries));
  const calls = new Set<string>();
  for (const entries of transcripts) {
    for (const { kind, head } of entries) {
      for (const { type, id } of kind === 'assistant' ? head.blocks : []) {
        if (type === 'tool_use' && id !== undefined) calls.add(id);
      }
    }
  }
  return { ...usageOfMessages([...own, ...copies]), toolCalls: calls.size, agents };
}
