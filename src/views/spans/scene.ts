/** What all spans of one trace share, and how one is made. */
import { type Contents, createContents } from './content.ts';
import { createSpanIds } from './ids.ts';
import type { Span, SpanFacts, SpanOptions, TraceFacts } from './types.ts';

export interface Scene {
  readonly traceId: string;
  readonly trace: TraceFacts;
  readonly idOf: (what: string, key: string) => string;
  readonly contents: Contents;
  readonly options: SpanOptions;
}

export function sceneOf(traceId: string, trace: TraceFacts, options: SpanOptions): Scene {
  const idOf = createSpanIds(traceId, options.hash);
  return { traceId, trace, idOf, contents: createContents(options), options };
}

const NOTHING: Omit<SpanFacts, 'trace'> = {
  agent: null,
  generation: null,
  tool: null,
  event: null,
  lines: 0,
  input: null,
  output: null,
};

type Own = Omit<Span, 'traceId' | 'parentSpanId' | 'facts'> & { readonly facts: Partial<Omit<SpanFacts, 'trace'>> };

export function spanOf({ traceId, trace }: Scene, parentSpanId: string | null, { facts, endMs, ...own }: Own): Span {
  // The clock may go backwards (E12).
  const end = Math.max(own.startMs, endMs);
  return { traceId, parentSpanId, ...own, endMs: end, facts: { trace, ...NOTHING, ...facts } };
}
