/**
 * Sub-agents of every layout, each with the tool call that started it (L3, E18): by its meta file, else by what the call's
 * result, progress or notification says, else by its prompt. What nothing explains is kept and told apart. Never throws.
 */
import { type Entry, jsonOf } from '../format/entry.ts';
import { asNumber, asString, at, type Json, type JsonObject } from '../format/json.ts';
import { type AgentLink, type Attachment, attach, type Candidate } from './agents/attach.ts';
import { type Evidence, gatherEvidence, MAIN } from './agents/evidence.ts';
import { transcriptsOf } from './agents/transcripts.ts';
import type { Sure } from './sure.ts';
import { inputOfCall } from './toolcalls.ts';
import type { ToolCall } from './types.ts';

export { type AgentUsage, runOf, tokensOf, usageOfAgents, usageWithAgents } from './agents/usage.ts';

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
  /** Where its transcript was found. Of one known from `progress` only, as much is there as was reported (E18). */
  readonly from: Candidate['from'];
  /** Undefined for one without a file of its own. */
  readonly file: string | undefined;
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  /** The call that started it, then those that took it up again. */
  readonly calls: readonly ToolCall[];
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
  const { main, candidates } = transcriptsOf(entries, files);
  const transcripts = candidates.map((candidate, index) => [index, candidate.entries] as const);
  const evidence = gatherEvidence([[MAIN, main], ...transcripts]);
  const attachments = attach(candidates, evidence);
  const drafts = candidates.map((candidate, index) => toDraft(candidate, attachments[index], evidence, candidates));
  return { main, ...toTree(drafts, attachments) };
}

function toDraft(
  candidate: Candidate,
  attachment: Attachment | undefined,
  evidence: Evidence,
  candidates: readonly Candidate[],
): Draft {
  const { agentId, entries, from, meta, warmup } = candidate;
  const calls = attachment?.calls ?? [];
  const [first] = calls;
  const input = first && inputOfCall(first);
  const launched = recordOf(first);
  const last = recordOf(calls.findLast(({ result }) => result?.head.result?.status !== undefined));
  const told = evidence.notifications.get(agentId);
  return {
    agentId,
    from,
    file: candidate.file,
    agentType: asString(meta?.agentType) ?? asString(at(input, 'subagent_type')) ?? asString(at(launched, 'agentType')),
    description: asString(meta?.description) ?? asString(at(input, 'description')),
    calls,
    toolUseId: first?.id,
    toolUseIds: calls.map(({ id }) => id),
    parent: attachment && candidates[attachment.owner]?.agentId,
    children: [],
    depth: asNumber(meta?.spawnDepth) ?? 1,
    how: attachment?.how ?? 'folder',
    sure: attachment?.sure ?? 'guess',
    warmup,
    background: calls.some(({ status }) => status === 'background'),
    status: told?.status ?? asString(at(last, 'status')),
    outputFile: told?.outputFile ?? asString(at(last, 'outputFile')),
    entries,
  };
}

function recordOf(call: ToolCall | undefined): Json | undefined {
  return call?.result && jsonOf(call.result)?.toolUseResult;
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
