/**
 * What to send, kept up while lines are written. `context()` alone says what entries mean; it is asked for the entries since
 * the last but one request only. What was sent before that is settled: nothing written later can change it, as everything new
 * hangs further down and has ids of its own.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Entry, toEntry } from '../../format/entry.ts';
import type { Head } from '../../format/head.ts';
import type { JsonObject } from '../../format/json.ts';
import { memorySource } from '../../format/session.ts';
import { encode } from '../../format/text.ts';
import { type Context, context } from '../../graph/context/context.ts';
import { SYNTHETIC } from '../../graph/context/pieces.ts';
import type { ApiMessage } from '../../graph/context/types.ts';

export interface Conversation {
  /** A line that was written, if it is one of the chain or pins an entry of it. */
  add(line: string): void;
  messages(model?: string): readonly ApiMessage[];
  /** How a new prompt would go on from here (R13). */
  before(prompt: string | readonly JsonObject[]): Pick<Context, 'openCalls' | 'noResponse'>;
  /** The entry that makes a call, among those not settled. */
  callLine(toolUseId: string): string | undefined;
  /** The entries of the last answer and what hangs on them, when it came to an end and nobody spoke since. */
  lastAnswer(): readonly string[];
  /** A compaction was written: what it left is all that is kept (C1, C2). */
  compacted(): void;
  /** Entries that are looked at for each request. */
  readonly unsettled: number;
}

/** Where a request was made: how many entries there were, where the chain ended, and what of them was sent. */
interface Mark {
  readonly count: number;
  readonly leaf: string;
  readonly sent: readonly ApiMessage[];
}

export interface Whereabouts {
  /** All entries of the file as it stands. */
  read(): readonly Entry[];
  /** The entry that the next one will hang on. */
  leaf(): string | undefined;
  /** All of it is a side chain: that of a sub-agent, who is sent it all the same. */
  readonly isSide?: boolean;
}

export function createConversation(opened: readonly Entry[], { read, leaf, isSide }: Whereabouts): Conversation {
  const seen = isSide ? asMain : (entry: Entry) => entry;
  let settled: ApiMessage[] = [];
  let settledFor: string | undefined;
  let entries = [...opened];
  /** The entry that those at hand hang on, when there are settled ones. */
  let above: string | undefined;
  let mark: Mark | undefined;

  function startOver(): void {
    settled = [];
    entries = read().map(seen);
    above = undefined;
    mark = undefined;
  }

  /** Without a model given: that of the last answer, which may be a settled one. */
  function look(model: string | undefined): { readonly messages: ApiMessage[]; readonly model: string | undefined } {
    if (above !== undefined && leavesCalls(entries)) startOver();
    if (above === undefined) return context([...entries], { model });
    const said = model ?? context(behind(above, entries)).model ?? settledFor;
    const part = said === settledFor ? partOf(above, entries, said) : undefined;
    if (part !== undefined) return { messages: part, model: said };
    startOver();
    return context([...entries], { model });
  }

  /** What was sent at the mark is settled when an answer to it followed and the rest says the same without it. */
  function settle(messages: readonly ApiMessage[], model: string | undefined): ApiMessage[] | undefined {
    if (mark === undefined || settledFor !== model) return undefined;
    const { count, leaf: at, sent } = mark;
    if (sent.length === 0 || messages[sent.length]?.role !== 'assistant') return undefined;
    if (hasOpenCall(entries.slice(0, count), at)) return undefined;
    const rest = messages.slice(sent.length);
    if (!isDeepStrictEqual(messages.slice(0, sent.length), sent)) return undefined;
    const later = entries.slice(count);
    if (!isDeepStrictEqual(partOf(at, later, model), rest)) return undefined;
    // The objects that were sent before, so that whoever checked them need not do so again.
    for (const message of sent) settled.push(message);
    entries = later;
    above = at;
    return rest;
  }

  return {
    add(line) {
      const entry = seen(entryOf(line));
      // What goes on from something settled, or answers a call there, changes what was said.
      if (above === undefined || belongs(entry.head, above, entries)) entries.push(entry);
      else startOver();
    },
    messages(asked) {
      const { messages, model } = look(asked);
      const rest = settle(messages, model) ?? messages;
      settledFor = model;
      const at = leaf();
      mark = at === undefined ? undefined : { count: entries.length, leaf: at, sent: rest };
      return settled.concat(rest);
    },
    before(prompt) {
      if (above !== undefined && leavesCalls(entries)) startOver();
      return context(above === undefined ? [...entries] : behind(above, entries), { prompt });
    },
    callLine: (id) => entries.find(({ kind, head }) => kind === 'assistant' && makesCall(head, id))?.head.uuid,
    lastAnswer: () => lastAnswerAt(entries, leaf()),
    compacted: startOver,
    get unsettled() {
      return entries.length;
    },
  };
}

/** R13: a call without a result may still count, until somebody speaks. */
function hasOpenCall(entries: readonly Entry[], leaf: string): boolean {
  const byUuid = new Map(entries.map((entry) => [entry.head.uuid, entry]));
  const answered = new Set(entries.flatMap(({ head }) => head.blocks.flatMap(({ toolUseId }) => toolUseId ?? [])));
  const seen = new Set<Entry>();
  for (let at = byUuid.get(leaf); at !== undefined && !seen.has(at); at = byUuid.get(at.head.parentUuid ?? '')) {
    const { kind, head } = at;
    seen.add(at);
    if (kind === 'user' && !head.blocks.some(({ type }) => type === 'tool_result')) return false;
    if (head.blocks.some(({ type, id }) => type === 'tool_use' && !answered.has(id ?? ''))) return true;
  }
  return false;
}

/** R13: a call without a result that something was answered after: whether it counts depends on what is before it. */
function leavesCalls(entries: readonly Entry[]): boolean {
  const answered = new Set<string>();
  let last: string | undefined;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const { kind, head } = entries[at] ?? {};
    for (const { toolUseId } of head?.blocks ?? []) if (toolUseId !== undefined) answered.add(toolUseId);
    if (kind !== 'assistant') continue;
    last ??= head?.message?.id ?? '';
    const isOpen = head?.blocks.some(({ type, id }) => type === 'tool_use' && !answered.has(id ?? ''));
    if (isOpen && head?.message?.id !== last) return true;
  }
  return false;
}

function lastAnswerAt(entries: readonly Entry[], leaf: string | undefined): string[] {
  const byUuid = new Map(entries.map((entry) => [entry.head.uuid ?? '', entry]));
  const uuids: string[] = [];
  let id: string | undefined;
  for (let at = byUuid.get(leaf ?? ''); at !== undefined; at = byUuid.get(at.head.parentUuid ?? '')) {
    const { uuid = '', message, blocks, isApiErrorMessage } = at.head;
    if (at.kind === 'user' || uuids.includes(uuid)) break;
    if (at.kind === 'assistant') {
      if (id !== undefined && message?.id !== id) break;
      if (isApiErrorMessage || message?.model === SYNTHETIC || blocks.some(({ type }) => type === 'tool_use'))
        return [];
      id = message?.id;
    } else if (id !== undefined) break;
    uuids.unshift(uuid);
  }
  return id === undefined ? [] : uuids;
}

function belongs({ parentUuid, blocks }: Head, above: string, entries: readonly Entry[]): boolean {
  const isHere = !parentUuid || parentUuid === above || entries.findLast(({ head }) => head.uuid === parentUuid);
  const answered = blocks.flatMap(({ type, toolUseId }) => (type === 'tool_result' && toolUseId ? [toolUseId] : []));
  return isHere !== undefined && answered.every((id) => entries.some(({ head }) => makesCall(head, id)));
}

function makesCall(head: Head, id: string): boolean {
  return head.blocks.some((block) => block.type === 'tool_use' && block.id === id);
}

const STAND_IN = '(what was said before)';

/** The entries with one before them that stands for all that is settled. */
function behind(above: string, entries: readonly Entry[]): Entry[] {
  return [entryOf(standIn(above)), ...entries];
}

function standIn(uuid: string): string {
  const message = { role: 'user', content: [{ type: 'text', text: STAND_IN }] };
  return JSON.stringify({ type: 'user', uuid, parentUuid: null, timestamp: new Date(0).toISOString(), message });
}

/** What entries say that go on from one in the middle; undefined when they say something in the words of those before. */
function partOf(above: string, entries: readonly Entry[], model: string | undefined): ApiMessage[] | undefined {
  const [first, ...rest] = context(behind(above, entries), { model }).messages;
  const [block] = first?.content ?? [];
  return first?.content.length === 1 && block?.text === STAND_IN ? rest : undefined;
}

/** An entry of a side chain as if it were not: what a sub-agent is sent is all of its own transcript. */
export function asMain(entry: Entry): Entry {
  return { ...entry, head: { ...entry.head, isSidechain: false } };
}

/** A line as an entry that holds its own bytes. */
function entryOf(line: string): Entry {
  const bytes = encode(line);
  return toEntry(memorySource('written', bytes), { number: 0, start: 0, end: bytes.length, terminated: true }, bytes);
}
