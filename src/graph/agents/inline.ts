/** Side chains that stand in the session's own file (L3, 1.0.x), taken apart: each is one sub-agent. */
import type { Entry } from '../../format/entry.ts';
import { isAgentTranscript } from '../parts.ts';

export interface InlineChain {
  /** The agent's id where entries have one, else the uuid of its first entry. */
  readonly id: string;
  readonly entries: Entry[];
}

export interface Split {
  readonly main: readonly Entry[];
  /** In the order in which they begin. */
  readonly chains: readonly InlineChain[];
}

export function splitInline(entries: readonly Entry[]): Split {
  // The transcript of an agent is a conversation of its own.
  if (!entries.some(({ head }) => head.isSidechain) || isAgentTranscript(entries)) return { main: entries, chains: [] };
  const rootOf = createRoots(entries);
  const main: Entry[] = [];
  const chains = new Map<string, InlineChain>();
  let last: InlineChain | undefined;
  for (const entry of entries) {
    if (!entry.head.isSidechain) {
      main.push(entry);
      continue;
    }
    const id = entry.head.agentId ?? rootOf(entry) ?? last?.id ?? `line-${entry.line.number}`;
    last = chains.get(id) ?? { id, entries: [] };
    chains.set(id, last);
    last.entries.push(entry);
  }
  return { main, chains: [...chains.values()] };
}

/** The uuid at the top of the chain an entry stands in; each entry is climbed over once. */
function createRoots(entries: readonly Entry[]): (entry: Entry) => string | undefined {
  const parents = new Map<string, string | undefined>();
  for (const { head } of entries) {
    if (head.isSidechain && head.uuid !== undefined) parents.set(head.uuid, head.parentUuid ?? undefined);
  }
  const roots = new Map<string, string>();
  return ({ head }) => {
    if (head.uuid === undefined)
      return parents.has(head.parentUuid ?? '') ? rootFrom(head.parentUuid ?? '') : undefined;
    return rootFrom(head.uuid);
  };

  function rootFrom(uuid: string): string {
    const path = new Set<string>();
    let at = uuid;
    let root = roots.get(at);
    while (root === undefined) {
      path.add(at);
      const above = parents.get(at);
      // Ends at a root, at an entry of the main conversation, and in a cycle.
      if (above === undefined || !parents.has(above) || path.has(above)) root = at;
      else {
        at = above;
        root = roots.get(at);
      }
    }
    for (const each of path) roots.set(each, root);
    return root;
  }
}
