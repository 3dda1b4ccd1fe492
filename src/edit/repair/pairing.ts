/**
 * Calls and results as the API takes them (A1–A3, S2): each call answered before another message begins, each result behind
 * its call, no id twice. Decided from the heads of the lines alone; says what is to be left out, moved, renamed or added.
 */
import type { Entry } from '../../format/entry.ts';
import type { Note } from '../log.ts';

/** A result that stands elsewhere in the source, or none at all, to be put behind a line. */
export interface Answer {
  /** Undefined for a line of results whose calls are nowhere, which would part a call from its own. */
  readonly call?: string;
  readonly name: string;
  /** The line that makes the call. */
  readonly use: Entry;
  /** The line that holds the result; undefined where none was recorded. */
  readonly from?: Entry;
}

export interface Pairing {
  /** By line: calls and results whose blocks are left out there. */
  readonly without: ReadonlyMap<Entry, ReadonlySet<string>>;
  /** By line: calls and results that get another id there. */
  readonly renamed: ReadonlyMap<Entry, ReadonlyMap<string, string>>;
  /** By line: answers to be put behind it. */
  readonly behind: ReadonlyMap<Entry, readonly Answer[]>;
  /** By line: results whose call is nowhere; what they say stays as a note. */
  readonly orphans: ReadonlyMap<Entry, ReadonlySet<string>>;
  readonly notes: readonly Note[];
}

/** One message with what answers it: the lines until another message begins. */
interface Group {
  readonly key: string;
  readonly uses: Map<string, { readonly name: string; entry: Entry }>;
  readonly answers: Map<string, Entry>;
  /** Answers go behind this line, at this place. */
  last: Entry;
  end: number;
  /** Something was typed since, or the API failed. */
  closed: boolean;
}

interface Stray {
  readonly entry: Entry;
  readonly place: number;
  readonly id: string;
  /** The message that it stands behind. */
  readonly group: Group | undefined;
}

interface State {
  readonly groups: Group[];
  /** By call: the first message that makes it. */
  readonly owners: Map<string, Group>;
  readonly strays: Stray[];
  readonly without: Map<Entry, Set<string>>;
  readonly notes: Note[];
}

/** The lines that are sent, in their order; only what was said by either side counts. */
export function pairLines(lines: Iterable<Entry>): Pairing {
  const state: State = { groups: [], owners: new Map(), strays: [], without: new Map(), notes: [] };
  let group: Group | undefined;
  let place = 0;
  for (const entry of lines) {
    place += 1;
    if (entry.kind === 'assistant') group = addAssistant(state, group, entry, place);
    else if (entry.kind === 'user') addUser(state, group, entry, place);
  }
  const renamed = renameRepeated(state);
  const behind = new Map<Entry, Answer[]>();
  const orphans = placeStrays(state, behind);
  answerOpen(state, behind);
  return { without: state.without, renamed, behind, orphans, notes: state.notes };
}

function addAssistant(state: State, current: Group | undefined, entry: Entry, place: number): Group | undefined {
  const { head } = entry;
  if (head.isApiErrorMessage) {
    if (current !== undefined) current.closed = true;
    return current;
  }
  const key = head.message?.id ?? `line ${entry.line.number}`;
  const joins = current !== undefined && current.key === key && !current.closed;
  const group: Group = joins
    ? current
    : { key, uses: new Map(), answers: new Map(), last: entry, end: place, closed: false };
  if (!joins) state.groups.push(group);
  Object.assign(group, { last: entry, end: place });
  for (const { type, id, name } of head.blocks) {
    if (type !== 'tool_use' || !id) continue;
    const known = group.uses.get(id);
    // E4: an old stream wrote the block again as it grew; the last before the result is complete.
    const isLate = group.answers.has(id);
    if (known !== undefined && known.entry !== entry) put(state.without, isLate ? entry : known.entry, id);
    if (!isLate) group.uses.set(id, { name: name ?? '', entry });
    if (!state.owners.has(id)) state.owners.set(id, group);
  }
  return group;
}

function addUser(state: State, group: Group | undefined, entry: Entry, place: number): void {
  const ids = entry.head.blocks.flatMap(({ type, toolUseId }) =>
    type === 'tool_result' && toolUseId ? toolUseId : [],
  );
  if (ids.length === 0 && group !== undefined) group.closed = true;
  for (const id of ids) {
    if (group === undefined || !group.uses.has(id) || group.answers.has(id))
      state.strays.push({ entry, place, id, group });
    else {
      group.answers.set(id, entry);
      Object.assign(group, { last: entry, end: place });
    }
  }
}

/** A3: a message that uses an id again keeps its call under a new id if it has a result of its own. */
function renameRepeated(state: State): Map<Entry, Map<string, string>> {
  const renamed = new Map<Entry, Map<string, string>>();
  for (const group of state.groups) {
    for (const [id, { entry }] of [...group.uses]) {
      if (state.owners.get(id) === group) continue;
      const answer = group.answers.get(id);
      group.uses.delete(id);
      if (answer === undefined) {
        put(state.without, entry, id);
        note(
          state,
          'A3',
          entry,
          `tool id ${id} was used before, which the API refuses: this call, which has no result, goes`,
        );
        continue;
      }
      const fresh = freshId(state, id);
      state.owners.set(fresh, group);
      for (const line of [entry, answer]) renamed.set(line, (renamed.get(line) ?? new Map()).set(id, fresh));
      note(
        state,
        'A3',
        entry,
        `tool id ${id} is used twice, which the API refuses: this call and its result are now ${fresh}`,
      );
    }
  }
  return renamed;
}

/** Not `_2`: the client takes the end off such an id and then does not find the result. */
function freshId({ owners }: State, id: string): string {
  for (let count = 2; ; count += 1) {
    const fresh = `${id}r${count}`;
    if (!owners.has(fresh)) return fresh;
  }
}

/** A2: a result goes behind its call; a second one goes; one whose call is nowhere becomes a note. */
function placeStrays(state: State, behind: Map<Entry, Answer[]>): Map<Entry, Set<string>> {
  const orphans = new Map<Entry, Set<string>>();
  for (const stray of state.strays) {
    const { entry, id } = stray;
    const group = state.owners.get(id);
    const use = group?.uses.get(id);
    if (group === undefined || use === undefined) {
      placeOrphan(stray, orphans, behind);
      note(state, 'A2', entry, `result of ${id}, whose call is nowhere: the API refuses it, so it stays as a note`);
      continue;
    }
    // Of two in one line the first is kept as the line is written.
    if (group.answers.get(id) !== entry) put(state.without, entry, id);
    if (group.answers.has(id)) note(state, 'E5', entry, `a second result of ${id}: the first is used`);
    else {
      group.answers.set(id, entry);
      push(behind, group.last, { call: id, name: use.name, use: use.entry, from: entry });
      note(state, 'A1', entry, `result of ${id} does not follow its call, which the API refuses: moved there`);
    }
  }
  return orphans;
}

/** It goes behind the message that it stands in, so that it parts no call from its result. */
function placeOrphan(
  { entry, place, id, group }: Stray,
  orphans: Map<Entry, Set<string>>,
  behind: Map<Entry, Answer[]>,
): void {
  const isFirst = !orphans.has(entry);
  put(orphans, entry, id);
  if (group === undefined) return;
  group.closed = true;
  const answers = entry.head.blocks.some(({ toolUseId }) => group.answers.get(toolUseId ?? '') === entry);
  if (isFirst && group.end > place && !answers) push(behind, group.last, { name: '', use: group.last, from: entry });
}

/** A1: calls without any result get one that says so, but those still open at the end are left to the client (R13). */
function answerOpen(state: State, behind: Map<Entry, Answer[]>): void {
  const end = state.groups.at(-1);
  for (const group of state.groups) {
    if (group === end && !group.closed) continue;
    for (const [call, { name, entry }] of group.uses) {
      if (group.answers.has(call)) continue;
      push(behind, group.last, { call, name, use: entry });
      note(state, 'A1', entry, `call ${call} (${name}) has no result, which the API refuses: it gets one that says so`);
    }
  }
}

function note({ notes }: State, rule: string, { line, head }: Entry, what: string): void {
  notes.push({ rule, what, line: line.number, uuid: head.uuid });
}

function put(sets: Map<Entry, Set<string>>, entry: Entry, id: string): void {
  const set = sets.get(entry);
  if (set === undefined) sets.set(entry, new Set([id]));
  else set.add(id);
}

function push(lists: Map<Entry, Answer[]>, entry: Entry, answer: Answer): void {
  const list = lists.get(entry);
  if (list === undefined) lists.set(entry, [answer]);
  else list.push(answer);
}
