/** Every departure from the rules of the format in one session, line by line, in one pass. */
import { type Entry, type Source, toParsedEntry } from './entry.ts';
import { createFileCheck, type Note, type Place } from './filecheck.ts';
import { createIds, type Ids } from './ids.ts';
import { createInventory, type Inventory } from './inventory.ts';
import type { Issue } from './issue.ts';
import type { JsonObject } from './json.ts';
import type { RawLine } from './lines.ts';
import { createNumbers } from './numbers.ts';
import { parseTimestamp } from './time.ts';

export interface CheckResult {
  readonly issues: readonly Issue[];
  readonly inventory: Inventory;
}

export interface CheckOptions {
  readonly place?: Place;
  /** Sees every entry on the way, with its whole object. */
  readonly onEntry?: (entry: Entry, json: JsonObject | undefined) => void;
  /** The ids of the session, where the caller has a use for them too. */
  readonly ids?: Ids;
  /** As Node can tell it without making a text. */
  readonly isUtf8?: (bytes: Uint8Array) => boolean;
}

/** Looks at each line once, in file order; a file of any size passes by. */
export function checkLines(source: Source, lines: Iterable<RawLine>, options: CheckOptions = {}): CheckResult {
  const issues: Issue[] = [];
  const note: Note = (rule, severity, line, what, more) => issues.push({ rule, severity, line, what, ...more });
  const { ids = createIds(), isUtf8 = decodes } = options;
  const inventory = createInventory(ids);
  const checkIds = createIdCheck(ids, note);
  const file = createFileCheck(options.place ?? {}, note);
  for (const { line, bytes } of lines) {
    const { entry, json } = toParsedEntry(source, line, bytes);
    inventory.add(entry, json);
    checkBytes(entry, bytes, note);
    if (entry.kind !== 'unreadable' && !isUtf8(bytes)) {
      note('E1', 'warning', line.number, 'invalid UTF-8: read with replacement characters');
    }
    checkEnvelope(entry, note);
    checkOutputTokens(entry, note);
    checkBoundary(entry, note);
    checkIds(entry);
    file.add(entry);
    options.onEntry?.(entry, json);
  }
  file.end();
  return { issues, inventory: inventory.result() };
}

let utf8: TextDecoder | undefined;

/** E1: one JSON object a line, `\n` only, UTF-8. */
function checkBytes(entry: Entry, bytes: Uint8Array, note: Note): void {
  const { line, kind } = entry;
  if (kind === 'unreadable' && !line.terminated) {
    note(
      'E1',
      'warning',
      line.number,
      `torn last line, ${bytes.length} bytes without an end: still being written, or cut off`,
    );
  } else if (kind === 'unreadable') {
    note(
      'E1',
      'error',
      line.number,
      `unreadable line (${entry.problem}), ${bytes.length} bytes at offset ${line.start}`,
      {
        fix: 'the client skips this line; its bytes are kept',
      },
    );
  }
  if (kind === 'blank') note('E1', 'info', line.number, 'blank line');
  if (bytes.at(-1) === 13) note('E1', 'warning', line.number, 'line ends in CR LF');
  if (line.start === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    note('E1', 'warning', 1, 'file starts with a byte order mark');
  }
}

function decodes(bytes: Uint8Array): boolean {
  try {
    utf8 ??= new TextDecoder('utf-8', { fatal: true });
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** E2, E3, E13, E15, W1: the fields every entry of a conversation should have. */
function checkEnvelope(entry: Entry, note: Note): void {
  const { head, kind, line } = entry;
  if (kind === 'unknown') {
    note(
      'E3',
      'info',
      line.number,
      head.type === undefined ? 'entry without type or role' : `unknown type "${head.type}"`,
    );
  }
  if (head.isApiErrorMessage) note('E13', 'info', line.number, 'API error shown to the user');
  if (kind !== 'user' && kind !== 'assistant') return;
  if (head.type === undefined) note('E15', 'info', line.number, 'no type: taken from the role');
  if (head.uuid === undefined) note('E2', 'warning', line.number, `${kind} entry without uuid: it cannot be linked`);
  else if (head.parentUuid === undefined) note('E2', 'warning', line.number, `${kind} entry without parentUuid`);
  if (head.timestamp === undefined) {
    note('W1', 'warning', line.number, `${kind} entry without timestamp: the client does not find such a conversation`);
  } else if (Number.isNaN(parseTimestamp(head.timestamp))) {
    note('E2', 'warning', line.number, `timestamp "${head.timestamp}" is not a time`);
  }
  if (head.contentForm === 'none') note('W1', 'warning', line.number, `${kind} entry without message content`);
  if (kind === 'assistant' && head.message?.id === undefined) {
    note('E4', 'info', line.number, 'assistant entry without message id: merged by request id or by place');
  }
}

/** E12, H1: repeated uuids, children before parents, more than one session id. */
function createIdCheck(ids: Ids, note: Note): (entry: Entry) => void {
  // By number of an id: the line it stands in first, and whether it was named before as a parent.
  const lines = createNumbers(0);
  const awaited = createNumbers(0, 'byte');
  const sessionIds = new Set<string>();
  let previous = '';
  return ({ head, line, kind }) => {
    if (kind === 'blank' || kind === 'unreadable') return;
    if (head.uuid !== undefined) {
      const id = ids.add(head.uuid);
      const first = lines.get(id);
      if (first === 0) lines.set(id, line.number);
      else
        note('E12', 'warning', line.number, `uuid was used in line ${first} already: the last one counts`, {
          uuid: head.uuid,
        });
      if (awaited.get(id) === 1) note('E12', 'info', line.number, 'child stands before its parent');
    }
    if (typeof head.parentUuid === 'string') {
      const parent = ids.add(head.parentUuid);
      if (lines.get(parent) === 0) awaited.set(parent, 1);
    }
    if (head.uuid !== undefined && head.timestamp !== undefined) {
      if (head.timestamp < previous) note('E12', 'info', line.number, 'timestamp earlier than the one before it');
      previous = head.timestamp;
    }
    if (head.sessionId !== undefined && !sessionIds.has(head.sessionId)) {
      sessionIds.add(head.sessionId);
      if (sessionIds.size > 1)
        note('H1', 'info', line.number, 'another session id: copied or continued from another session');
    }
  };
}

/** C1: the conversation before a compaction is reached by `logicalParentUuid` alone. */
function checkBoundary({ head, kind, line }: Entry, note: Note): void {
  if (kind !== 'system' || head.subtype !== 'compact_boundary' || typeof head.parentUuid !== 'string') return;
  note('C1', 'info', line.number, 'compact boundary with a parent: what it has replaced hangs on it still', {
    uuid: head.uuid,
  });
}

/** E17: files of 2.1.20 to 2.1.45 say 1 output token on every line. */
function checkOutputTokens({ head, kind, line }: Entry, note: Note): void {
  if (kind !== 'assistant' || head.version === undefined || head.message?.usage?.output !== 1) return;
  if (inVersions(head.version, [2, 1, 20], [2, 1, 45])) {
    note('E17', 'warning', line.number, 'output tokens were not recorded by this version: totals are incomplete');
  }
}

function inVersions(version: string, from: readonly number[], to: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  return compareVersions(parts, from) >= 0 && compareVersions(parts, to) <= 0;
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (const [i, part] of b.entries()) if ((a[i] ?? 0) !== part) return (a[i] ?? 0) - part;
  return 0;
}
