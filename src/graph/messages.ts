/** Assistant lines → API messages (E4, E13, E14, E18): the only place that merges them. */
import { type Block, blocksOf } from '../format/content.ts';
import { type Entry, jsonOf } from '../format/entry.ts';
import type { MessageHead } from '../format/head.ts';
import { asNumber, asObject, at, type JsonObject } from '../format/json.ts';
import { createIdIndex } from './idindex.ts';
import { validTime } from './time.ts';
import type { Message } from './types.ts';
import { besidesOf, createUsageFold, isIncomplete, largestUsage, type Sighting } from './usage/fold.ts';

/** One line of a message, or a copy of one inside a progress entry. */
interface MessageLine {
  readonly entry: Entry;
  readonly head: MessageHead;
  readonly uuid?: string;
  /** As written. */
  readonly timestamp?: string;
  readonly requestId?: string;
}

/** Every assistant entry belongs to exactly one message; messages stand in the order of their first lines. */
export function mergeMessages(entries: readonly Entry[], requests = requestTimes(entries)): Message[] {
  const lines: (MessageLine | undefined)[] = [];
  for (const entry of entries) {
    if (entry.kind === 'assistant') lines.push(ownLine(entry));
    // Keeps messages without any id apart where a user entry stands between them.
    else if (entry.kind === 'user') lines.push(undefined);
  }
  return groupLines(lines).map((group) => toMessage(group, requests));
}

/** Parts of one message, each merged on its own, as the one it is. */
export function joinMessages(parts: readonly Message[], requests: ReadonlyMap<string, string>): Message {
  const [first, ...more] = parts;
  if (first !== undefined && more.length === 0) return first;
  return toMessage(
    parts.flatMap(({ entries }) => entries.map(ownLine)),
    requests,
  );
}

/** Messages of sub-agents as `agent_progress` entries repeat them. */
export function copiedMessages(entries: readonly Entry[]): Message[] {
  const lines: MessageLine[] = [];
  for (const entry of entries) {
    const line = entry.kind === 'progress' ? copiedLine(entry) : undefined;
    if (line) lines.push(line);
  }
  return groupLines(lines).map((group): Message => ({ ...toMessage(group, new Map()), copyIn: 'progress' }));
}

/** When each stored request was sent, by the id that `requestRef` names (E14). */
export function requestTimes(entries: readonly Entry[]): Map<string, string> {
  const times = new Map<string, string>();
  for (const { kind, head } of entries) {
    if (kind === 'api-request' && head.id !== undefined && head.timestamp !== undefined) {
      times.set(head.id, head.timestamp);
    }
  }
  return times;
}

function ownLine(entry: Entry): MessageLine {
  const { head } = entry;
  return {
    entry,
    head: head.message ?? {},
    uuid: head.uuid,
    timestamp: head.timestamp,
    requestId: head.requestId,
  };
}

/** Whether a progress entry repeats a line of a message. */
export function repeatsMessage(entry: Entry): boolean {
  return copiedLine(entry) !== undefined;
}

function copiedLine(entry: Entry): MessageLine | undefined {
  const copy = entry.head.progress?.copy;
  if (copy?.message === undefined || (copy.type ?? copy.message.role) !== 'assistant') return undefined;
  const { uuid, timestamp, requestId } = copy;
  return { entry, head: copy.message, uuid, timestamp, requestId };
}

function lineIn({ copyIn }: Message, entry: Entry): MessageLine {
  return (copyIn ? copiedLine(entry) : undefined) ?? ownLine(entry);
}

/** By message id, else request id, else adjacency. All lines with one uuid are one line and stay together. */
function groupLines(lines: readonly (MessageLine | undefined)[]): MessageLine[][] {
  const groups: MessageLine[][] = [];
  const byId = createIdIndex<MessageLine[]>();
  const byRequest = new Map<string, MessageLine[]>();
  const byUuid = new Map<string, MessageLine[]>();
  const ids = lastIds(lines);
  let previous: MessageLine | undefined;
  let adjacent: MessageLine[] | undefined;
  for (const line of lines) {
    if (line === undefined) {
      previous = undefined;
      continue;
    }
    // A uuid that comes once is looked for only once.
    const repeated = ids.size === 0 || line.uuid === undefined ? undefined : ids.get(line.uuid);
    const { id, requestId } = repeated ?? idsOf(line);
    let group = repeated === undefined ? undefined : byUuid.get(line.uuid ?? '');
    if (group === undefined && id !== undefined)
      group = byId.find(id, requestId) ?? withoutId(byRequest.get(requestId ?? ''));
    else if (group === undefined && requestId !== undefined) group = byRequest.get(requestId);
    else if (group === undefined && isNextLine(previous, line)) group = adjacent;
    if (group === undefined) {
      group = [line];
      groups.push(group);
    } else group.push(line);
    if (id !== undefined) byId.add(id, requestId, group);
    if (requestId !== undefined && !byRequest.has(requestId)) byRequest.set(requestId, group);
    if (repeated !== undefined) byUuid.set(line.uuid ?? '', group);
    previous = line;
    adjacent = group;
  }
  return groups;
}

/** Another id in the same request is another message. */
function withoutId(group: MessageLine[] | undefined): MessageLine[] | undefined {
  return group?.some((line) => line.head.id !== undefined) ? undefined : group;
}

interface Ids {
  readonly id?: string;
  readonly requestId?: string;
}

function idsOf(line: MessageLine): Ids {
  return { id: line.head.id, requestId: line.requestId };
}

/** A uuid that occurs again: its last content decides where all of them belong (E12). Only repeated ones are listed. */
function lastIds(lines: readonly (MessageLine | undefined)[]): Map<string, Ids> {
  const seen = new Set<string>();
  const repeated = new Map<string, Ids>();
  for (const line of lines) {
    if (line?.uuid === undefined) continue;
    const { size } = seen;
    if (seen.add(line.uuid).size === size) repeated.set(line.uuid, idsOf(line));
  }
  return repeated;
}

function isNextLine(previous: MessageLine | undefined, line: MessageLine): boolean {
  if (previous === undefined) return false;
  const [before, after] = [previous.entry.head, line.entry.head];
  return before.isSidechain === after.isSidechain && before.agentId === after.agentId;
}

function toMessage(group: readonly MessageLine[], requests: ReadonlyMap<string, string>): Message {
  const lines = withoutRepeats(group, (line) => line.uuid);
  const said = sumUp(lines);
  return {
    id: said.id,
    requestId: firstOf(group, (line) => line.requestId),
    entries: group.map((line) => line.entry),
    entryUuids: said.uuids,
    finalUuid: said.uuids.at(-1),
    model: said.model,
    stopReason: said.stopReason,
    usage: largestUsage(group.map((line) => line.head.usage)),
    started: requests.size === 0 ? undefined : firstOf(group, (line) => requests.get(line.entry.head.requestRef ?? '')),
    ended: lastTime(lines),
    isApiError: said.isApiError,
    synthetic: said.synthetic,
    isSidechain: lines[0]?.entry.head.isSidechain ?? false,
  };
}

/** In one pass: there are very many messages, most of them of one or two lines. */
function sumUp(lines: readonly MessageLine[]) {
  const uuids: string[] = [];
  let id: string | undefined;
  let model: string | undefined;
  let stopReason: string | undefined;
  let isApiError = false;
  let synthetic = false;
  for (const { entry, head, uuid } of lines) {
    if (uuid !== undefined) uuids.push(uuid);
    id ??= head.id;
    model ??= head.model;
    stopReason = head.stopReason ?? stopReason;
    isApiError ||= entry.head.isApiErrorMessage;
    synthetic ||= head.model === '<synthetic>';
  }
  // A copy has no room left over, which is most of a short list that grew.
  return { uuids: uuids.slice(), id, model, stopReason, isApiError, synthetic };
}

function firstOf<A, B>(items: readonly A[], pick: (item: A) => B | undefined): B | undefined {
  for (const item of items) {
    const value = pick(item);
    if (value !== undefined) return value;
  }
  return undefined;
}

function lastTime(lines: readonly MessageLine[]): string | undefined {
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const time = validTime(lines[i]?.timestamp);
    if (time !== undefined) return time;
  }
  return undefined;
}

/** A line that occurs again keeps its first place. In one file the last content wins (E12); copies in other files are poorer (H1). */
function withoutRepeats<A extends { readonly entry: Entry }>(
  items: readonly A[],
  uuidOf: (item: A) => string | undefined,
): readonly A[] {
  if (items.length === 1) return items;
  const kept = new Map<string | A, A>();
  for (const item of items) {
    const key = uuidOf(item) ?? item;
    const known = kept.get(key);
    if (known === undefined || known.entry.source === item.entry.source) kept.set(key, item);
  }
  return [...kept.values()];
}

/** The lines of a message without repeats, in order. */
export function linesOfMessage(message: Message): Entry[] {
  const lines = message.entries.map((entry) => ({ entry }));
  return withoutRepeats(lines, ({ entry }) => uuidIn(entry, message)).map(({ entry }) => entry);
}

function uuidIn(entry: Entry, message: Message): string | undefined {
  return message.copyIn ? entry.head.progress?.copy?.uuid : entry.head.uuid;
}

/** Loads the content: blocks in file order, growing repeats collapsed. */
export function blocksOfMessage(message: Message): Block[] {
  return placedBlocksOf(message).map(({ block }) => block);
}

/** The same, each block with the line it was read from. */
export function placedBlocksOf(message: Message): { readonly block: Block; readonly entry: Entry }[] {
  const blocks: { block: Block; entry: Entry }[] = [];
  /** Where the last block of each index stands. */
  const places = new Map<number, number>();
  for (const entry of linesOfMessage(message)) {
    const json = lineJson(entry, message);
    if (json === undefined) continue;
    const base = asNumber(json.apiBlockIndex) ?? 0;
    blocksOf(json).forEach((block, offset) => {
      const place = places.get(base + offset);
      const earlier = place === undefined ? undefined : blocks[place];
      if (place !== undefined && earlier && extendsBlock(block, earlier.block)) blocks[place] = { block, entry };
      else {
        places.set(base + offset, blocks.length);
        blocks.push({ block, entry });
      }
    });
  }
  return blocks;
}

function lineJson(entry: Entry, message: Message): JsonObject | undefined {
  const json = jsonOf(entry);
  return message.copyIn ? asObject(at(json, 'data', 'message')) : json;
}

/** Old streams wrote a block again as it grew. Thinking that is already signed is finished. */
function extendsBlock(later: Block, earlier: Block): boolean {
  if (later.type === 'text' && earlier.type === 'text') {
    // Every text begins with an empty one; that does not make it the same block.
    return earlier.text === '' ? later.text === '' : later.text.startsWith(earlier.text);
  }
  if (later.type === 'thinking' && earlier.type === 'thinking') {
    const sameSignature = earlier.signature === '' || earlier.signature === later.signature;
    return sameSignature && later.thinking.startsWith(earlier.thinking);
  }
  if (later.type === 'tool_use' && earlier.type === 'tool_use') return later.id === earlier.id;
  return JSON.stringify(later.raw) === JSON.stringify(earlier.raw);
}

/** What a line that tells no id counts under. */
export interface MessageIds {
  readonly key: string;
  readonly requestId?: string;
}

/**
 * What tells a message apart in every file: the ids its lines tell, else what stands for them. Of a copy the end may be missing, so the
 * first line counts. `unnamed`: where there is nothing that could.
 */
export function idsOfMessage(message: Message, unnamed: () => string): MessageIds {
  const { requestId, entries, finalUuid } = message;
  const lines = entries.map((entry) => lineIn(message, entry));
  const named = lines.find(({ head }) => head.id !== undefined);
  if (named?.head.id !== undefined) return { key: named.head.id, requestId: named.requestId };
  if (requestId !== undefined) return { key: requestId, requestId };
  const first = lines.find(({ head }) => head.usage !== undefined);
  return { key: first?.uuid ?? finalUuid ?? unnamed() };
}

/**
 * A line counts for the message whose id it tells, else for that of its request, whatever else was written under its uuid (E12): each was a
 * request of its own. Only one that tells neither belongs to the message that the lines around it make.
 */
export function withIds<Told extends { readonly key?: string; readonly requestId?: string }>(
  line: Told,
  ids: MessageIds,
): Told {
  return line.key === undefined ? { ...line, ...ids } : line;
}

export interface UsageTotals {
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreation: number;
  readonly cacheRead: number;
  /** Messages whose output tokens were not recorded (E17): the totals are too small. */
  readonly incomplete: number;
}

/** Totals over any set of files: each message once, whatever repeats, copies and forks hold of it; synthetic ones left out. */
export function usageOfMessages(messages: Iterable<Message>): UsageTotals {
  const fold = createUsageFold<undefined>(() => false);
  for (const lines of linesByFile(messages)) {
    const inFile = createUsageFold<undefined>(() => false);
    for (const { told } of lines) for (const each of [told, ...besidesOf(told)]) inFile.add(each);
    for (const message of inFile.messages()) fold.add(message);
  }
  const unique = fold.messages();
  const totals = { messages: unique.length, input: 0, output: 0, cacheCreation: 0, cacheRead: 0, incomplete: 0 };
  for (const message of unique) {
    const { usage } = message;
    totals.input += usage.input;
    totals.output += usage.output;
    totals.cacheCreation += usage.cacheCreation;
    totals.cacheRead += usage.cacheRead;
    if (isIncomplete(message)) totals.incomplete += 1;
  }
  return totals;
}

interface ToldLine {
  readonly told: Sighting<undefined>;
  readonly start: number;
}

/** What the lines of each file tell of usage, in their order; what progress entries repeat apart from the file's own. */
function linesByFile(messages: Iterable<Message>): Iterable<ToldLine[]> {
  const files = new Map<unknown, { readonly own: ToldLine[]; readonly copies: ToldLine[] }>();
  for (const [number, message] of [...messages].entries()) {
    const ids = idsOfMessage(message, () => `message ${number}`);
    for (const entry of message.entries) {
      const { head, requestId } = lineIn(message, entry);
      const { id, usage, stopReason, model } = head;
      if (usage === undefined) continue;
      const said = { usage, ended: typeof stopReason === 'string', synthetic: model === '<synthetic>' };
      const told = { ...withIds({ ...said, key: id ?? requestId, requestId }, ids), origin: undefined };
      const file = files.get(entry.source) ?? { own: [], copies: [] };
      files.set(entry.source, file);
      (message.copyIn ? file.copies : file.own).push({ told, start: entry.line.start });
    }
  }
  const inOrder = (lines: ToldLine[]) => lines.sort((a, b) => a.start - b.start);
  return [...files.values()].flatMap(({ own, copies }) => [inOrder(own), inOrder(copies)]);
}
