/**
 * Parents as they must have been (E12, W2, R6): every entry of the conversation has a uuid of its own and hangs on an entry
 * that is there. Works on heads; payloads are not touched, and what was said stays where it stands.
 */
import { rawContentOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { inputKind, isHumanTurnStart } from '../../format/prompt.ts';
import { isBoundary, isConversation } from '../../graph/context/node.ts';
import type { FreshUuid } from '../ids.ts';
import type { Note } from '../log.ts';

export interface RelinkOptions {
  readonly freshUuid: FreshUuid;
  /** Whether a prompt without a parent is joined to what stands before it; it may have been typed after a rewind to the start. */
  readonly rejoin: boolean;
}

export interface Relinked {
  readonly entries: readonly Entry[];
  readonly notes: readonly Note[];
}

/** An entry of the conversation while its links are mended. */
interface Item {
  readonly entry: Entry;
  place: number;
  uuid: string;
  parent: string | null | undefined;
}

interface Known {
  readonly items: readonly Item[];
  readonly byUuid: ReadonlyMap<string, Item>;
  /** Lines of every kind. */
  readonly all: ReadonlyMap<string, Entry>;
  readonly notes: Note[];
}

/** All entries of one file in file order. */
export function relink(entries: readonly Entry[], { freshUuid, rejoin }: RelinkOptions): Relinked {
  const notes: Note[] = [];
  const items = nameRepeated(itemsOf(entries, freshUuid, notes), freshUuid, notes);
  const all = new Map(entries.flatMap((entry) => (entry.head.uuid ? [[entry.head.uuid, entry] as const] : [])));
  const known: Known = { items, all, byUuid: new Map(items.map((item) => [item.uuid, item])), notes };
  for (const item of items) mendParent(item, known, rejoin);
  cutCircles(known);
  const changed = new Map(items.map((item) => [item.entry, item]));
  return { entries: entries.map((entry) => withLinks(entry, changed.get(entry))), notes };
}

/** Progress stands in the chain too (E3). */
function itemsOf(entries: readonly Entry[], freshUuid: FreshUuid, notes: Note[]): Item[] {
  const items: Item[] = [];
  for (const entry of entries) {
    const { head, kind } = entry;
    if (head.isSidechain || !(isConversation(entry) || (kind === 'progress' && head.uuid))) continue;
    if (!head.uuid) note(notes, 'E2', entry, 'no uuid, so that nothing can hang on it: it gets one');
    items.push({ entry, place: items.length, uuid: head.uuid || freshUuid(), parent: head.parentUuid || null });
  }
  return items;
}

/** E12: of a line written again the last counts; another line under the same uuid would be lost, so it gets its own. */
function nameRepeated(items: readonly Item[], freshUuid: FreshUuid, notes: Note[]): Item[] {
  const seen = new Map<string, Item>();
  const gone = new Set<Item>();
  for (const item of items) {
    const before = seen.get(item.uuid);
    seen.set(item.uuid, item);
    if (before === undefined) continue;
    if (isSameLine(before.entry, item.entry)) {
      note(notes, 'E12', before.entry, `written again in line ${item.entry.line.number}: the last one counts`);
      gone.add(before);
      continue;
    }
    const fresh = freshUuid();
    for (const child of items.slice(before.place + 1, item.place))
      if (child.parent === before.uuid) child.parent = fresh;
    before.uuid = fresh;
    const where = `line ${item.entry.line.number}`;
    note(notes, 'E12', before.entry, `${where} has the same uuid, which hides this line: it gets its own`);
  }
  return items.filter((item) => !gone.has(item)).map((item, place) => Object.assign(item, { place }));
}

function isSameLine(a: Entry, b: Entry): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'assistant') return a.head.message?.id === b.head.message?.id;
  if (a.kind !== 'user') return true;
  const [one, other] = [a, b].map((entry) => JSON.stringify(rawContentOf(jsonOf(entry) ?? {})));
  return one === other || (resultOf(a) !== undefined && resultOf(a) === resultOf(b));
}

function resultOf({ head }: Entry): string | undefined {
  return head.blocks.find(({ type }) => type === 'tool_result')?.toolUseId;
}

function mendParent(item: Item, known: Known, rejoin: boolean): void {
  const { entry, parent } = item;
  if (isBoundary(entry)) return;
  const isOwn = parent === item.uuid;
  if (parent && !isOwn && (known.byUuid.has(parent) || known.all.get(parent)?.head.isSidechain)) return;
  const above = parent && !isOwn ? climb(parent, known) : undefined;
  const before = above === undefined ? itemBefore(item, known) : undefined;
  if (above === undefined && before === undefined) return;
  if (!parent && !rejoin && isHumanTurnStart(inputKind(entry))) return;
  item.parent = above ?? before?.uuid;
  const joined = `joined to line ${before?.entry.line.number} before it`;
  if (isOwn) note(known.notes, 'E12', entry, `its own parent, on which older clients hang: ${joined}`);
  else if (above !== undefined) {
    note(known.notes, 'R6', entry, 'its parent is of a kind that clients do not follow: joined to what that hangs on');
  } else if (parent) {
    note(
      known.notes,
      'E12',
      entry,
      `its parent was never written, so that older clients lose all before it: ${joined}`,
    );
  } else if (entry.head.uuid) {
    note(known.notes, 'W2', entry, `no parent, which hides all that is before it from every client: ${joined}`);
  }
}

/** The last line before it that does not hang on it: children may stand before their parents (E12). */
function itemBefore(item: Item, { items, byUuid }: Known): Item | undefined {
  for (let place = item.place - 1; place >= 0; place -= 1) {
    const seen = new Set<Item>();
    let at = items[place];
    while (at !== undefined && at !== item && !seen.has(at)) {
      seen.add(at);
      at = at.parent ? byUuid.get(at.parent) : undefined;
    }
    if (at !== item) return items[place];
  }
  return undefined;
}

/** From a line of another kind up to an entry of the conversation. */
function climb(uuid: string, { byUuid, all }: Known): string | undefined {
  const seen = new Set<string>();
  for (let at: string | null | undefined = uuid; at && !seen.has(at); at = all.get(at)?.head.parentUuid) {
    if (byUuid.has(at)) return at;
    seen.add(at);
  }
  return undefined;
}

/** Each circle has a link to a later line; there it is cut. What is cut hangs on an earlier line, so that this ends. */
function cutCircles({ items, byUuid, notes }: Known): void {
  const done = new Set<Item>();
  for (const start of items) {
    for (let circle = circleFrom(start, byUuid, done); circle.length > 0; circle = circleFrom(start, byUuid, done)) {
      const cut = circle.find((item) => (byUuid.get(item.parent ?? '')?.place ?? -1) >= item.place) ?? start;
      const previous = items[cut.place - 1];
      cut.parent = previous?.uuid ?? null;
      const where = previous === undefined ? 'now the first' : `joined to line ${previous.entry.line.number} before it`;
      note(notes, 'E12', cut.entry, `its parents lead back to it, on which older clients hang: ${where}`);
    }
  }
}

/** The entries of the circle that the parents of an entry lead into; otherwise they are done with. */
function circleFrom(start: Item, byUuid: ReadonlyMap<string, Item>, done: Set<Item>): Item[] {
  const path = new Set<Item>();
  let at: Item | undefined = start;
  while (at !== undefined && !done.has(at) && !path.has(at)) {
    path.add(at);
    at = at.parent ? byUuid.get(at.parent) : undefined;
  }
  if (at !== undefined && path.has(at)) return [...path].slice([...path].indexOf(at));
  for (const item of path) done.add(item);
  return [];
}

function withLinks(entry: Entry, item: Item | undefined): Entry {
  if (item === undefined) return entry;
  const { head } = entry;
  if (head.uuid === item.uuid && (head.parentUuid ?? null) === (item.parent ?? null)) return entry;
  return { ...entry, head: { ...head, uuid: item.uuid, parentUuid: item.parent } };
}

function note(notes: Note[], rule: string, { line, head }: Entry, what: string): void {
  notes.push({ rule, what, line: line.number, uuid: head.uuid });
}
