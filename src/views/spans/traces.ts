/** All there is to send of a chat: every turn of every branch once, and the agents that no call leads to. */
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asString } from '../../format/json.ts';
import { agentLookup } from '../../graph/agents/lookup.ts';
import type { Agent } from '../../graph/agents.ts';
import type { Branch } from '../../graph/branches.ts';
import type { Chat } from '../../graph/chat.ts';
import { turnsOf } from '../../graph/turns.ts';
import type { Circumstances } from '../../graph/turnstate.ts';
import type { Turn } from '../../graph/types.ts';
import { firstTime } from './clock.ts';
import { originalUuid } from './ids.ts';
import { numberOf } from './trace.ts';
import { type PlacedTurn, spansOfStray, spansOfTurns, statusOf, strayTraceId, turnTraceId } from './turn.ts';
import type { Span, SpanOptions, TurnTrace } from './types.ts';

type ChatOptions = Omit<SpanOptions, 'sessionId' | 'chatId' | 'agentOf'>;

/** `stopped`: the Stop hook has just fired for what a resume of the chat goes on from. */
export function tracesOfChat(chat: Chat, given: ChatOptions, { stopped }: Circumstances = {}): TurnTrace[] {
  const tags = [...new Set([...(given.tags ?? []), ...tagsIn(chat.entries)])];
  const options: SpanOptions = { ...given, tags, sessionId: chat.id, chatId: chat.id, agentOf: agentLookup(chat) };
  const ends = lastSaid(chat.entries);
  const branches = inOrder(chat).map((branch) => {
    const entries = chat.entriesOf(branch);
    const isCurrent = branch === chat.current;
    return turnsOf(entries, {
      now: given.now,
      stopped: isCurrent && stopped,
      left: !isCurrent && isLeft(entries, ends),
    });
  });
  return [...tracesOf(branches, options), ...straysOf(chat.allAgents, options)];
}

/** Agents without a session's transcript: each that no other of them started is a trace. */
export function tracesOfAgents(allAgents: readonly Agent[], options: Omit<SpanOptions, 'agentOf'>): TurnTrace[] {
  return straysOf(allAgents, { ...options, agentOf: agentLookup({ allAgents }) });
}

/** The turns of one conversation, in their order. */
export function tracesOfTurns(turns: readonly Turn[], options: SpanOptions): TurnTrace[] {
  return tracesOf([turns], options);
}

/** Turns with the same prompt are one trace. */
function tracesOf(branches: readonly (readonly Turn[])[], options: SpanOptions): TurnTrace[] {
  const placed = branches.flatMap((turns) => turns.map((turn, place) => ({ turn, previous: turns[place - 1] })));
  const byTrace = Map.groupBy(placed, ({ turn }) => turnTraceId(turn, options));
  return [...byTrace].flatMap(([traceId, same]) => {
    const different = withoutRepeats(same);
    const ready = different.filter(({ turn }) => statusOf(turn) === 'ready');
    const told = (ready[0] ?? different.find(({ turn }) => turn.state === 'open') ?? different[0])?.turn;
    if (told === undefined) return [];
    const facts = {
      traceId,
      turn: numberOf(told, options),
      promptId: originalUuid(told.prompt) ?? null,
      file: (told.prompt ?? told.entries[0])?.source.name ?? null,
      status: statusOf(told),
    };
    return toTrace(facts, (how) => spansOfTurns(ready, how), options);
  });
}

function straysOf(agents: readonly Agent[], options: SpanOptions): TurnTrace[] {
  return agents.filter(({ calls }) => calls.length === 0).map((agent) => strayTrace(agent, options));
}

function strayTrace(agent: Agent, options: SpanOptions): TurnTrace {
  const make = (how: SpanOptions) => spansOfStray(agent, how);
  const isUndated = firstTime(agent.entries) === undefined;
  const isReady = !isUndated && make(withoutContent(options)).length > 0;
  const status = isUndated ? 'undated' : isReady ? 'ready' : 'open';
  const file = agent.entries[0]?.source.name ?? null;
  return toTrace({ traceId: strayTraceId(agent, options), turn: 0, promptId: null, file, status }, make, options);
}

type Facts = Pick<TurnTrace, 'traceId' | 'turn' | 'promptId' | 'file' | 'status'>;

function toTrace(facts: Facts, make: (options: SpanOptions) => Span[], options: SpanOptions): TurnTrace {
  return {
    ...facts,
    spans: () => make(options),
    learn: () => {
      if (options.mask !== undefined) make({ ...options, content: true, pricing: undefined });
    },
    mark: () => {
      const sizes = make(withoutContent(options)).map(({ spanId, facts }) => [spanId, 1 + facts.lines] as const);
      const size = sizes.reduce((sum, [, own]) => sum + own, 0);
      return `${size}-${options.hash(sizes.map(String).sort().join(' ')).slice(0, 16)}`;
    },
  };
}

/** Has the trace more to send than when it was sent? A poorer copy of the turn in another file has less (H1). */
export function isMore(mark: string, sent: string): boolean {
  return Number.parseInt(mark, 10) > Number.parseInt(sent, 10);
}

/** For what no name or word matters to: looking for secrets takes time. */
function withoutContent(options: SpanOptions): SpanOptions {
  return { ...options, content: false, pricing: undefined, mask: undefined };
}

/** What branches share is the same in each. */
function withoutRepeats(turns: readonly PlacedTurn[]): PlacedTurn[] {
  const kept: PlacedTurn[] = [];
  for (const placed of turns) if (!kept.some(({ turn }) => isSame(turn, placed.turn))) kept.push(placed);
  return kept;
}

function isSame(a: Turn, b: Turn): boolean {
  return a.state === b.state && a.entries.length === b.entries.length && a.entries.at(-1) === b.entries.at(-1);
}

/** What a resume goes on from tells most; then the others as they began. */
function inOrder({ current, branches }: Chat): (Branch | undefined)[] {
  return branches.length === 0
    ? [undefined]
    : branches.toSorted((a, b) => Number(b === current) - Number(a === current));
}

const SPOKEN = new Set(['user', 'assistant']);

function isSpoken({ kind, head }: Entry): boolean {
  return SPOKEN.has(kind) && !head.isSidechain;
}

/** By file: the last thing said in it. */
function lastSaid(entries: readonly Entry[]): Map<string, Entry> {
  const last = new Map<string, Entry>();
  for (const entry of entries) if (isSpoken(entry)) last.set(entry.source.name, entry);
  return last;
}

/** More was said in the same file after the branch had ended. */
function isLeft(entries: readonly Entry[], ends: ReadonlyMap<string, Entry>): boolean {
  const own = entries.findLast(isSpoken);
  const last = own && ends.get(own.source.name);
  return last !== undefined && !entries.includes(last);
}

/** A session has one tag at a time. */
function tagsIn(entries: readonly Entry[]): string[] {
  const last = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === 'tag') last.set(entry.source.name, asString(jsonOf(entry)?.tag) ?? '');
  }
  return [...last.values()].filter((tag) => tag !== '');
}
