/**
 * Parcels → requests. What a request brought is written down only after the server took it; what could not be sent goes to the
 * queue; a parcel that the server refuses does not hold back the others in its request.
 */
import type { Sender } from '../../views/spans/otlp.ts';
import type { Endpoint } from './endpoint.ts';
import { ExportError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { bodyOf, fits, type Parcel, type Size, sizeOf } from './parcel.ts';
import type { Answer, Post } from './post.ts';
import type { Queue } from './queue.ts';
import { type Patience, sendPatiently } from './retry.ts';

export interface Refusal {
  readonly traceId: string;
  readonly spans: number;
  /** The server's. */
  readonly words: string;
}

export interface Tally {
  requests: number;
  /** Spans that the server took, and traces that it has whole. */
  sent: number;
  turns: number;
  /** Spans that wait on disk. */
  queued: number;
  /** Spans that were neither sent nor queued; they are made again next time. */
  left: number;
  refused: Refusal[];
  /** Spans that the server did not take of requests that it took; they are not sent again. */
  rejected: number;
  /** What it said of these, or beside taking all: each once. */
  said: string[];
  /** Why nothing can be sent now. */
  offline: string | undefined;
  /** Why a request was given up. */
  trouble: string | undefined;
}

export interface Outbox {
  readonly tally: Tally;
  /** Parcels that were added and not sent yet. */
  waiting(): number;
  add(parcel: Parcel): Promise<void>;
  /** Sends what was added and not sent yet. */
  flush(): Promise<void>;
  /** Sends what waits on disk, as far as this run may. */
  sendQueued(): Promise<void>;
}

/** Of these sessions those that nobody else is sending, and nobody will before they are given back. */
export type Hold = (
  sessions: readonly string[],
) => Promise<{ readonly isHeld: (session: string) => boolean; readonly release: () => void }>;

export interface OutboxOptions {
  readonly endpoint: Endpoint;
  readonly post: Post;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly sender: Sender;
  /** For what waits on disk: whoever adds parcels holds their sessions. */
  readonly hold: Hold;
  readonly patience?: Patience;
  /** Told after each request that was taken. */
  readonly onRequest?: (tally: Tally) => void;
}

/** The server takes no request like it: smaller ones may pass. */
const SPLIT = new Set([400, 413, 422]);
/** A single trace of which spans were not taken is sent this often. */
const PARTIAL_TRIES = 4;
const MOST_SAID = 5;
const EMPTY: Size = { spans: 0, bytes: 0 };

export function createOutbox(options: OutboxOptions): Outbox {
  const { endpoint, post, ledger, queue, sender, patience } = options;
  const tally: Tally = {
    requests: 0,
    sent: 0,
    turns: 0,
    queued: 0,
    left: 0,
    refused: [],
    rejected: 0,
    said: [],
    offline: undefined,
    trouble: undefined,
  };
  let waiting: Parcel[] = [];
  let size = EMPTY;
  let failed = 0;
  const whole = new Set<string>();

  async function request(parcels: readonly Parcel[]): Promise<Answer> {
    const counted: Post = (body, signal) => {
      tally.requests += 1;
      return post(body, signal);
    };
    return sendPatiently(counted, bodyOf(parcels, sender), patience);
  }

  /** false: it may be taken another time. */
  async function send(parcels: readonly Parcel[], tried = 1): Promise<boolean> {
    if (tally.offline !== undefined) return false;
    const answer = await request(parcels);
    if (answer.type === 'accepted' || (answer.type === 'partial' && !isKeyed(endpoint))) {
      failed = 0;
      accepted(parcels);
      told(answer, parcels);
      options.onRequest?.(tally);
      return true;
    }
    failed = answer.type === 'busy' ? failed + 1 : 0;
    if (answer.type === 'busy') {
      // A server that answers may only dislike this one request; it must not hold back all others.
      if (answer.status === undefined || failed > 1 || patience?.signal?.aborted) tally.offline = answer.words;
      tally.trouble = answer.words;
      return false;
    }
    if (answer.type === 'refused' && !SPLIT.has(answer.status)) throw refusal(endpoint, answer.status, answer.words);
    if (parcels.length > 1) {
      const half = Math.ceil(parcels.length / 2);
      const sides = [await send(parcels.slice(0, half)), await send(parcels.slice(half))];
      return sides.every(Boolean);
    }
    if (answer.type === 'partial' && tried < PARTIAL_TRIES) return send(parcels, tried + 1);
    for (const { traceId, spans } of parcels) {
      tally.refused.push({ traceId, spans: spans.length, words: wordsOf(answer) });
    }
    return true;
  }

  function accepted(parcels: readonly Parcel[]): void {
    ledger.accept(parcels);
    for (const parcel of parcels) {
      tally.sent += parcel.spans.length;
      if (ledger.isSent(parcel.traceId, parcel.mark)) whole.add(`${parcel.traceId} ${parcel.mark}`);
    }
    tally.turns = whole.size;
  }

  function told(answer: Extract<Answer, { type: 'accepted' | 'partial' }>, parcels: readonly Parcel[]): void {
    const words = answer.type === 'partial' ? answer.words : answer.warning;
    if (answer.type === 'partial') {
      const most = parcels.reduce((sum, { spans }) => sum + spans.length, 0);
      const rejected = Math.min(most, Math.ceil(answer.rejected));
      tally.rejected += rejected;
      tally.sent -= rejected;
    }
    if (words && tally.said.length < MOST_SAID && !tally.said.includes(words)) tally.said.push(words);
  }

  /** Of parcels sent in halves, some may have been taken. */
  function keep(parcels: readonly Parcel[]): void {
    const refused = new Set(tally.refused.map(({ traceId }) => traceId));
    const unsent = parcels.filter((piece) => ledger.stateOf(piece) === 'new' && !refused.has(piece.traceId));
    if (unsent.length === 0) return;
    // Who stops it runs it again.
    const file = patience?.signal?.aborted ? undefined : queue.put(unsent);
    const spans = unsent.reduce((sum, parcel) => sum + parcel.spans.length, 0);
    if (file === undefined) tally.left += spans;
    else {
      ledger.queue(unsent, file);
      tally.queued += spans;
    }
  }

  /** What is left of a file in the queue. */
  async function sendWaiting(parcels: readonly Parcel[], isOurs: boolean): Promise<'nothing' | 'behind' | 'some'> {
    // Whoever is sending one of the sessions may be sending more of the same turn, and nobody may while this is sent, as often as it takes.
    const { isHeld, release } = await options.hold(isOurs ? parcels.flatMap(({ sessions }) => sessions) : []);
    try {
      ledger.lookAgain();
      const unsent = parcels.filter((piece) => !isPast(piece));
      const isNewest = (piece: Parcel) => ledger.stateOf(piece) !== 'behind';
      const newest = unsent.filter(isNewest);
      const due = isOurs ? newest.filter(({ sessions }) => sessions.every(isHeld)) : [];
      if (due.length > 0 && !(await send(due))) return 'some';
      if (due.length < newest.length) return 'some';
      return newest.length < unsent.length ? 'behind' : 'nothing';
    } finally {
      release();
    }
  }

  /** Another run may have sent the turn since, with more in it or cut in other parts. */
  function isPast(piece: Parcel): boolean {
    const state = ledger.stateOf(piece);
    return state === 'accepted' || state === 'outdated' || ledger.isSent(piece.traceId, piece.mark);
  }

  async function flush(): Promise<void> {
    const parcels = waiting;
    waiting = [];
    size = EMPTY;
    if (parcels.length > 0 && !(await send(parcels))) keep(parcels);
  }

  return {
    tally,
    waiting: () => waiting.length,
    flush,
    async add(parcel) {
      const own = sizeOf(parcel);
      if (!fits(size, own)) await flush();
      waiting.push(parcel);
      size = { spans: size.spans + own.spans, bytes: size.bytes + own.bytes };
    },
    async sendQueued() {
      const files = queue.list();
      const seen = new Set<string>();
      for (const file of files) {
        if (tally.offline !== undefined) return;
        const parcels = queue.take(file);
        if (parcels === undefined) continue;
        const left = await sendWaiting(parcels, queue.isOurs(file));
        if (left === 'nothing') queue.remove(file);
        // Looked at once more when what it is behind was sent, or refused.
        if (left === 'behind' && !seen.has(file)) files.push(file);
        seen.add(file);
      }
    },
  };
}

/**
 * Of a request taken in part OTLP says that it must not be sent again: a backend would have those spans twice that it took. Langfuse
 * keeps one row for an id and a start time (T3), so there the rest may still arrive.
 */
function isKeyed({ dialect }: Endpoint): boolean {
  return dialect === 'langfuse';
}

function wordsOf(answer: Exclude<Answer, { type: 'accepted' }>): string {
  if (answer.type !== 'partial') return answer.words;
  return notTaken(answer.rejected, answer.words === '' ? [] : [answer.words]);
}

export function notTaken(spans: number, said: readonly string[]): string {
  const count = spans === 1 ? '1 span was not taken' : `${spans} spans were not taken`;
  return said.length === 0 ? count : `${count}: ${said.join(' · ')}`;
}

/** No request would be taken. */
function refusal({ shown, dialect }: Endpoint, status: number, words: string): ExportError {
  const keys = dialect === 'langfuse' ? 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY' : 'OTEL_EXPORTER_OTLP_HEADERS';
  const next =
    status === 401 || status === 403
      ? `Check ${keys}; what was not sent is sent next time.`
      : 'Check the endpoint; what was not sent is sent next time.';
  return new ExportError({ what: `The server refuses the spans: ${words}`, where: shown, next });
}
