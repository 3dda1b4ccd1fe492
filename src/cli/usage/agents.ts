/** What kind of sub-agent an id is: from the file beside its transcript, else from the call that started it (L3). */
import type { SessionFile } from '../../disk/find.ts';
import { linesHolding } from '../../disk/needle.ts';
import { agentMetaOf } from '../../disk/sidecars.ts';
import { fileSource } from '../../disk/source.ts';
import { type Entry, toEntry } from '../../format/entry.ts';
import { asString, at } from '../../format/json.ts';
import { inputOfCall, pairToolCalls } from '../../graph/toolcalls.ts';

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
  for (const file of files) if (file.kind === 'session' && untyped.has(file.slug)) addStarted(types, file);
  return (agentId) => (agentId === '' ? MAIN : (types.get(agentId) ?? UNTYPED));
}

/** The type stands in the call, the agent's id in its result. */
function addStarted(types: Map<string, string>, { file }: SessionFile): void {
  const entries = [...entriesHolding(file, '"subagent_type"'), ...entriesHolding(file, '"agentId"')];
  for (const call of pairToolCalls(entries).calls) {
    const type = asString(at(inputOfCall(call), 'subagent_type'));
    if (call.agentId !== undefined && type && !types.has(call.agentId)) types.set(call.agentId, type);
  }
}

function* entriesHolding(file: string, needle: string): Generator<Entry> {
  const source = fileSource(file);
  for (const { line, bytes } of linesHolding(file, Buffer.from(needle), { numbered: true })) {
    yield toEntry(source, line, bytes);
  }
  source.close();
}
