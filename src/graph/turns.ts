/** Entries in conversation order → turns (E7–E10, T6, T7): the only place that says where a turn starts. */
import type { Entry } from '../format/entry.ts';
import { hasExpansion, type InputKind, inputKind, isHumanTurnStart, promptText } from '../format/prompt.ts';
import { queuedPrompts } from '../format/queue.ts';
import { listOnce } from './listing.ts';
import { mergeMessages, requestTimes } from './messages.ts';
import { type Draft, isAgentTranscript, isInput, lastActivity, type Part, partOf } from './parts.ts';
import { roundsOf } from './rounds.ts';
import { durationBetween, validTime } from './time.ts';
import { pairToolCalls } from './toolcalls.ts';
import { type Circumstances, stateOf } from './turnstate.ts';
import type { Message, ToolCall, Turn } from './types.ts';
import { isKnownDistinct } from './uuids.ts';

/** Every entry handed in belongs to exactly one turn. */
export function turnsOf(entries: readonly Entry[], circumstances: Circumstances = {}): Turn[] {
  const isAgent = isAgentTranscript(entries);
  const drafts = cutTurns(entries, isAgent);
  const calls = callsByEntry(pairToolCalls(isAgent ? entries : entries.filter(isMain)).calls);
  const requests = requestTimes(entries);
  const lasts = drafts.map(({ parts }) => lastActivity(parts));
  const rounds = roundsOf(drafts, lasts);
  const own = drafts.map(({ parts }) => parts.map(({ entry }) => entry));
  const said = drafts.map(({ kind }, index) => {
    const spoken = isAgent ? own[index] : own[index]?.filter(isMain);
    return { kind, messages: mergeMessages(spoken ?? [], requests) };
  });
  const listed = listOnce(said, requests);
  const turns: Turn[] = [];
  let number = 0;
  for (const [index, draft] of drafts.entries()) {
    if (draft.kind !== 'none') number += 1;
    // Whether a turn is over shows in what was said in it, wherever that is listed.
    const answers = said[index]?.messages ?? [];
    const toolCalls = callsIn(own[index] ?? [], calls);
    const started = validTime(draft.prompt?.head.timestamp) ?? firstTime(draft.parts);
    const ended = lasts[index]?.entry.head.timestamp;
    turns.push({
      uuid: draft.prompt?.head.uuid,
      number: draft.kind === 'none' ? 0 : number,
      kind: draft.kind,
      round: rounds[index] ?? 'continue',
      state: stateOf(draft, answers, toolCalls, { ...circumstances, next: drafts[index + 1]?.kind }),
      prompt: draft.prompt,
      entries: own[index] ?? [],
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

/** By the uuid of their prompts: the numbers that `turnsOf` gives to turns, without making them. */
export function turnNumbers(entries: readonly Entry[]): Map<string, number> {
  const numbers = new Map<string, number>();
  let number = 0;
  for (const { kind, prompt } of cutTurns(entries, isAgentTranscript(entries))) {
    if (kind !== 'none') number += 1;
    if (prompt?.head.uuid !== undefined) numbers.set(prompt.head.uuid, number);
  }
  return numbers;
}

/** What the person typed to start the turn; empty for what stands before the first prompt. */
export function promptTextOf(turn: Turn): string {
  return turn.prompt === undefined ? '' : promptText(turn.prompt);
}

function isMain(entry: Entry): boolean {
  return !entry.head.isSidechain;
}

function cutTurns(entries: readonly Entry[], isAgent: boolean): Draft[] {
  const queued = queuedPrompts(entries);
  // The text of a queued prompt goes with the turn it starts, not with the one it waited in.
  const waiting = new Set(queued.values());
  const drafts: Draft[] = [];
  // Nothing is noted where it is known that none comes twice.
  const seen = isKnownDistinct(entries) ? undefined : new Set<string>();
  // Few sessions have a uuid twice: only then it matters where the first stands.
  let byUuid: Map<string, Draft> | undefined;
  let current: Draft = { kind: 'none', parts: [] };
  const add = (draft: Draft, part: Part) => {
    draft.parts.push(part);
    if (byUuid !== undefined && part.entry.head.uuid !== undefined) byUuid.set(part.entry.head.uuid, draft);
  };
  const holderOf = (uuid: string) => {
    byUuid ??= draftsByUuid([...drafts, current]);
    return byUuid.get(uuid);
  };
  for (const entry of entries) {
    const enqueueing = queued.get(entry);
    if (enqueueing === undefined && waiting.has(entry)) continue;
    const repeated = seen === undefined || isNew(seen, entry.head.uuid) ? undefined : holderOf(entry.head.uuid ?? '');
    const inline = !isAgent && !isMain(entry);
    if (enqueueing === undefined && repeated) addRepeated(repeated, partOf(entry, 'none', inline));
    else if (enqueueing === undefined && inline) add(current, partOf(entry, 'none', inline));
    else {
      const kind = enqueueing === undefined ? kindInTurn(entry, current) : 'queued';
      if (isStart(kind, isAgent)) {
        const prompt = enqueueing ?? entry;
        const next: Draft = { kind, prompt, parts: [] };
        for (const part of takeLeading(current)) add(next, part);
        if (current.parts.length > 0) drafts.push(current);
        current = next;
        if (prompt !== entry) {
          if (seen !== undefined) isNew(seen, prompt.head.uuid);
          add(current, partOf(prompt, kind));
        }
      }
      add(current, partOf(entry, enqueueing === undefined || enqueueing === entry ? kind : 'none'));
    }
  }
  if (current.parts.length > 0) drafts.push(current);
  return drafts;
}

/** Notes a uuid as seen. */
function isNew(seen: Set<string>, uuid: string | undefined): boolean {
  if (uuid === undefined) return !seen.has('');
  const { size } = seen;
  return seen.add(uuid).size > size;
}

function draftsByUuid(drafts: readonly Draft[]): Map<string, Draft> {
  const byUuid = new Map<string, Draft>();
  for (const draft of drafts) {
    for (const { entry } of draft.parts) if (entry.head.uuid !== undefined) byUuid.set(entry.head.uuid, draft);
  }
  return byUuid;
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

/** The calls of one entry follow each other. */
function callsByEntry(calls: readonly ToolCall[]): Map<Entry, ToolCall[]> {
  const byEntry = new Map<Entry, ToolCall[]>();
  let last: ToolCall[] = [];
  for (const call of calls) {
    if (last[0]?.use === call.use) last.push(call);
    else {
      last = [call];
      byEntry.set(call.use, last);
    }
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

/**
 * T7: a message starts at the prompt or result before it where its request is not recorded; a missing time takes the
 * nearest. Messages stand in the order of their first lines.
 */
function withTimes(messages: readonly Message[], parts: readonly Part[]): Message[] {
  const timed: Message[] = [];
  let known = parts.find(({ time }) => time !== undefined);
  let input: Part | undefined;
  for (const part of parts) {
    const before = known;
    if (part.time !== undefined) known = part;
    if (isInput(part.kind) && part.time !== undefined) input = part;
    const message = messages[timed.length];
    if (message === undefined) break;
    if (message.entries[0] !== part.entry) continue;
    const started = message.started ?? earlier(input ?? before, known)?.entry.head.timestamp;
    timed.push({ ...message, started, ended: message.ended ?? known?.entry.head.timestamp });
  }
  return timed;
}

/** The clock may go backwards (E12); nothing starts after it was written. */
function earlier(a: Part | undefined, b: Part | undefined): Part | undefined {
  return a?.time === undefined || (b?.time !== undefined && b.time < a.time) ? b : a;
}

function firstTime(parts: readonly Part[]): string | undefined {
  return parts.find(({ time }) => time !== undefined)?.entry.head.timestamp;
}
