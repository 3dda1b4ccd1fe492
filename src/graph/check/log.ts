/** The entries of a session after they have passed by: where each lies, who its parent is. What more is needed is read again. */
import { type Entry, type Source, toEntry } from '../../format/entry.ts';
import type { Ids } from '../../format/ids.ts';
import type { Issue, Severity } from '../../format/issue.ts';
import type { Line } from '../../format/lines.ts';
import { createNumbers } from '../../format/numbers.ts';

export interface Log {
  readonly size: number;
  /** All ids that are named anywhere, by numbers. */
  readonly ids: Ids;
  add(entry: Entry): void;
  /** The number of an entry's own uuid, and of its parent's; -1 without one. */
  uuidAt(index: number): number;
  parentAt(index: number): number;
  /** The last entry with a uuid; -1 when it was never written. */
  withUuid(id: number): number;
  /** Reads an entry again, unless the session is small. */
  entryAt(index: number): Entry | undefined;
  issueAt(index: number, rule: string, severity: Severity, what: string): Issue;
}

/** So many entries are kept as they are: most sessions have fewer, and nothing is read twice. */
const MOST_KEPT = 4000;

export function createLog(ids: Ids): Log {
  // Lines of a file follow each other: where one ends the next begins.
  const starts = createNumbers(0, 'float');
  const uuids = createNumbers(-1);
  const parents = createNumbers(-1);
  const lastWith = createNumbers(-1);
  let source: Source | undefined;
  let first = 1;
  let last: Line | undefined;
  let kept: Entry[] | undefined = [];

  function lineAt(index: number): Line | undefined {
    const number = first + index;
    if (number === last?.number) return last;
    return { number, start: starts.get(index), end: starts.get(index + 1) - 1, terminated: true };
  }

  return {
    get size() {
      return starts.length;
    },
    ids,
    add(entry) {
      const { source: from, line, head } = entry;
      const index = starts.length;
      if (index < MOST_KEPT) kept?.push(entry);
      else kept = undefined;
      if (index === 0) first = line.number;
      source = from;
      last = line;
      starts.push(line.start);
      const uuid = head.uuid === undefined ? -1 : ids.add(head.uuid);
      uuids.push(uuid);
      parents.push(typeof head.parentUuid === 'string' ? ids.add(head.parentUuid) : -1);
      if (uuid >= 0) lastWith.set(uuid, index);
    },
    uuidAt: uuids.get,
    parentAt: parents.get,
    withUuid: lastWith.get,
    entryAt(index) {
      if (kept !== undefined) return kept[index];
      const line = lineAt(index);
      return source && line && toEntry(source, line, source.read(line.start, line.end));
    },
    issueAt(index, rule, severity, what) {
      const uuid = uuids.get(index);
      return { rule, severity, line: first + index, uuid: uuid < 0 ? undefined : ids.at(uuid), what };
    },
  };
}
