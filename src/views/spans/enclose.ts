/**
 * Parents around their children: nothing starts before what it is part of, and what waits for something does not end before it.
 * A message is over when it is written (T7), though the calls below it still run; nobody waits for an agent in the background.
 */
import type { Span } from './types.ts';

/** Of one trace, parents before their children. Starts depend on what stands before alone, so they never change (T3). */
export function enclosed(spans: readonly Span[]): Span[] {
  const starts = new Map<string, number>();
  for (const { spanId, parentSpanId, startMs } of spans) {
    starts.set(spanId, Math.max(startMs, starts.get(parentSpanId ?? '') ?? startMs));
  }
  const latest = new Map<string, number>();
  const placed = spans.toReversed().map((span) => {
    const startMs = starts.get(span.spanId) ?? span.startMs;
    const ownMs = Math.max(startMs, span.endMs);
    const reachMs = Math.max(ownMs, latest.get(span.spanId) ?? ownMs);
    const endMs = span.kind === 'generation' ? ownMs : reachMs;
    if (span.parentSpanId !== null && isWaitedFor(span)) {
      latest.set(span.parentSpanId, Math.max(reachMs, latest.get(span.parentSpanId) ?? reachMs));
    }
    return startMs === span.startMs && endMs === span.endMs ? span : { ...span, startMs, endMs };
  });
  return placed.reverse();
}

function isWaitedFor({ kind, facts }: Span): boolean {
  return kind !== 'agent' || facts.agent?.background !== true;
}
