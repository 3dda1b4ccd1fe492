/** S1, S5, S8: what is wrong with the shape of a log that Skein wrote. Entries pass by once; a sound log has nothing to say. */
import { type Entry, jsonOf } from '../format/entry.ts';
import type { Issue } from '../format/issue.ts';
import { asString, type JsonObject } from '../format/json.ts';

/** Kinds that stand in the chain of parents. */
const CHAINED: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);
/** Kinds that are about one entry. */
const ABOUT: ReadonlySet<string> = new Set(['last-prompt', 'file-history-snapshot', 'file-history-delta']);

export interface FlawCheck {
  /** With the whole object where it is at hand. */
  add(entry: Entry, json?: JsonObject): void;
  result(): Issue[];
}

/** All entries of one file in file order. */
export function flawsOf(entries: Iterable<Entry>): Issue[] {
  const check = createFlawCheck();
  for (const entry of entries) check.add(entry);
  return check.result();
}

export function createFlawCheck(): FlawCheck {
  const issues: Issue[] = [];
  const uuids = new Set<string>();
  const named: { readonly uuid: string; readonly entry: Entry; readonly field: string }[] = [];
  let last: Entry | undefined;
  const report = (entry: Entry, what: string, rule = 'S1') =>
    issues.push({ rule, severity: 'error', line: entry.line.number, uuid: entry.head.uuid, what });
  /** What is named before is there; only what is not there yet must be looked for at the end. */
  const refer = (entry: Entry, field: string, uuid: string | null | undefined) => {
    if (typeof uuid === 'string' && !uuids.has(uuid)) named.push({ uuid, entry, field });
  };
  return {
    add(entry, json) {
      const { head, kind } = entry;
      if (kind === 'unreadable' || kind === 'blank') report(entry, 'the line is no entry');
      if (head.uuid !== undefined && uuids.has(head.uuid)) report(entry, 'its uuid is used already');
      if (head.uuid !== undefined) uuids.add(head.uuid);
      refer(entry, 'logicalParentUuid', head.logicalParentUuid);
      refer(entry, 'sourceToolAssistantUUID', head.sourceToolAssistantUUID);
      if (ABOUT.has(kind)) refer(entry, kind, head.leafUuid ?? asString((json ?? jsonOf(entry))?.messageId));
      if (!CHAINED.has(kind) || head.isSidechain) {
        refer(entry, 'parentUuid', head.parentUuid);
        return;
      }
      if (!hangsOn(entry, last)) report(entry, 'it does not hang on the entry before it');
      if (head.timestamp === undefined) report(entry, 'it has no timestamp');
      last = entry;
    },
    result() {
      for (const { uuid, entry, field } of named) {
        if (!uuids.has(uuid)) report(entry, `${field} names ${uuid}, which is not there`, 'S5');
      }
      return issues;
    },
  };
}

function hangsOn({ head }: Entry, last: Entry | undefined): boolean {
  if (head.uuid === undefined) return false;
  if (head.parentUuid === null) return last === undefined || head.subtype === 'compact_boundary';
  return last !== undefined && head.parentUuid === last.head.uuid;
}
