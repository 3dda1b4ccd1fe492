/** What exporters use. */

export { toGenAI } from './genai.ts';
export { toLangfuse } from './langfuse.ts';
export { type Dialect, otlpRequest, otlpSpan, type Sender, toOtlp } from './otlp.ts';
export { isMore, tracesOfAgents, tracesOfChat, tracesOfTurns } from './traces.ts';
export { spanTree } from './tree.ts';
export { spansOfStray, spansOfTurn, turnTraceId } from './turn.ts';
export type { Hash, Span, SpanFacts, SpanOptions, TurnTrace } from './types.ts';
