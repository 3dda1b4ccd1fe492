/** Entries in conversation order → turns (E7–E10, T6, T7): the only place that says where a turn starts. */
import type { Entry } from '../format/entry.ts';
import {
  hasExpansion,
  type InputKind,
  inputKind,
  isHumanTurnStart,
  promptText,
  queuedPrompts,
} from '../format/prompt.ts';
import { listOnce } from './listing.ts';
import { mergeMessages, requestTimes } from './messages.ts';
import { type Draft, isActivity, isAgentTranscript, isInput, type Part } from './parts.ts';
import { roundsOf } from './rounds.ts';
import { durationBetween, millisOf, validTime } from './time.ts';
import { pairToolCalls } from './toolcalls.ts';
import { type Circumstances, stateOf } from './turnstate.ts';
import type { Message, ToolCall, Turn } from './types.ts';

/** Every entry handed in belongs to exactly one turn. */
export function turnsOf(entries: readonly Entry[], circumstances: Circumstances = {}): Turn[] {
  const isAgent = isAgentTranscript(entries);
  const drafts = cutTurns(entries, isAgent);
  const calls = callsByEntry(pairToolCalls(isAgent ? entries : entries.filter(isMain)).calls);
  const requests = requestTimes(entries);
  const said = drafts.map(({ kind, parts }) => ({ kind, messages: mergeMessages(spokenIn(parts, isAgent), requests) }));
  const listed = listOnce(said, requests);
  const rounds = roundsOf(drafts);
  const turns: Turn[] = [];
  let number = 0;
  for (const [index, draft] of drafts.entries()) {
    if (draft.kind !== 'none') number += 1;
    const own = draft.parts.map((part) => part.entry);
    // Whether a turn is over shows in what was said in it, wherever that is listed.
    const answers = said[index]?.messages ?? [];
    const toolCalls = callsIn(own, calls);
    const started = validTime(draft.prompt?.head.timestamp) ?? firstTime(draft.parts);
    const ended = lastTime(draft.parts);
    turns.push({
      uuid: draft.prompt?.head.uuid,
      number: draft.kind === 'none' ? 0 : number,
      kind: draft.kind,
      round: rounds[index] ?? 'continue',
      state: stateOf(draft, answers, toolCalls, { ...circumstances, next: drafts[index + 1]?.kind }),
      prompt: draft.prompt,
      entries: own,
      messages: withTimes(listed[index] ?? [], draft.parts),
      toolCalls,
      started,
      ended,
      durationMs: durationBetween(started, ended),
    });
  }
  return turns;
}

/** How many turns begin in entries: all that `turnsOf` numbers, without making them. */
export function countTurns(entries: readonly Entry[]): number {
  return cutTurns(entries, isAgentTranscript(entries)).filter(({ kind }) => kind !== 'none').length;
}

/** What the person typed to start the turn; empty for what stands before the first prompt. */
export function promptTextOf(turn: Turn): string {
  return turn.prompt === undefined ? '' : promptText(turn.prompt);
}

function spokenIn(parts: readonly Part[], isAgent: boolean): Entry[] {
  return parts.flatMap(({ entry }) => (isAgent || isMain(entry) ? entry : []));
}

function isMain(entry: Entry): boolean {
  return !entry.head.isSidechain;
}

function cutTurns(entries: readonly Entry[], isAgent: boolean): Draft[] {
  const queued = queuedPrompts(entries);
  // The text of a queued prompt goes with the turn it starts, not with the one it waited in.
  const waiting = new Set(queued.values());
  const drafts: Draft[] = [];
  const byUuid = new Map<string, Draft>();
  let current: Draft = { kind: 'none', parts: [] };
  const add = (draft: Draft, part: Part) => {
    draft.parts.push(part);
    if (part.entry.head.uuid !== undefined) byUuid.set(part.entry.head.uuid, draft);
  };
  for (const entry of entries) {
    const enqueueing = queued.get(entry);
    if (enqueueing === undefined && waiting.has(entry)) continue;
    const repeated = byUuid.get(entry.head.uuid ?? '');
    const inline = !isAgent && !isMain(entry);
    if (enqueueing === undefined && repeated) addRepeated(repeated, { entry, kind: 'none', inline });
    else if (enqueueing === undefined && inline) add(current, { entry, kind: 'none', inline });
    else {
      const kind = enqueueing === undefined ? kindInTurn(entry, current) : 'queued';
      if (isStart(kind, isAgent)) {
        const prompt = enqueueing ?? entry;
        const next: Draft = { kind, prompt, parts: [] };
        for (const part of takeLeading(current)) add(next, part);
        if (current.parts.length > 0) drafts.push(current);
        current = next;
        if (prompt !== entry) add(current, { entry: prompt, kind });
      }
      add(current, { entry, kind: enqueueing === undefined || enqueueing === entry ? kind : 'none' });
    }
  }
  if (current.parts.length > 0) drafts.push(current);
  return drafts;
}

function isStart(kind: InputKind, isAgent: boolean): boolean {
  return isHumanTurnStart(kind) || (isAgent && kind === 'agent_prompt');
}

function kindInTurn(entry: Entry, turn: Draft): InputKind {
  const kind = inputKind(entry);
  if (kind !== 'text') return kind;
  if (isUnmarkedExpansion(entry, turn)) return 'meta';
  return isRefusedCommand(entry, turn) ? 'slash_command' : kind;
}

/** A command that the client refused to run is written as plain text after the caveat of local commands (2.0.76). */
function isRefusedCommand(entry: Entry, turn: Draft): boolean {
  return turn.parts.at(-1)?.kind === 'caveat' && promptText(entry).startsWith('/');
}

/** A 1.0.x resume copies the expansion of a command without its isMeta (H1): a child of the command, in array form. */
function isUnmarkedExpansion({ head }: Entry, turn: Draft): boolean {
  const { prompt } = turn;
  if (turn.kind !== 'slash_command' || prompt === undefined || head.contentForm !== 'array') return false;
  if (head.parentUuid === null || head.parentUuid === undefined || head.parentUuid !== prompt.head.uuid) return false;
  return hasExpansion(prompt);
}

/** The same line again stays with the first: nothing new happened. Of a prompt the last content counts (E12). */
function addRepeated(draft: Draft, part: Part): void {
  const { prompt } = draft;
  const { entry } = part;
  draft.parts.push(part);
  if (prompt?.head.uuid === entry.head.uuid && prompt?.source === entry.source) draft.prompt = entry;
}

/** Kinds that show that something happened before the first prompt. */
const SUBSTANCE = new Set<InputKind>(['tool_result', 'compact_summary', 'interrupt', 'task_notification']);

/** What belongs to the turn that begins now: the caveat before a local command, and bookkeeping before the first prompt. */
function takeLeading(previous: Draft): Part[] {
  const { parts } = previous;
  const isPreamble = previous.kind === 'none';
  if (isPreamble && !parts.some(({ entry, kind }) => entry.kind === 'assistant' || SUBSTANCE.has(kind))) {
    return parts.splice(0);
  }
  const keep = parts.findLastIndex(({ kind }) => kind !== 'caveat') + 1;
  return parts.splice(keep);
}

function callsByEntry(calls: readonly ToolCall[]): Map<Entry, ToolCall[]> {
  const byEntry = new Map<Entry, ToolCall[]>();
  for (const call of calls) {
    const known = byEntry.get(call.use);
    if (known) known.push(call);
    else byEntry.set(call.use, [call]);
  }
  return byEntry;
}

function callsIn(entries: readonly Entry[], calls: ReadonlyMap<Entry, readonly ToolCall[]>): ToolCall[] {
  const found: ToolCall[] = [];
  for (const entry of entries) {
    const made = entry.kind === 'assistant' ? calls.get(entry) : undefined;
    if (made !== undefined) found.push(...made);
  }
  return found;
}

/** T7: a message starts at the prompt or result before it where its request is not recorded; a missing time takes the nearest. */
function withTimes(messages: readonly Message[], parts: readonly Part[]): Message[] {
  const byFirst = new Map(messages.map((message) => [message.entries[0], message]));
  const timed: Message[] = [];
  let known = firstTime(parts);
  let input: string | undefined;
  for (const { entry, kind } of parts) {
    const before = known;
    const time = validTime(entry.head.timestamp);
    known = time ?? known;
    if (isInput(kind)) input = time ?? input;
    const message = byFirst.get(entry);
    if (message === undefined) continue;
    const started = message.started ?? earlier(input ?? before, known);
    timed.push({ ...message, started, ended: message.ended ?? known });
  }
  return timed;
}

/** The clock may go backwards (E12); nothing starts after it was written. */
function earlier(a: string | undefined, b: string | undefined): string | undefined {
  const [left, right] = [millisOf(a), millisOf(b)];
  return left === undefined || (right !== undefined && right < left) ? b : a;
}

function firstTime(parts: readonly Part[]): string | undefined {
  return parts.find(({ entry }) => millisOf(entry.head.timestamp) !== undefined)?.entry.head.timestamp;
}

function lastTime(parts: readonly Part[]): string | undefined {
  let last: string | undefined;
  let latest = Number.NEGATIVE_INFINITY;
  for (const part of parts) {
    const millis = isActivity(part) ? millisOf(part.entry.head.timestamp) : undefined;
    if (millis !== undefined && millis >= latest) {
      latest = millis;
      last = part.entry.head.timestamp;
    }
  }
  return last;
}
