/** Brings turns to an endpoint, each once: what it took before is not made again, what waits on disk goes first. */
import { existsSync } from 'node:fs';
import type { Sender } from '../../views/spans/otlp.ts';
import type { Span, TurnTrace } from '../../views/spans/types.ts';
import type { Endpoint } from './endpoint.ts';
import type { Holding } from './holding.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { acquire, acquireFree, type Release } from './lock.ts';
import { createOutbox, type Outbox, type Tally } from './outbox.ts';
import { parcelsOf } from './parcel.ts';
import { type Places, placesOf } from './places.ts';
import { createPost } from './post.ts';
import { openQueue } from './queue.ts';
import type { Patience } from './retry.ts';

export interface Delivery {
  readonly endpoint: Endpoint;
  /** Skein's own folder. */
  readonly home: string;
  readonly sender: Sender;
  readonly patience?: Patience;
  /** For an answer to one request. */
  readonly timeoutMs?: number;
  /** Requests of fewer bytes are not packed. */
  readonly plainBelow?: number;
  /** How long to wait for another process that sends the same session. */
  readonly lockWaitMs?: number;
  /** Also what was sent before. */
  readonly again?: boolean;
  /** Only turns that began then or later, in milliseconds. */
  readonly since?: number;
  /** What the spans hold. */
  readonly holding?: Holding;
  /** How many secrets are known to whoever masks the spans; without it they are always made anew. */
  readonly learnt?: () => number;
  /** Bytes that may wait on disk. */
  readonly mostQueued?: number;
  readonly onRequest?: (tally: Tally) => void;
}

/** The turns of a chat or a session. */
export interface Load {
  /** Session ids; nobody else sends these meanwhile. */
  readonly sessions: readonly string[];
  /** Asked for when the locks are held. */
  traces(): readonly TurnTrace[];
  /** Turns that another program sent: noted as sent, and left out. */
  sentBefore?(trace: TurnTrace): boolean;
  /** Called when there is something to send: shows the masker what came before it. */
  learn?(): void;
  /** Called when all of it was sent, queued or left. */
  done?(outcome: Outcome): void;
}

export interface Outcome {
  readonly traces: readonly TurnTrace[];
  /** Taken by the server, now or before, or never to be sent. */
  isSettled(trace: TurnTrace): boolean;
}

export interface Counts {
  /** Turns that are not over yet. */
  open: number;
  /** Turns without any time in them: not sent (T7). */
  undated: number;
  /** Spans that there were to send. */
  spans: number;
  /** Turns that were to be sent and were not taken, whatever became of them: they wait on disk or in their transcripts. */
  unsent: number;
  /** Sessions that another process is sending. */
  busy: number;
}

export interface Courier {
  readonly tally: Readonly<Tally>;
  readonly counts: Readonly<Counts>;
  readonly places: Places;
  /** Requests that wait on disk. */
  waiting(): number;
  /** Sends what waits on disk. */
  sendQueued(): Promise<void>;
  /** Small loads share requests: `done` may be called later, at the latest by `finish`. */
  deliver(load: Load): Promise<void>;
  finish(): Promise<void>;
}

/** So many loads wait for each other at most. */
const MOST_LOADS = 50;
const LOCK_WAIT_MS = 10_000;

interface Open {
  readonly load: Load;
  readonly release: Release;
  readonly outcome: Outcome;
  readonly due: readonly Due[];
}

export function openCourier(delivery: Delivery): Courier {
  const { endpoint, home, sender, patience, again = false } = delivery;
  const places = placesOf(home, endpoint.key);
  const lockOf = (session: string) => `${endpoint.key}-${session}`;
  const queue = openQueue(places.queue, endpoint.key, delivery.mostQueued, delivery.holding);
  const ledger = openLedger(places.ledger, places.queue, queue.isOurs);
  const outbox = createOutbox({
    endpoint,
    post: createPost(endpoint, { timeoutMs: delivery.timeoutMs, plainBelow: delivery.plainBelow }),
    ledger,
    queue,
    sender,
    hold: async (sessions) => {
      const { held, release } = await acquireFree(places.locks, sessions.map(lockOf));
      return { isHeld: (session) => held.has(lockOf(session)), release };
    },
    patience,
    onRequest: delivery.onRequest,
  });
  const counts: Counts = { open: 0, undated: 0, spans: 0, unsent: 0, busy: 0 };
  const lock = { waitMs: delivery.lockWaitMs ?? LOCK_WAIT_MS, signal: patience?.signal };
  const opened: Open[] = [];

  async function finish(): Promise<void> {
    try {
      await outbox.flush();
      const refused = new Set(outbox.tally.refused.map(({ traceId }) => traceId));
      for (const { load, outcome, due } of opened) {
        counts.unsent += due.filter(({ trace }) => !outcome.isSettled(trace) && !refused.has(trace.traceId)).length;
        load.done?.(outcome);
      }
    } finally {
      for (const { release } of opened.splice(0)) release();
    }
  }

  return {
    tally: outbox.tally,
    counts,
    places,
    waiting: () => queue.list().length,
    finish,
    async sendQueued() {
      // Mostly nothing waits.
      if (!existsSync(places.queue) || queue.list().length === 0) return;
      const release = await acquire(places.locks, [`queue-${endpoint.key}`], lock);
      try {
        if (release !== undefined) await outbox.sendQueued();
      } finally {
        release?.();
      }
    },
    async deliver(load) {
      const release = await acquire(places.locks, load.sessions.map(lockOf), lock);
      if (release === undefined) {
        counts.busy += load.sessions.length;
        return;
      }
      try {
        ledger.lookAgain();
        const traces = load.traces().map(withMark);
        const work = { delivery, ledger, outbox, counts, again };
        const due = dueOf(traces, load, work);
        opened.push({ load, release, outcome: outcomeOf(traces, ledger), due });
        await addAll(due, load.sessions, work);
      } catch (error) {
        release();
        for (const each of opened.splice(0)) each.release();
        throw error;
      }
      if (outbox.waiting() === 0 || opened.length >= MOST_LOADS) await finish();
    },
  };
}

/** Asked for more than once. */
function withMark(trace: TurnTrace): TurnTrace {
  let mark: string | undefined;
  return {
    ...trace,
    mark: () => {
      mark ??= trace.mark();
      return mark;
    },
  };
}

/** What was sent of a trace may be older than what it is now, such as before an agent in the background ended. */
function outcomeOf(traces: readonly TurnTrace[], ledger: Ledger): Outcome {
  return {
    traces,
    isSettled: (trace) =>
      trace.status === 'undated' || (trace.status === 'ready' && ledger.isSent(trace.traceId, trace.mark())),
  };
}

interface Work {
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly counts: Counts;
  readonly again: boolean;
}

interface Due {
  readonly trace: TurnTrace;
  readonly mark: string;
  /** Of the first, which is mostly the only one. */
  readonly made?: Made;
}

/** Spans, and how many secrets were known before they were made. */
interface Made {
  readonly spans: readonly Span[];
  readonly learnt: number | undefined;
}

/** What is over and was not sent before. */
function dueOf(traces: readonly TurnTrace[], load: Load, { delivery, ledger, counts, again }: Work): Due[] {
  const { since = Number.NEGATIVE_INFINITY } = delivery;
  for (const { status } of traces) {
    if (status === 'open') counts.open += 1;
    if (status === 'undated') counts.undated += 1;
  }
  const due: Due[] = [];
  for (const trace of traces) {
    if (trace.status !== 'ready') continue;
    const mark = trace.mark();
    if (!again && ledger.isSent(trace.traceId, mark)) continue;
    if (!again && load.sentBefore?.(trace)) {
      ledger.accept([{ traceId: trace.traceId, mark, part: 1, of: 1 }]);
      continue;
    }
    const learnt = delivery.learnt?.();
    const spans = trace.spans();
    const [root] = spans;
    if (root === undefined || root.startMs < since) continue;
    due.push({ trace, mark, ...(due.length === 0 && { made: { spans, learnt } }) });
  }
  const { content = true, revealed = false } = delivery.holding ?? {};
  if (due.length > 0 && !revealed) {
    // What turns gave away that were sent before, those after them may repeat; names may repeat what is said and not sent.
    const isShown = new Set(content ? due.map(({ trace }) => trace) : []);
    for (const trace of traces) if (!isShown.has(trace)) trace.learn();
    load.learn?.();
  }
  return due;
}

async function addAll(
  due: readonly Due[],
  sessions: readonly string[],
  { delivery, ledger, outbox, counts, again }: Work,
): Promise<void> {
  const { endpoint, patience, learnt } = delivery;
  for (const { trace, mark, made } of due) {
    // What cannot be sent or kept now is made again next time.
    if (patience?.signal?.aborted || outbox.tally.left > 0) return;
    // Made twice, unless nothing was learnt: a secret that shows itself late is then masked in what came before it, too.
    const spans = made?.learnt !== undefined && made.learnt === learnt?.() ? made.spans : trace.spans();
    const parcels = parcelsOf(spans, { traceId: trace.traceId, mark, sessions }, endpoint.dialect);
    const fresh = parcels.filter((piece) => again || ledger.stateOf(piece) === 'new');
    for (const parcel of fresh) {
      counts.spans += parcel.spans.length;
      await outbox.add(parcel);
    }
  }
}
