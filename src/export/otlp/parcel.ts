/** What goes into requests: traces as OTLP text, cut where one is too large, filled up where they are small. */
import type { Json } from '../../format/json.ts';
import { otlpRequest, otlpSpan, type Sender } from '../../views/spans/otlp.ts';
import type { Span } from '../../views/spans/types.ts';
import type { Dialect } from './endpoint.ts';
import type { Piece } from './ledger.ts';

/** A piece with its spans, each as JSON. */
export interface Parcel extends Piece {
  readonly spans: readonly string[];
  /** Nobody sends it without the locks of these. Older versions did not write it to the queue. */
  readonly sessions: readonly string[];
}

/** T2. */
export const MOST_SPANS = 500;
/** Servers refuse requests of some megabytes; one span may be larger. */
export const MOST_BYTES = 3_000_000;

export function parcelsOf(
  spans: readonly Span[],
  { traceId, mark, sessions }: Pick<Parcel, 'traceId' | 'mark' | 'sessions'>,
  dialect: Dialect,
): Parcel[] {
  const texts = spans.map((span) => JSON.stringify(otlpSpan(span, dialect === 'otlp' ? 'genai' : 'langfuse')));
  const parts = fill(texts, (text) => ({ spans: 1, bytes: Buffer.byteLength(text) }));
  return parts.map((some, index) => ({ traceId, mark, part: index + 1, of: parts.length, spans: some, sessions }));
}

export function sizeOf({ spans }: Parcel): Size {
  return { spans: spans.length, bytes: spans.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}

export interface Size {
  readonly spans: number;
  readonly bytes: number;
}

export function fits(a: Size, b: Size): boolean {
  return a.spans + b.spans <= MOST_SPANS && a.bytes + b.bytes <= MOST_BYTES;
}

function fill<T>(items: readonly T[], measure: (item: T) => Size): T[][] {
  const filled: T[][] = [];
  let room: Size = { spans: MOST_SPANS, bytes: MOST_BYTES };
  for (const item of items) {
    const size = measure(item);
    const last = filled.at(-1);
    if (last !== undefined && fits(room, size)) {
      last.push(item);
      room = { spans: room.spans + size.spans, bytes: room.bytes + size.bytes };
    } else {
      filled.push([item]);
      room = size;
    }
  }
  return filled;
}

/** Around spans that are JSON already. */
export function bodyOf(parcels: readonly Parcel[], sender: Sender): string {
  const spans: Json[] = ['\u0000spans'];
  const [before = '', after = ''] = JSON.stringify(otlpRequest(spans, sender)).split(JSON.stringify(spans[0]));
  return `${before}${parcels.flatMap((parcel) => parcel.spans).join(',')}${after}`;
}
