/** One session's file, from where it was last sent: what a hook and `follow` deliver. */
import { agentsWith, loadOnce } from '../../disk/agentfiles.ts';
import { findSessions, type SessionFile } from '../../disk/find.ts';
import { toolOutputsOf } from '../../disk/outputs.ts';
import { readSessionOf } from '../../disk/read.ts';
import { findRoots } from '../../disk/roots.ts';
import { FILE_START, type Position } from '../../format/lines.ts';
import { chatsOf, openChat } from '../../graph/chat.ts';
import { outlineOf } from '../../graph/outline.ts';
import { tracesOfChat } from '../../views/spans/traces.ts';
import type { SpanOptions, TurnTrace } from '../../views/spans/types.ts';
import { type Courier, type Delivery, openCourier } from './courier.ts';
import { learnEarlier } from './learn.ts';
import type { Refusal, Tally } from './outbox.ts';
import { isStray, withLatePromptless } from './promptless.ts';
import { type ReadPart, stateAfter } from './reached.ts';
import { digestBefore, readState, type SessionState, seenOf, writeState } from './state.ts';

export interface SessionToDeliver {
  /** Its transcript. */
  readonly file: string;
  /** The Stop hook has just fired for it (T6). */
  readonly stopped?: boolean;
  /** From its start, with agents that no call leads to; else from the last turn sent. */
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
  /** Turns that are over and were not taken, for whatever reason but a refusal: a later run has to send them. */
  readonly unsent: number;
  /** Of the endpoint: offline where the next request would not be taken either, unknown where none was made. */
  readonly health: 'unknown' | 'well' | 'trouble' | 'offline';
  /** Another process is sending the session. */
  readonly busy: boolean;
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
  await deliverFile(courier, session, spans, delivery.again);
  await courier.finish();
  return deliveredBy(courier);
}

function deliveredBy({ tally, counts }: Courier): Delivered {
  const problem = tally.offline ?? tally.trouble ?? tally.refused[0]?.words;
  return {
    turns: tally.turns,
    spans: tally.sent,
    open: counts.open,
    undated: counts.undated,
    queued: tally.queued,
    left: tally.left,
    refused: tally.refused,
    unsent: counts.unsent,
    health: healthIn(tally),
    busy: counts.busy > 0,
    ...(problem !== undefined && { problem }),
  };
}

function healthIn({ requests, offline, trouble }: Readonly<Tally>): Delivered['health'] {
  if (offline !== undefined) return 'offline';
  if (trouble !== undefined) return 'trouble';
  return requests === 0 ? 'unknown' : 'well';
}

async function deliverFile(
  courier: Courier,
  { file, stopped, whole = false, sentBefore }: SessionToDeliver,
  options: SessionSpans,
  again = false,
): Promise<void> {
  const { roots } = findRoots({ given: [file], env: {}, home: '' });
  const { files } = findSessions(roots);
  const [own, ...agents] = files;
  if (own === undefined || own.bytes === 0) return;
  const seen = seenOf(files);
  let read: ReadPart | undefined;
  await courier.deliver({
    sessions: [own.sessionId],
    sentBefore,
    learn: () => {
      if (options.mask !== undefined) learnEarlier(read?.earlier ?? [], options.mask);
    },
    traces: () => {
      const state = again ? undefined : readState(courier.places.sessions, own.file);
      if (state?.settled && state.seen === seen && !whole) return [];
      read = readPart(own, agents, whole ? undefined : state);
      const { chat, from } = read;
      if (chat === undefined) return [];
      const resolve = toolOutputsOf([own.file]);
      const traces = tracesOfChat(chat, { ...options, resolve, turnsBefore: from?.turnsBefore ?? 0 }, { stopped });
      const sure = withLatePromptless(traces, options.now);
      if (whole) return sure;
      if (from === undefined) return sure.filter((trace) => !isStray(trace));
      // The turn that reading began with was sent before.
      return sure.filter(({ turn, promptId }) => turn > 0 && promptId !== from.turn);
    },
    done: (outcome) => {
      if (read !== undefined) writeState(courier.places.sessions, stateAfter(own, seen, read, outcome, options.now));
    },
  });
}

function readPart(own: SessionFile, agents: readonly SessionFile[], state: SessionState | undefined): ReadPart {
  const isSame = state !== undefined && state.offset > 0 && state.offset < own.bytes;
  const from = isSame && digestBefore(own.file, state.offset) === state.before ? state : undefined;
  const start: Position = from === undefined ? FILE_START : { offset: from.offset, number: from.line };
  const { entries } = readSessionOf(own.file, { from: start });
  const began = Date.parse(entries.find(({ head }) => head.timestamp !== undefined)?.head.timestamp ?? '');
  // Agents of turns that are not read were last written to before.
  const near = from === undefined || Number.isNaN(began) ? agents : agents.filter(({ mtimeMs }) => mtimeMs >= began);
  const load = loadOnce((file) => readSessionOf(file).entries);
  const facts = { id: own.sessionId, file: own.file, bytes: own.bytes, outline: outlineOf(entries) };
  const [summary] = chatsOf([facts]);
  const chat =
    summary && openChat(summary, () => ({ entries, agents: agentsWith(entries, own.sessionId, near, load) }));
  const far = agents.filter((agent) => !near.includes(agent)).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const earlier = [{ file: own.file, to: start.offset }, ...far.map(({ file, bytes }) => ({ file, to: bytes }))];
  return { entries, chat, from, earlier };
}
