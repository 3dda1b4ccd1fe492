/** How far a session is sent, and from where it is read the next time. */
import type { SessionFile } from '../../disk/find.ts';
import type { Entry } from '../../format/entry.ts';
import type { Chat } from '../../graph/chat.ts';
import { QUIET } from '../../graph/turnstate.ts';
import { originalUuid } from '../../views/spans/ids.ts';
import type { Outcome } from './courier.ts';
import type { Earlier } from './learn.ts';
import { digestBefore, type SessionState } from './state.ts';

/** What was read of a session. */
export interface ReadPart {
  readonly entries: readonly Entry[];
  readonly chat: Chat | undefined;
  /** Where the reading began, unless at the start. */
  readonly from: SessionState | undefined;
  /** What lies before that, and agents of turns there: not read. */
  readonly earlier: readonly Earlier[];
}

const START = { offset: 0, line: 1, turnsBefore: 0, turn: null, before: '' };

export function stateAfter(
  own: SessionFile,
  seen: string,
  { entries, chat, from }: ReadPart,
  { traces, isSettled }: Outcome,
  now: number | undefined,
): SessionState {
  const working = workingCalls(chat, now);
  const isAll = working.length === 0 && traces.every(isSettled);
  const common = { file: own.file, seen, settled: isAll };
  const starts = new Map(entries.toReversed().map((entry) => [originalUuid(entry), entry.line]));
  const turns = traces
    .flatMap((trace) => {
      const line = trace.promptId === null ? undefined : starts.get(trace.promptId);
      return line === undefined ? [] : [{ trace, line }];
    })
    .sort((a, b) => a.line.start - b.line.start);
  // A turn whose agent is still at work has more to send.
  const firstWorking = Math.min(...working.map(({ line }) => line.start));
  const endOf = (place: number) => turns[place + 1]?.line.start ?? own.bytes;
  const unsettled = turns.findIndex(({ trace }, place) => endOf(place) > firstWorking || !isSettled(trace));
  const sent = unsettled === -1 ? turns.length : unsettled;
  // Reading begins a turn earlier: the last one may go on, and the time of its request can stand before its prompt.
  const before = turns[sent - 2];
  if (before === undefined) return { ...START, ...from, ...common };
  const { start, number } = before.line;
  return {
    ...common,
    offset: start,
    line: number,
    turnsBefore: Math.max(0, before.trace.turn - 1),
    turn: before.trace.promptId,
    before: digestBefore(own.file, start),
  };
}

const ENDED = /^(?:completed|failed|killed|stopped|cancell?ed|error)/;

/** Calls whose agents go on in the background. */
function workingCalls(chat: Chat | undefined, now = Date.now()): Entry[] {
  const isOver = (status: string | undefined, entries: readonly Entry[]) => {
    const last = Math.max(0, ...entries.slice(-5).map(({ head }) => Date.parse(head.timestamp ?? '') || 0));
    return ENDED.test(status ?? '') || now - last > QUIET;
  };
  const agents = chat?.allAgents.filter(({ background, status, entries }) => background && !isOver(status, entries));
  return agents?.flatMap(({ calls }) => calls.map(({ use }) => use)) ?? [];
}
