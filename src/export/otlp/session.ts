/** One session's file, from where it was last sent: what a hook and `follow` deliver. */
import { findSessions } from '../../disk/find.ts';
import { toolOutputsOf } from '../../disk/outputs.ts';
import { findRoots } from '../../disk/roots.ts';
import { tracesOfChat } from '../../views/spans/traces.ts';
import type { SpanOptions, TurnTrace } from '../../views/spans/types.ts';
import { type Courier, type Delivery, openCourier } from './courier.ts';
import { learnEarlier } from './learn.ts';
import { notTaken, type Refusal, type Tally } from './outbox.ts';
import { isCopied, type ReadPart, readPart } from './part.ts';
import { straysIn } from './partagents.ts';
import { withLatePromptless } from './promptless.ts';
import { type Sending, stateAfter } from './reached.ts';
import { readState, type SessionState, seenOf, writeState } from './state.ts';

export interface SessionToDeliver {
  /** Its transcript. */
  readonly file: string;
  /** The Stop hook has just fired for it (T6). */
  readonly stopped?: boolean;
  /** From its start; else from the last turn sent. */
  readonly whole?: boolean;
  /** Turns that another program sent. */
  readonly sentBefore?: (trace: TurnTrace) => boolean;
}

/** How turns become spans; what the file itself tells is left out. */
export type SessionSpans = Omit<SpanOptions, 'sessionId' | 'chatId' | 'agentOf' | 'turnsBefore' | 'resolve'>;

export interface Delivered {
  /** Taken by the server. */
  readonly turns: number;
  readonly spans: number;
  /** Turns that are not over yet. */
  readonly open: number;
  readonly undated: number;
  /** Spans that wait on disk for the next time. */
  readonly queued: number;
  /** Spans that were neither sent nor kept; they are made again next time. */
  readonly left: number;
  readonly refused: readonly Refusal[];
  /** Spans that the server did not take of requests that it took; they are not sent again. */
  readonly rejected: number;
  /** What it said beside taking all. */
  readonly warning?: string;
  /** Turns that are over and were not taken, for whatever reason but a refusal: a later run has to send them. */
  readonly unsent: number;
  /** Of the endpoint: offline where the next request would not be taken either, unknown where none was made. */
  readonly health: 'unknown' | 'well' | 'trouble' | 'offline';
  /** Another process is sending the session. */
  readonly busy: boolean;
  /** Files of agents that may go on, or that are not sent yet, when all turns are over. */
  readonly agents: readonly string[];
  /** Why not all was taken. */
  readonly problem?: string;
}

/** Throws DiskError where no state can be kept, and ExportError where the server takes nothing at all. */
export async function deliverSession(
  session: SessionToDeliver,
  spans: SessionSpans,
  delivery: Delivery,
): Promise<Delivered> {
  const courier = openCourier(delivery);
  await courier.sendQueued();
  const stateNow = await deliverFile(courier, session, spans, delivery.again);
  await courier.finish();
  return deliveredBy(courier, stateNow());
}

function deliveredBy({ tally, counts }: Courier, state: SessionState | undefined): Delivered {
  const { rejected, said } = tally;
  const lost = rejected > 0 ? notTaken(rejected, said) : undefined;
  const problem = tally.offline ?? tally.trouble ?? tally.refused[0]?.words ?? lost;
  return {
    turns: tally.turns,
    spans: tally.sent,
    open: counts.open,
    undated: counts.undated,
    queued: tally.queued,
    left: tally.left,
    refused: tally.refused,
    rejected,
    unsent: counts.unsent,
    health: healthIn(tally),
    busy: counts.busy > 0,
    agents: [
      ...(state?.background.flatMap(({ agent, ended }) => (ended ? [] : agent)) ?? []),
      ...(state?.strays ?? []),
    ],
    ...(problem !== undefined && { problem }),
    ...(rejected === 0 && said.length > 0 && { warning: said.join(' · ') }),
  };
}

function healthIn({ requests, offline, trouble }: Readonly<Tally>): Delivered['health'] {
  if (offline !== undefined) return 'offline';
  if (trouble !== undefined) return 'trouble';
  return requests === 0 ? 'unknown' : 'well';
}

/** Gives the state as it is when all was sent or kept. */
async function deliverFile(
  courier: Courier,
  { file, stopped, whole = false, sentBefore }: SessionToDeliver,
  options: SessionSpans,
  again = false,
): Promise<() => SessionState | undefined> {
  const { roots } = findRoots({ given: [file], env: {}, home: '' });
  const { files } = findSessions(roots);
  const [own, ...agents] = files;
  if (own === undefined || own.bytes === 0) return () => undefined;
  const seen = seenOf(files);
  let sending: Sending | undefined;
  let state: SessionState | undefined;
  await courier.deliver({
    sessions: [own.sessionId],
    sentBefore,
    learn: () => {
      if (options.mask !== undefined) learnEarlier(sending?.part.earlier ?? [], options.mask);
    },
    traces: () => {
      state = again ? undefined : readState(courier.places.sessions, own.file);
      if (state?.settled && state.seen === seen && !whole) return [];
      const part = readPart(own, agents, whole ? undefined : state);
      const { chat, from, numbers } = part;
      const strays = straysIn(part, options);
      sending = { own, seen, part, strays, now: options.now };
      if (chat === undefined) return [];
      const resolve = toolOutputsOf([own.file]);
      const how = { ...options, resolve, numbers, turnsBefore: from?.turnsBefore ?? 0 };
      const traces = withLatePromptless(tracesOfChat(chat, how, { stopped }), options.now);
      const isSure = new Set(strays.map(({ traceId }) => traceId));
      return traces.filter((trace) => isSure.has(trace.traceId) || isOwn(trace, part));
    },
    done: (outcome) => {
      if (sending === undefined) return;
      state = stateAfter(sending, outcome);
      writeState(courier.places.sessions, state);
    },
  });
  return () => state;
}

/** A turn of this file that was not sent when it was last read. */
function isOwn({ turn, promptId }: TurnTrace, { entries, from }: ReadPart): boolean {
  if (from === undefined) return turn > 0 || promptId !== null || !isCopied(entries);
  // The turn that reading began with was sent before.
  return turn > 0 && promptId !== from.turn;
}
