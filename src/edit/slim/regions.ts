/** Which parts of a conversation a slim may touch: turns before the kept ones, never the tool loop that is still open (S3). */
import type { Entry } from '../../format/entry.ts';
import type { Json } from '../../format/json.ts';
import { inputOfCall } from '../../graph/toolcalls.ts';
import { turnsOf } from '../../graph/turns.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import type { SlimSettings } from './settings.ts';

/** `past` is what a compaction replaced; the others are sent. */
export type Region = 'past' | 'old' | 'kept' | 'open';

/** What a rule is asked about. */
export interface CallFacts {
  readonly tool: string;
  input(): Json | undefined;
  /** Of the lines of the call and its result, in bytes. */
  readonly bytes: number;
  readonly time: string | undefined;
}

/** A call that both fit is kept. */
export interface CallRules {
  readonly keep?: (call: CallFacts) => boolean;
  readonly drop?: (call: CallFacts) => boolean;
}

export interface Regions {
  of(entry: Entry): Region;
  /** Calls that go with their results. */
  readonly removed: ReadonlySet<string>;
  /** Messages that lose a call: their thinking led to it and goes with it (S3). */
  losesCall(entry: Entry): boolean;
  /** Calls that stay whole in old turns. */
  readonly spared: ReadonlySet<string>;
  /** By the first line of a turn that loses a call: the tools of all calls the turn loses. */
  readonly stubs: ReadonlyMap<Entry, readonly string[]>;
  /** By call: its tool. */
  readonly tools: ReadonlyMap<string, string>;
  /** Turns with tool calls, and how many of them are kept whole. */
  readonly turns: { readonly all: number; readonly whole: number };
}

/** The lines that are sent, in their order. */
export function regionsOf(sent: readonly Entry[], settings: SlimSettings, rules: CallRules): Regions {
  const turns = turnsOf(sent);
  const all = new Set(sent);
  const open = openLoop(sent);
  const bearing = turns.filter(({ toolCalls }) => toolCalls.length > 0);
  const first = settings.turns === 0 ? undefined : (bearing.at(-settings.turns) ?? turns[0]);
  const kept = new Set<Entry>();
  for (const turn of first === undefined ? [] : turns.slice(turns.indexOf(first))) {
    for (const entry of turn.entries) kept.add(entry);
  }
  const of = (entry: Entry): Region => {
    if (!all.has(entry)) return 'past';
    if (open.has(entry)) return 'open';
    return kept.has(entry) ? 'kept' : 'old';
  };
  const fates = callFates(turns, of, settings, rules);
  const whole = bearing.filter(({ toolCalls }) => toolCalls.every(({ use }) => of(use) !== 'old')).length;
  return { of, ...fates, turns: { all: bearing.length, whole } };
}

/** S3, A6: what follows the last words of the person, if the last thing said is a call or the result of one made since. */
function openLoop(lines: readonly Entry[]): Set<Entry> {
  const open = new Set<Entry>();
  const isResult = ({ kind, head }: Entry) => kind === 'user' && head.blocks.some(({ type }) => type === 'tool_result');
  const isAnswer = ({ kind, head }: Entry) => kind === 'assistant' && !head.isApiErrorMessage;
  const last = lines.findLastIndex((entry) => isAnswer(entry) || isResult(entry));
  const end = lines[last];
  if (end === undefined) return open;
  if (isAnswer(end) && !hasCall(end, lines, last)) return open;
  for (let at = last; at >= 0; at -= 1) {
    const entry = lines[at];
    if (entry === undefined || (entry.kind === 'user' && !isResult(entry))) break;
    open.add(entry);
  }
  return [...open].some(isAnswer) ? open : new Set();
}

/** The message that ends the conversation makes a call, in this line or one before. */
function hasCall(end: Entry, lines: readonly Entry[], last: number): boolean {
  const id = end.head.message?.id;
  for (let at = last; at >= 0; at -= 1) {
    const entry = lines[at];
    if (entry?.kind === 'user') return false;
    if (entry?.kind !== 'assistant') continue;
    if (entry !== end && (id === undefined || entry.head.message?.id !== id)) return false;
    if (entry.head.blocks.some(({ type }) => type === 'tool_use')) return true;
  }
  return false;
}

function callFates(
  turns: readonly Turn[],
  regionOf: (entry: Entry) => Region,
  settings: SlimSettings,
  { keep, drop }: CallRules,
): Pick<Regions, 'removed' | 'losesCall' | 'spared' | 'stubs' | 'tools'> {
  const removed = new Set<string>();
  const losing = new Set<string>();
  const spared = new Set<string>();
  const stubs = new Map<Entry, string[]>();
  const tools = new Map<string, string>();
  for (const { toolCalls } of turns) {
    let stub: string[] | undefined;
    for (const call of toolCalls) {
      tools.set(call.id, call.name);
      const region = regionOf(call.use);
      if (region === 'open' || call.id === '') continue;
      const facts = factsOf(call);
      if (keep?.(facts)) spared.add(call.id);
      else if (drop?.(facts) || (region === 'old' && settings.calls === 'drop')) {
        removed.add(call.id);
        losing.add(messageOf(call.use));
        if (stub === undefined) {
          stub = [];
          stubs.set(call.input, stub);
        }
        stub.push(call.name);
      }
    }
  }
  return { removed, losesCall: (entry) => losing.has(messageOf(entry)), spared, stubs, tools };
}

function messageOf({ head, line }: Entry): string {
  return head.message?.id ?? `line ${line.number}`;
}

function factsOf(call: ToolCall): CallFacts {
  const size = (entry: Entry | undefined) => (entry === undefined ? 0 : entry.line.end - entry.line.start);
  return {
    tool: call.name,
    input: () => inputOfCall(call),
    bytes: size(call.input) + size(call.result),
    time: call.started ?? call.ended,
  };
}
