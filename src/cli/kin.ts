/**
 * Sessions of other folders that may belong to a chat, told by how they begin: copies repeat the first entries (H1),
 * continuations name the session or the entry they follow (H4, C1). Whoever is found is then read as a whole and joined,
 * or not, by the graph; so too many cost only time.
 */
import { DiskError } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { linesHolding } from '../disk/needle.ts';
import { readEntriesOf } from '../disk/read.ts';
import type { Entry } from '../format/entry.ts';
import { eachId, holdsId } from '../format/idlist.ts';
import { inputKind } from '../format/prompt.ts';
import type { SessionFacts } from '../graph/lineage.ts';
import { createOutline, type Outline } from '../graph/outline.ts';

/** What a chat can be known by to others, and what it knows of others. */
interface Marks {
  readonly ids: ReadonlySet<string>;
  readonly uuids: ReadonlySet<string>;
  /** Entries that it follows or was copied from. */
  readonly refs: ReadonlySet<string>;
  readonly plans: ReadonlySet<string>;
}

function marksOf(sessions: readonly Pick<SessionFacts, 'id' | 'outline'>[]): Marks {
  const marks = { ids: new Set<string>(), uuids: new Set<string>(), refs: new Set<string>(), plans: new Set<string>() };
  const add = (set: Set<string>, ids: Iterable<string | undefined>) => {
    for (const id of ids) if (id !== undefined) set.add(id);
  };
  for (const { id, outline } of sessions) {
    const { sessionIds, uuids, asides, titles, lineage } = outline;
    add(marks.ids, [id, ...sessionIds, lineage.fork?.sessionId]);
    add(marks.uuids, eachId(uuids));
    add(marks.uuids, eachId(asides));
    add(marks.refs, eachId(lineage.renamed));
    add(marks.refs, [lineage.firstParent, ...lineage.logicalParents]);
    add(
      marks.refs,
      titles.summaries.map(({ leafUuid }) => leafUuid),
    );
    add(marks.plans, [...lineage.plans, lineage.planContent]);
  }
  return marks;
}

function areRelated(a: Marks, b: Marks): boolean {
  return (
    meet(a.ids, b.ids) ||
    meet(a.uuids, b.uuids) ||
    meet(a.uuids, b.refs) ||
    meet(b.uuids, a.refs) ||
    meet(a.refs, b.refs) ||
    meet(a.plans, b.plans)
  );
}

/** Looks at the smaller one: a beginning is short, a chat may be long. */
function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const id of few) if (many.has(id)) return true;
  return false;
}

/** How a session begins; all of it where it is short or known. */
export interface Beginning {
  readonly outline: Outline;
  readonly isWhole: boolean;
}

/** Those of `others` that may belong to the chat of these sessions. */
export function kinOf(
  sessions: readonly SessionFacts[],
  others: readonly SessionFile[],
  beginningOf: (file: SessionFile) => Beginning | undefined,
): SessionFile[] {
  const marks = marksOf(sessions);
  const deep = [...new Set([...missingParents(sessions, marks), ...copiedStarts(sessions)])];
  return others.filter((file) => {
    const beginning = beginningOf(file);
    if (beginning === undefined) return false;
    if (areRelated(marks, marksOf([{ id: file.sessionId, outline: beginning.outline }]))) return true;
    return !beginning.isWhole && deep.some((uuid) => holds(file.file, uuid));
  });
}

/** What the chat goes on from and does not hold: it may stand anywhere in another session. */
function missingParents(sessions: readonly SessionFacts[], { uuids }: Marks): string[] {
  return sessions.flatMap(({ file, outline: { lineage } }) =>
    [lineage.firstParent, ...lineage.logicalParents].flatMap((uuid) =>
      // Progress entries are parents too, and in no outline.
      uuid === undefined || uuids.has(uuid) || holds(file, `"uuid":"${uuid}"`) ? [] : [uuid],
    ),
  );
}

/** 1.0.x copies from the last compaction on (H1): what such a session begins with may stand in the middle of another. */
function copiedStarts(sessions: readonly SessionFacts[]): string[] {
  return sessions.flatMap(({ file, outline }) => {
    const isKnown = (uuid: string) =>
      sessions.some((other) => other.outline !== outline && holdsId(other.outline.uuids, uuid));
    const start = attempt(() => firstSaid(file), undefined);
    const uuid = start && inputKind(start) === 'compact_summary' ? start.head.uuid : undefined;
    return uuid === undefined || isKnown(uuid) ? [] : [uuid];
  });
}

function firstSaid(file: string): Entry | undefined {
  for (const entry of readEntriesOf(file, { chunkBytes: CHUNK_BYTES })) if (isSaid(entry)) return entry;
  return undefined;
}

function isSaid({ kind, head }: Entry): boolean {
  return (kind === 'user' || kind === 'assistant') && head.uuid !== undefined && !head.isSidechain;
}

function holds(file: string, text: string): boolean {
  return attempt(() => linesHolding(file, Buffer.from(text)).next().done !== true, false);
}

function attempt<T>(call: () => T, otherwise: T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof DiskError) return otherwise;
    throw error;
  }
}

/** So many entries of what was said tell where a session comes from. */
const FIRST_SAID = 3;
const CHUNK_BYTES = 16 << 10;

/** Throws DiskError. */
export function readBeginning(file: SessionFile): Beginning {
  const outline = createOutline();
  let said = 0;
  for (const entry of readEntriesOf(file.file, { chunkBytes: CHUNK_BYTES })) {
    outline.add(entry);
    if (isSaid(entry)) said += 1;
    if (said >= FIRST_SAID) return { outline: outline.result(), isWhole: entry.line.end >= file.bytes - 1 };
  }
  return { outline: outline.result(), isWhole: true };
}
