/**
 * Sub-agents as progress entries repeat them (E18). A copy is unpacked into the entry it repeats, so that an agent whose own
 * file is gone is read like any other; the payload stays in the progress line until someone asks for it.
 */
import { type Entry, jsonOf, type Source, toEntry } from '../../format/entry.ts';
import { asObject, asString, at, type JsonObject } from '../../format/json.ts';
import { encode } from '../../format/text.ts';

/** What progress entries tell of one agent. */
export interface Copies {
  /** The id of the call where none is told. */
  readonly agentId: string;
  readonly named: boolean;
  /** The call they report to. */
  readonly toolUseId: string | undefined;
  /** Progress entries, each with a copy of one entry; a copy that comes again stands once, with its last content. */
  readonly progress: readonly Entry[];
}

/** By agent, as far as progress names it; else by its call. */
export function gatherCopies(transcripts: Iterable<readonly Entry[]>): Copies[] {
  const found = new Map<string, { toolUseId: string | undefined; progress: Map<string | Entry, Entry> }>();
  for (const entries of transcripts) {
    for (const entry of entries) {
      const { progress, parentToolUseID } = entry.head;
      const agentId = progress?.agentId ?? parentToolUseID;
      if (entry.kind !== 'progress' || progress?.copy?.message === undefined || agentId === undefined) continue;
      const known = found.get(agentId) ?? { toolUseId: parentToolUseID, progress: new Map() };
      known.progress.set(progress.copy.uuid ?? entry, entry);
      found.set(agentId, known);
    }
  }
  return [...found].map(([agentId, { toolUseId, progress }]) => {
    const list = [...progress.values()];
    return { agentId, named: list[0]?.head.progress?.agentId !== undefined, toolUseId, progress: list };
  });
}

/** The copied entries, in the order they were reported. */
export function unpackCopies({ agentId, progress }: Copies): Entry[] {
  const packed = new Map<number, Entry>();
  const source: Source = {
    name: `${progress[0]?.source.name ?? ''}#${agentId}`,
    read: (start) => copyIn(packed.get(start), agentId),
  };
  let start = 0;
  return progress.map((entry) => {
    const bytes = copyIn(entry, agentId);
    const line = { number: entry.line.number, start, end: start + bytes.length, terminated: true };
    packed.set(start, entry);
    start = line.end + 1;
    return toEntry(source, line, bytes);
  });
}

/** A copy has no envelope of its own: it is that of the progress entry, in a side chain (E2). */
const ENVELOPE = ['sessionId', 'cwd', 'version', 'gitBranch', 'timestamp'];

function copyIn(entry: Entry | undefined, agentId: string): Uint8Array {
  const json = (entry && jsonOf(entry)) ?? {};
  const envelope: JsonObject = {};
  for (const key of ENVELOPE) if (json[key] !== undefined) envelope[key] = json[key];
  const copy = { ...envelope, ...asObject(at(json, 'data', 'message')), isSidechain: true, agentId };
  return encode(JSON.stringify(copy));
}

export function promptOfCopies({ progress }: Copies): string | undefined {
  const [first] = progress;
  return asString(at(first && jsonOf(first), 'data', 'prompt'))?.trim();
}

/** What a transcript lacks of what was reported: its file may be cut short. */
export function copiesLacking(own: readonly Entry[], copies: Copies): Entry[] {
  const uuids = new Set(own.map(({ head }) => head.uuid));
  const isThere = ({ head }: Entry) => uuids.has(head.progress?.copy?.uuid ?? '');
  const rest = copies.progress.filter((entry) => !isThere(entry));
  if (rest.length === 0) return [];
  const lacking = unpackCopies({ ...copies, progress: rest });
  return rest.length < copies.progress.length ? lacking : lacking.filter(isNewTo(own));
}

/** Where copies have uuids of their own, ids of messages and calls tell what is there. */
function isNewTo(own: readonly Entry[]): (copy: Entry) => boolean {
  const messages = new Set(own.map(({ head }) => head.message?.id));
  const answered = new Set(own.flatMap(({ head }) => head.blocks.map(({ toolUseId }) => toolUseId)));
  const asked = own.some(({ kind }) => kind === 'user');
  return ({ kind, head }) => {
    if (kind !== 'user') return head.message?.id === undefined || !messages.has(head.message.id);
    const results = head.blocks.flatMap(({ toolUseId }) => toolUseId ?? []);
    return results.length === 0 ? !asked : results.some((id) => !answered.has(id));
  };
}
