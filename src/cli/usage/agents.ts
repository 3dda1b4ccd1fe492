/** What kind of sub-agent an id is: from the file beside its transcript, else from the call that started it (L3). */
import { agentsWith, loadOnce } from '../../disk/agentfiles.ts';
import type { SessionFile } from '../../disk/find.ts';
import { attempt } from '../../disk/folder.ts';
import { linesHolding } from '../../disk/needle.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { agentMetaOf } from '../../disk/sidecars.ts';
import { fileSource } from '../../disk/source.ts';
import { type Entry, toEntry } from '../../format/entry.ts';
import { agentsOf } from '../../graph/agents.ts';

export const MAIN = 'main';
const UNTYPED = 'sub-agent';

export function agentTypes(files: readonly SessionFile[]): (agentId: string) => string {
  const types = new Map<string, string>();
  const untyped = new Set<string>();
  for (const file of files) {
    if (file.kind !== 'agent') continue;
    const id = file.agentId ?? file.sessionId;
    const type = agentMetaOf(file)?.agentType;
    // An empty one says nothing.
    if (!type) untyped.add(file.slug);
    else types.set(id, type);
  }
  // Only projects with an agent that does not say are looked through.
  const bySlug = Map.groupBy(files, ({ slug }) => slug);
  for (const slug of untyped) addStarted(types, bySlug.get(slug) ?? []);
  return (agentId) => (agentId === '' ? MAIN : (types.get(agentId) ?? UNTYPED));
}

/** The type stands in the call; which call it was is told as everywhere (`graph/agents.ts`). */
function addStarted(types: Map<string, string>, files: readonly SessionFile[]): void {
  const agents = files.filter(({ kind }) => kind === 'agent');
  for (const { kind, file, sessionId } of files) {
    if (kind !== 'session') continue;
    const entries = quietly(file, tellingOf);
    const own = agentsWith(
      entries,
      sessionId,
      agents,
      loadOnce((path) => quietly(path, (readable) => [...readEntriesOf(readable)])),
    );
    for (const { agentId, agentType } of agentsOf(entries, own).all)
      if (agentType && !types.has(agentId)) types.set(agentId, agentType);
  }
}

/** Calls that start agents, and what names the agents: results, progress and notifications. */
const NEEDLES = ['"subagent_type"', '"agentId"', '<task-notification>'];

/** Most lines of a session say nothing of that. */
function tellingOf(file: string): Entry[] {
  const source = fileSource(file);
  const entries = new Map<number, Entry>();
  for (const needle of NEEDLES) {
    for (const { line, bytes } of linesHolding(file, Buffer.from(needle), { numbered: true }))
      if (!entries.has(line.start)) entries.set(line.start, toEntry(source, line, bytes));
  }
  source.close();
  return [...entries.values()].sort((a, b) => a.line.start - b.line.start);
}

/** What cannot be read was told when it was counted. */
function quietly(file: string, read: (file: string) => Entry[]): Entry[] {
  return (
    attempt(
      () => read(file),
      file,
      () => {},
    ) ?? []
  );
}
