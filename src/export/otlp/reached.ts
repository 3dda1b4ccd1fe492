/** How far a session is sent, and from where it is read the next time. */
import type { SessionFile } from '../../disk/find.ts';
import { originalUuid } from '../../views/spans/ids.ts';
import type { TurnTrace } from '../../views/spans/types.ts';
import type { Outcome } from './courier.ts';
import type { ReadPart } from './part.ts';
import { type LaunchedAgent, launchedIn, type StrayAgent } from './partagents.ts';
import { type BackgroundAgent, type ChatPlace, digestBefore, type Reached, type SessionState } from './state.ts';

const START: Reached = { offset: 0, line: 1, turnsBefore: 0, turn: null, before: '' };

export interface Sending {
  readonly own: SessionFile;
  readonly seen: string;
  readonly part: ReadPart;
  readonly strays: readonly StrayAgent[];
  readonly now: number | undefined;
  /** Up to where the file holds turns of other sessions, which are sent. */
  readonly copied: number;
  /** The chat that it is part of, where that was looked for. */
  readonly chat: ChatPlace | undefined;
  /** All of it is to be read the next time. */
  readonly fromStart?: boolean;
}

export function stateAfter(sending: Sending, { traces, isSettled }: Outcome): SessionState {
  const { own, seen, part, strays, now, copied, chat, fromStart = false } = sending;
  const launched = launchedIn(part, own.file, now);
  const working = launched.filter(({ isWorking }) => isWorking);
  const turns = placed(traces, part);
  // A turn whose agent is still at work has more to send.
  const firstWorking = Math.min(...working.map(({ call }) => call.line.start));
  const endOf = (place: number) => turns[place + 1]?.line.start ?? own.bytes;
  const unsettled = turns.findIndex(({ trace }, place) => endOf(place) > firstWorking || !isSettled(trace));
  const sent = unsettled === -1 ? turns.length : unsettled;
  const unsent = new Set(traces.filter((trace) => !isSettled(trace)).map(({ traceId }) => traceId));
  return {
    // Reading begins a turn earlier: the last one may go on, and the time of its request can stand before its prompt.
    ...(fromStart ? START : (reachedAt(turns[sent - 2], own) ?? startOf(part))),
    file: own.file,
    seen,
    settled: working.length === 0 && traces.every(isSettled),
    background: backgroundAfter(launched, turns, own, part),
    strays: strays.flatMap(({ file, traceId }) => (file !== undefined && unsent.has(traceId) ? file : [])),
    copied,
    ...(chat && { chat }),
  };
}

interface Placed {
  readonly trace: TurnTrace;
  readonly line: { readonly start: number; readonly number: number };
}

/** The turns with their prompts' lines, in the order of the file. */
function placed(traces: readonly TurnTrace[], { entries }: ReadPart): Placed[] {
  const starts = new Map(entries.toReversed().map((entry) => [originalUuid(entry), entry.line]));
  return traces
    .flatMap((trace) => {
      const line = trace.promptId === null ? undefined : starts.get(trace.promptId);
      return line === undefined ? [] : [{ trace, line }];
    })
    .sort((a, b) => a.line.start - b.line.start);
}

function reachedAt(turn: Placed | undefined, own: SessionFile): Reached | undefined {
  if (turn === undefined) return undefined;
  const { trace, line } = turn;
  const before = digestBefore(own.file, line.start);
  return {
    offset: line.start,
    line: line.number,
    turnsBefore: Math.max(0, trace.turn - 1),
    turn: trace.promptId,
    before,
  };
}

function startOf({ from = START }: ReadPart): Reached {
  const { offset, line, turnsBefore, turn, before } = from;
  return { offset, line, turnsBefore, turn, before };
}

/** Agents that may go on, with the turn before the one that started them; those of turns that were not read as they were noted. */
function backgroundAfter(
  launched: readonly LaunchedAgent[],
  turns: readonly Placed[],
  own: SessionFile,
  part: ReadPart,
): BackgroundAgent[] {
  const sizes = new Map(part.agents.map(({ file, bytes }) => [file, bytes]));
  const known = new Map(part.state?.background.map((each) => [each.agent, each]));
  const all = new Map<string, Omit<BackgroundAgent, 'agent' | 'bytes'>>(known);
  for (const { agent, call, ended } of launched) {
    const place = turns.findLastIndex(({ line }) => line.start <= call.line.start);
    // The turn that reading began with is not among them: an agent of that one was noted before.
    const reached = place < 0 ? known.get(agent ?? '') : (reachedAt(turns[place - 1], own) ?? startOf(part));
    if (agent !== undefined) all.set(agent, { ...(reached ?? START), ended });
  }
  return [...all].flatMap(([agent, each]) => {
    const bytes = sizes.get(agent);
    return bytes === undefined ? [] : [{ ...each, agent, bytes }];
  });
}
