/** S8: sub-agents, large outputs and checkpoints of a session go with its copy, as far as the copy refers to them. */
import { dirname, join } from 'node:path';
import { copyFile } from '../../disk/copy.ts';
import { writeFileAtomic } from '../../disk/durable.ts';
import type { SessionFile } from '../../disk/find.ts';
import { isFileAt } from '../../disk/mounts.ts';
import { parentSessionOf } from '../../disk/parent.ts';
import { readSessionOf } from '../../disk/read.ts';
import { agentMetaOf, folderOf } from '../../disk/sidecars.ts';
import { copyAgent } from '../../edit/agent.ts';
import { encodeDraft } from '../../edit/log.ts';
import type { Remap } from '../../edit/remap.ts';
import type { Entry } from '../../format/entry.ts';
import { encode } from '../../format/text.ts';
import type { Library } from '../library.ts';
import type { References } from './references.ts';

export interface Target {
  readonly file: string;
  readonly sessionId: string;
  readonly config: string | undefined;
  readonly mode: number;
}

export interface Carried {
  readonly agents: number;
  readonly toolResults: number;
  readonly checkpoints: number;
}

export interface AgentCopy {
  readonly from: SessionFile;
  readonly entries: readonly Entry[];
}

/** The transcripts of the agents whose calls are among the entries, and of those they started. All of the session's own with `all`. */
export function agentsOf(
  { files }: Library,
  session: SessionFile,
  kept: readonly Entry[],
  options: { readonly all: boolean },
): AgentCopy[] {
  const near = files.filter(({ kind, slug }) => kind === 'agent' && slug === session.slug);
  const isOwn = (agent: SessionFile) => (agent.parentSessionId ?? parentSessionOf(agent.file)) === session.sessionId;
  const chosen = new Map<SessionFile, readonly Entry[]>();
  const named = new Set<string>();
  const look = (entries: readonly Entry[]) => {
    for (const { head } of entries) {
      if (head.result?.agentId !== undefined) named.add(head.result.agentId);
      for (const { type, id } of head.blocks) if (type === 'tool_use' && id !== undefined) named.add(id);
    }
  };
  look(kept);
  for (let before = -1; before < chosen.size; ) {
    before = chosen.size;
    for (const agent of near) {
      if (chosen.has(agent) || !((options.all && isOwn(agent)) || isNamed(agent, named))) continue;
      const { entries } = readSessionOf(agent.file);
      chosen.set(agent, entries);
      look(entries);
    }
  }
  return [...chosen].map(([from, entries]) => ({ from, entries }));
}

function isNamed(agent: SessionFile, named: ReadonlySet<string>): boolean {
  if (named.has(agent.agentId ?? '')) return true;
  const call = agent.metaFile === undefined ? undefined : agentMetaOf(agent)?.toolUseId;
  return call !== undefined && named.has(call);
}

/** Newer layout for all (L3): beside the session an older agent's name would be taken. */
export function writeAgents(
  agents: readonly AgentCopy[],
  session: SessionFile,
  target: Target,
  remap: Remap,
  references: References,
): void {
  const folder = join(dirname(target.file), target.sessionId, 'subagents');
  for (const { from, entries } of agents) {
    const path = join(folder, `agent-${from.agentId}.jsonl`);
    // One agent may lie in two places, as after a fork: the first has it.
    if (isFileAt(path)) continue;
    const draft = copyAgent(entries, remap, session.sessionId);
    writeFileAtomic(path, seen(encodeDraft(draft), references), { mode: target.mode, exclusive: true });
    if (from.metaFile !== undefined) {
      copyFile(from.metaFile, join(folder, `agent-${from.agentId}.meta.json`), { mode: target.mode });
    }
  }
}

/** The same lines, looked at on their way. */
export function* seen(lines: Iterable<Uint8Array>, references: References): Generator<Uint8Array> {
  for (const line of lines) {
    references.see(line);
    yield line;
  }
}

export function writeOutputs(session: SessionFile, target: Target, { outputs }: References): number {
  const from = join(folderOf(session), 'tool-results');
  return copyNamed(outputs, from, join(dirname(target.file), target.sessionId, 'tool-results'), target.mode);
}

export function writeCheckpoints(
  session: SessionFile,
  config: string | undefined,
  target: Target,
  { checkpoints }: References,
): number {
  if (config === undefined || target.config === undefined) return 0;
  const to = join(target.config, 'file-history', target.sessionId);
  return copyNamed(checkpoints, join(config, 'file-history', session.sessionId), to, target.mode);
}

/** A file that is gone is not missed: the client cleans up too. */
function copyNamed(names: Iterable<string>, from: string, to: string, mode: number): number {
  let copied = 0;
  for (const name of names) {
    if (!isFileAt(join(from, name)) || isFileAt(join(to, name))) continue;
    copyFile(join(from, name), join(to, name), { mode });
    copied += 1;
  }
  return copied;
}

/** The name that the client shows for a renamed session (L4); only where the source has one. */
export function writeTitle(session: SessionFile, target: Target, title: string | undefined): void {
  const name = 'custom-title.json';
  if (title === undefined || !isFileAt(join(folderOf(session), name))) return;
  const to = join(dirname(target.file), target.sessionId, name);
  writeFileAtomic(to, encode(JSON.stringify({ customTitle: title })), { mode: target.mode });
}
