/** One session's file, from where it was last sent: what a hook and `follow` deliver. */
import { findSessions, type SessionFile } from '../../disk/find.ts';
import { toolOutputsOf } from '../../disk/outputs.ts';
import { findRoots } from '../../disk/roots.ts';
import { originalUuid } from '../../views/spans/ids.ts';
import { tracesOfChat } from '../../views/spans/traces.ts';
import type { SpanOptions, TurnTrace } from '../../views/spans/types.ts';
import { beginsBefore, copiedTo, mayBeCopied, type OpenWhole, placeIn, type WholeChat } from './copied.ts';
import { type Courier, type Delivery, type Outcome, openCourier } from './courier.ts';
import { learnEarlier } from './learn.ts';
import { openLearnt } from './learnt.ts';
import { notTaken, type Refusal, type Tally } from './outbox.ts';
import { isCopied, partOfWhole, type ReadPart, readPart } from './part.ts';
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
  /** By session: turns that another program sent. */
  readonly sentBefore?: (session: SessionPlace) => ((trace: TurnTrace) => boolean) | undefined;
  /**
   * Opens the chat that a session with copied turns belongs to (H1). `elsewhere`: nothing of such a session is sent now. Without it the
   * file alone is read.
   */
  readonly originals?: OpenWhole | 'elsewhere';
}

export interface SessionPlace {
  readonly sessionId: string;
  readonly transcript: string;
}

/** How turns become spans; what the file itself tells is left out. */
export type SessionSpans = Omit<SpanOptions, 'sessionId' | 'chatId' | 'agentOf' | 'turnsBefore' | 'copied' | 'resolve'>;

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
  /** Turns of it may be copies: they are to be sent from their originals (`elsewhere`). */
  readonly copied: boolean;
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
  const reading = await deliverFile(courier, session, spans, delivery);
  await courier.finish();
  return deliveredBy(courier, reading());
}

function deliveredBy({ tally, counts }: Courier, { state, copied = false }: Reading): Delivered {
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
    copied,
    ...(problem !== undefined && { problem }),
    ...(rejected === 0 && said.length > 0 && { warning: said.join(' · ') }),
  };
}

function healthIn({ requests, offline, trouble }: Readonly<Tally>): Delivered['health'] {
  if (offline !== undefined) return 'offline';
  if (trouble !== undefined) return 'trouble';
  return requests === 0 ? 'unknown' : 'well';
}

/** What is known when all was sent or kept. */
interface Reading {
  readonly state?: SessionState;
  /** Nothing was sent: who can open the whole chat has to. */
  readonly copied?: boolean;
}

async function deliverFile(
  courier: Courier,
  session: SessionToDeliver,
  options: SessionSpans,
  { again = false, sender }: Delivery,
): Promise<() => Reading> {
  const { roots } = findRoots({ given: [session.file], env: {}, home: '' });
  const { files } = findSessions(roots);
  const [own, ...agents] = files;
  if (own === undefined || own.bytes === 0) return () => ({});
  const rules = sender.version;
  const job: Job = { courier, session, options, again, rules, own, agents, seen: seenOf(files) };
  const alone = await deliverAlone(job, session.originals !== undefined);
  if (!alone().copied || session.originals === undefined || session.originals === 'elsewhere') return alone;
  const whole = session.originals(own);
  return whole === undefined || whole.chat.sessions.length < 2 ? deliverAlone(job, false) : deliverWhole(job, whole);
}

interface Job {
  readonly courier: Courier;
  readonly session: SessionToDeliver;
  readonly options: SessionSpans;
  readonly again: boolean;
  /** By what secrets are found: those of another version may find others. */
  readonly rules: string;
  readonly own: SessionFile;
  readonly agents: readonly SessionFile[];
  readonly seen: string;
}

/** From the file itself; nothing where it holds copies of what another file may have, and those are looked for. */
async function deliverAlone(job: Job, looksForCopies: boolean): Promise<() => Reading> {
  const { courier, session, options, again, rules, own, agents, seen } = job;
  const { stopped, whole = false } = session;
  let sending: Sending | undefined;
  let reading: Reading = {};
  await courier.deliver({
    sessions: [own.sessionId],
    sentBefore: session.sentBefore?.({ sessionId: own.sessionId, transcript: session.file }),
    learn: () => {
      if (options.mask === undefined) return;
      learnEarlier(sending?.part.earlier ?? [], options.mask, openLearnt(courier.places.learnt, rules));
    },
    traces: () => {
      const state = again ? undefined : readState(courier.places.sessions, own.file);
      reading = { state };
      if (state?.settled && state.seen === seen && !whole) return [];
      const part = readPart(own, agents, whole ? undefined : state);
      if (looksForCopies && holdsCopies(own, part)) {
        reading = { copied: true };
        return [];
      }
      const { chat, turnsBefore } = part;
      const strays = straysIn(part, options);
      const { copied = 0, chat: known } = part.state ?? {};
      sending = { own, seen, part, strays, now: options.now, copied, chat: known };
      if (chat === undefined) return [];
      const resolve = toolOutputsOf([own.file]);
      const how = { ...options, resolve, turnsBefore, copied };
      const traces = withLatePromptless(tracesOfChat(chat, how, { stopped }), options.now);
      const isSure = new Set(strays.map(({ traceId }) => traceId));
      const isSent = beginsBefore(sending.copied, part.entries);
      const isOwn = ownIn(part);
      return traces.filter((trace) => isSure.has(trace.traceId) || (isOwn(trace) && !isSent(trace)));
    },
    done: (outcome) => {
      if (sending !== undefined) reading = { state: keepState(courier, sending, outcome) };
    },
  });
  return () => reading;
}

/** Those that were sent are left out. */
function holdsCopies(own: SessionFile, { entries, from, state }: ReadPart): boolean {
  return from === undefined && !state?.copied && mayBeCopied(own, entries);
}

/** The turns of the file as `export` sends them: each from where it was first written. */
async function deliverWhole(job: Job, whole: WholeChat): Promise<() => Reading> {
  const { courier, session, options, again, own, agents, seen } = job;
  const { sessions } = whole.chat;
  const sentBefore = sessions.flatMap(({ id, file }) => {
    return session.sentBefore?.({ sessionId: id, transcript: file === whole.file ? session.file : file }) ?? [];
  });
  let sending: Sending | undefined;
  let reading: Reading = {};
  await courier.deliver({
    sessions: [...new Set([own.sessionId, ...sessions.map(({ id }) => id)])],
    sentBefore: (trace) => sentBefore.some((isSent) => isSent(trace)),
    traces: () => {
      const state = again ? undefined : readState(courier.places.sessions, own.file);
      const part = partOfWhole(whole, agents, state);
      const mine = new Set(agents.map(({ file }) => file));
      const strays = straysIn(part, options).filter(({ file }) => file !== undefined && mine.has(file));
      sending = { own, seen, part, strays, now: options.now, copied: 0, chat: placeIn(whole, own.sessionId) };
      const resolve = toolOutputsOf(sessions.map(({ file }) => file));
      const { chat } = whole;
      // The Stop was of this file, whichever of them a resume of the chat would go on from.
      const current = session.stopped ? (chat.branchOf(own.sessionId) ?? chat.current) : chat.current;
      const traces = tracesOfChat({ ...chat, current }, { ...options, resolve }, { stopped: session.stopped });
      return withLatePromptless(traces, options.now).filter(isIn(part, new Set([whole.file, ...mine])));
    },
    done: (outcome) => {
      if (sending === undefined) return;
      const { entries } = whole;
      const copied = copiedTo(whole);
      const isOver =
        copied !== undefined && outcome.traces.filter(beginsBefore(copied, entries)).every(outcome.isSettled);
      const told = isOver ? { ...sending, copied } : { ...sending, fromStart: true };
      reading = { state: keepState(courier, told, outcome) };
    },
  });
  return () => reading;
}

function keepState({ places }: Courier, sending: Sending, outcome: Outcome): SessionState {
  const state = stateAfter(sending, outcome);
  writeState(places.sessions, state);
  return state;
}

/** A turn of the chat whose prompt this file has, too, or what begins in it without one. */
function isIn({ entries }: ReadPart, files: ReadonlySet<string>): (trace: TurnTrace) => boolean {
  const ids = new Set(entries.flatMap(({ head }) => [head.uuid, head.forkedFrom?.messageUuid]));
  return ({ promptId, turn, file }) => {
    if (promptId !== null) return ids.has(promptId);
    return file !== null && files.has(file) && (turn > 0 || !isCopied(entries));
  };
}

/** A turn of this file that was not sent when it was last read. */
function ownIn({ entries, from }: ReadPart): (trace: TurnTrace) => boolean {
  if (from === undefined) return ({ turn, promptId }) => turn > 0 || promptId !== null || !isCopied(entries);
  const ids = new Set(entries.map(originalUuid));
  // The turn that reading began with was sent before.
  return ({ turn, promptId }) => turn > 0 && promptId !== from.turn && (promptId === null || ids.has(promptId));
}
