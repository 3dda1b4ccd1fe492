/** The sub-agents' files that belong to a session, wherever they lie (L3). */
import type { Entry } from '../format/entry.ts';
import type { AgentFile } from '../graph/agents.ts';
import type { SessionFile } from './find.ts';
import { parentSessionOf } from './parent.ts';
import { agentMetaOf } from './sidecars.ts';

/** How the entries of a file are come by. */
export type ReadFile = (file: string) => readonly Entry[];

/** Those that lie with the session, and those its calls name: a fork has calls of agents whose files lie with the original. */
export function agentsWith(
  entries: readonly Entry[],
  owner: string | undefined,
  files: readonly SessionFile[],
  load: (file: SessionFile) => AgentFile,
): AgentFile[] {
  const byId = Map.groupBy(files, agentIdOf);
  const found = new Set(files.filter((file) => parentOf(file) === owner).map(load));
  const waiting = [entries, ...[...found].map((agent) => agent.entries)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const named = new Set(next.flatMap(({ head }) => head.result?.agentId ?? []));
    for (const agent of [...named].flatMap((id) => (byId.get(id) ?? []).map(load))) {
      if (!found.has(agent)) waiting.push(agent.entries);
      found.add(agent);
    }
  }
  return [...found];
}

export function loadOnce(read: ReadFile): (file: SessionFile) => AgentFile {
  const loaded = new Map<string, AgentFile>();
  return (file) => {
    const agent = loaded.get(file.file) ?? loadAgent(file, read);
    loaded.set(file.file, agent);
    return agent;
  };
}

const parents = new Map<string, string | undefined>();

/** Newer agents lie in their session's folder; older ones beside it, where only their entries tell (L3). */
export function parentOf(agent: SessionFile): string | undefined {
  if (agent.parentSessionId !== undefined) return agent.parentSessionId;
  if (!parents.has(agent.file)) parents.set(agent.file, parentSessionOf(agent.file));
  return parents.get(agent.file);
}

function loadAgent(agent: SessionFile, read: ReadFile): AgentFile {
  return {
    agentId: agentIdOf(agent),
    file: agent.file,
    entries: read(agent.file),
    meta: agentMetaOf(agent)?.raw,
  };
}

function agentIdOf({ agentId, sessionId }: SessionFile): string {
  return agentId ?? sessionId;
}
