/** A transcript as it is found: what whoever goes on writing it must know. Of a long one only its last part is kept. */
import { basename } from 'node:path';
import { type ReadOptions, readEntriesOf } from '../../disk/read.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { createIds, type Ids } from '../../format/ids.ts';
import { asObject, asString, at, type JsonObject } from '../../format/json.ts';
import { parseTimestamp } from '../../format/time.ts';
import { context } from '../../graph/context/context.ts';
import { isBoundary } from '../../graph/context/node.ts';
import { createLastPart } from '../../graph/lastpart.ts';
import { type History, historyOf } from '../history/plan.ts';
import { asMain } from './conversation.ts';
import { sessionName } from './names.ts';

export interface OpenedFile {
  readonly file: string;
  readonly sessionId: string;
  /** The bytes that were read. */
  readonly end: number;
  /** Where the conversation goes on; undefined in a new session. */
  readonly leaf: string | undefined;
  /** Something was said, but no line has a uuid to go on from (E15). */
  readonly isUnlinked: boolean;
  /** The model that answered last. */
  readonly model: string | undefined;
  /** What the API counted at the last answer since the last compaction. */
  readonly usage: JsonObject | undefined;
  readonly slug: string;
  readonly lastPrompt: string;
  /** What people said until now. */
  readonly prompts: number;
  /** Lines of the chain. */
  readonly length: number;
  /** The newest time in it, or 0. */
  readonly lastTime: number;
  readonly costState: JsonObject | undefined;
  readonly history: History;
  /** The ids that are taken. */
  readonly ids: Ids;
  /** What a resume goes on from. */
  readonly entries: readonly Entry[];
}

export function newFile(file: string): OpenedFile {
  return {
    file,
    sessionId: sessionIdOf(file),
    end: 0,
    leaf: undefined,
    isUnlinked: false,
    model: undefined,
    usage: undefined,
    slug: sessionName(Math.random),
    lastPrompt: '',
    prompts: 0,
    length: 0,
    lastTime: 0,
    costState: undefined,
    history: historyOf([]),
    ids: createIds(),
    entries: [],
  };
}

/** A torn or damaged file opens too, with what is in it. `isSide`: it is that of a sub-agent. Throws DiskError when it cannot be read. */
export function openFile(file: string, { isSide = false }: { isSide?: boolean } = {}): OpenedFile {
  const part = createLastPart();
  const newest = new Map<string, Entry>();
  const checkpoints: Entry[] = [];
  let [prompts, length, lastTime, end] = [0, 0, 0, 0];
  let answered: Entry | undefined;
  let counted: Entry | undefined;
  for (const read of readEntriesOf(file)) {
    const entry = isSide ? asMain(read) : read;
    const { kind, head, line } = entry;
    part.add(entry);
    newest.set(kind, entry);
    if (kind === 'file-history-snapshot' || kind === 'file-history-delta') checkpoints.push(entry);
    if (isSaid(entry)) prompts += 1;
    if (isBoundary(entry)) counted = undefined;
    if (kind === 'assistant' && head.message?.model !== '<synthetic>') counted = answered = entry;
    if (head.uuid !== undefined) length += 1;
    if (head.timestamp !== undefined) lastTime = Math.max(lastTime, parseTimestamp(head.timestamp) || 0);
    end = line.end + (line.terminated ? 1 : 0);
  }
  const entries = part.result();
  const { leaf, messages } = context(entries);
  const lastOf = (kind: string): JsonObject | undefined => {
    const entry = newest.get(kind);
    return entry && jsonOf(entry);
  };
  return {
    file,
    sessionId: sessionIdOf(file),
    end,
    leaf,
    isUnlinked: leaf === undefined && messages.length > 0,
    model: answered?.head.message?.model,
    usage: counted && asObject(at(jsonOf(counted), 'message', 'usage')),
    slug: asString(lastOf('assistant')?.slug) ?? sessionName(Math.random),
    lastPrompt: asString(lastOf('last-prompt')?.lastPrompt) ?? '',
    prompts,
    length,
    lastTime,
    costState: lastOf('cost-state'),
    history: historyOf(checkpoints),
    ids: part.ids,
    entries,
  };
}

/** Only what a resume goes on from. Throws DiskError. */
export function readLastPart(file: string, options: ReadOptions): Entry[] {
  const part = createLastPart();
  for (const entry of readEntriesOf(file, options)) part.add(entry);
  return part.result();
}

/** Said by somebody, not a result: counts what the client numbers. */
function isSaid({ kind, head }: Entry): boolean {
  if (kind !== 'user' || head.isSidechain || head.isMeta) return false;
  return !head.blocks.some(({ type }) => type === 'tool_result');
}

/** The id of the session that a file holds, by its name. */
export function sessionIdOf(file: string): string {
  return basename(file, '.jsonl');
}
