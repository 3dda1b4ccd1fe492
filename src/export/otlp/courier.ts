/** Brings turns to an endpoint, each once: what it took before is not made again, what waits on disk goes first. */
import type { Sender } from '../../views/spans/otlp.ts';
import type { TurnTrace } from '../../views/spans/types.ts';
import type { Endpoint } from './endpoint.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { acquire, type Release } from './lock.ts';
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
  /** How long to wait for another process that sends the same session. */
  readonly lockWaitMs?: number;
  /** Also what was sent before. */
  readonly again?: boolean;
  /** Only turns that began then or later, in milliseconds. */
  readonly since?: number;
  /** Turns that another program sent: noted as sent, and left out. */
  readonly sentBefore?: (trace: TurnTrace) => boolean;
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
  /** Sessions that another process is sending. */
  busy: number;
}

export interface Courier {
  readonly tally: Readonly<Tally>;
  readonly counts: Readonly<Counts>;
  readonly places: Places;
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
}

export function openCourier(delivery: Delivery): Courier {
  const { endpoint, home, sender, patience, again = false } = delivery;
  const places = placesOf(home, endpoint.key);
  const ledger = openLedger(places.ledger, places.queue);
  const outbox = createOutbox({
    endpoint,
    post: createPost(endpoint, { timeoutMs: delivery.timeoutMs }),
    ledger,
    queue: openQueue(places.queue, endpoint.key, delivery.mostQueued),
    sender,
    patience,
    onRequest: delivery.onRequest,
  });
  const counts: Counts = { open: 0, undated: 0, spans: 0, busy: 0 };
  const lock = { waitMs: delivery.lockWaitMs ?? LOCK_WAIT_MS, signal: patience?.signal };
  const opened: Open[] = [];

  async function finish(): Promise<void> {
    try {
      await outbox.flush();
      for (const { load, outcome } of opened) load.done?.(outcome);
    } finally {
      for (const { release } of opened.splice(0)) release();
    }
  }

  return {
    tally: outbox.tally,
    counts,
    places,
    finish,
    async sendQueued() {
      const release = await acquire(places.locks, [`queue-${endpoint.key}`], lock);
      try {
        if (release !== undefined) await outbox.sendQueued();
      } finally {
        release?.();
      }
    },
    async deliver(load) {
      const release = await acquire(
        places.locks,
        load.sessions.map((id) => `${endpoint.key}-${id}`),
        lock,
      );
      if (release === undefined) {
        counts.busy += load.sessions.length;
        return;
      }
      try {
        const traces = load.traces().map(withMark);
        opened.push({ load, release, outcome: outcomeOf(traces, ledger) });
        await addAll(traces, { delivery, ledger, outbox, counts, again });
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

async function addAll(traces: readonly TurnTrace[], { delivery, ledger, outbox, counts, again }: Work): Promise<void> {
  const { endpoint, since = Number.NEGATIVE_INFINITY, patience } = delivery;
  for (const { status } of traces) {
    if (status === 'open') counts.open += 1;
    if (status === 'undated') counts.undated += 1;
  }
  const due = traces.flatMap((trace) => {
    if (trace.status !== 'ready') return [];
    const mark = trace.mark();
    if (!again && ledger.isSent(trace.traceId, mark)) return [];
    if (!again && delivery.sentBefore?.(trace)) {
      ledger.accept([{ traceId: trace.traceId, mark, part: 1, of: 1 }]);
      return [];
    }
    // Made twice: a secret that shows itself late is then masked in what came before it, too.
    const [root] = trace.spans();
    return root !== undefined && root.startMs >= since ? [{ trace, mark }] : [];
  });
  for (const { trace, mark } of due) {
    // What cannot be sent or kept now is made again next time.
    if (patience?.signal?.aborted || outbox.tally.left > 0) return;
    const spans = trace.spans();
    const parcels = parcelsOf(spans, trace.traceId, mark, endpoint.dialect);
    const fresh = parcels.filter((piece) => again || ledger.stateOf(piece) === 'new');
    for (const parcel of fresh) {
      counts.spans += parcel.spans.length;
      await outbox.add(parcel);
    }
  }
}
