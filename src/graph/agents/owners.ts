/** Whose copies progress entries hold, also where they do not say (E18). */
import type { Entry } from '../../format/entry.ts';
import type { Candidate } from './attach.ts';
import { type Copies, gatherCopies } from './copies.ts';

type Transcript = Pick<Candidate, 'agentId' | 'entries'>;

export function copiesByAgent(main: readonly Entry[], known: readonly Transcript[]): Map<string, Copies> {
  const transcripts = [main, ...known.map(({ entries }) => entries)];
  const found = gatherCopies(transcripts);
  const byAgent = new Map<string, Copies>();
  if (found.length === 0) return byAgent;
  const ownerOf = found.every(({ named }) => named) ? undefined : createOwners(transcripts, known);
  for (const each of found) {
    const agentId = (each.named ? undefined : ownerOf?.(each)) ?? each.agentId;
    const before = byAgent.get(agentId);
    const progress = before ? [...before.progress, ...each.progress] : each.progress;
    byAgent.set(agentId, { ...each, agentId, toolUseId: before?.toolUseId ?? each.toolUseId, progress });
  }
  return byAgent;
}

/** The agent that the call's result names, or in whose transcript the inner uuid or message id stands. */
function createOwners(
  transcripts: readonly (readonly Entry[])[],
  known: readonly Transcript[],
): (copies: Copies) => string | undefined {
  const byCall = agentsOfCalls(transcripts);
  const owners = new Map<string, string>();
  for (const { agentId, entries } of known) {
    for (const { head } of entries) for (const id of [head.uuid, head.message?.id]) if (id) owners.set(id, agentId);
  }
  return ({ toolUseId, progress }) => {
    const told = byCall.get(toolUseId ?? '');
    if (told !== undefined) return told;
    for (const { head } of progress) {
      const { uuid, message } = head.progress?.copy ?? {};
      const owner = owners.get(uuid ?? '') ?? owners.get(message?.id ?? '');
      if (owner !== undefined) return owner;
    }
    return undefined;
  };
}

function agentsOfCalls(transcripts: readonly (readonly Entry[])[]): Map<string, string> {
  const agents = new Map<string, string>();
  for (const entries of transcripts) {
    for (const { head } of entries) {
      const agentId = head.result?.agentId;
      if (agentId === undefined) continue;
      for (const { toolUseId } of head.blocks) if (toolUseId !== undefined) agents.set(toolUseId, agentId);
    }
  }
  return agents;
}
