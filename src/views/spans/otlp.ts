/** Spans → the body of an OTLP/HTTP JSON request. 64-bit numbers are strings; texts are well formed, or servers refuse the whole request. */
import type { Json, JsonObject } from '../../format/json.ts';
import { type Attributes, type AttributeValue, attributesOf, type Loose } from './attributes.ts';
import { nameInGenAI, toGenAI } from './genai.ts';
import { toLangfuse } from './langfuse.ts';
import type { Span } from './types.ts';

export type Dialect = 'langfuse' | 'genai';

export interface Sender {
  readonly version: string;
  /** More about what sends: `service.name` and the like. */
  readonly resource?: Loose;
}

export function toOtlp(spans: readonly Span[], dialect: Dialect, sender: Sender): JsonObject {
  return otlpRequest(
    spans.map((span) => otlpSpan(span, dialect)),
    sender,
  );
}

/** Around spans that were made before, so that requests can be filled by size. */
export function otlpRequest(spans: Json[], { version, resource }: Sender): JsonObject {
  const attributes = attributesOf({ 'service.name': 'claude-code', ...resource });
  return {
    resourceSpans: [
      { resource: { attributes: keyValues(attributes) }, scopeSpans: [{ scope: { name: 'skein', version }, spans }] },
    ],
  };
}

const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;

export function otlpSpan(span: Span, dialect: Dialect): JsonObject {
  const isLangfuse = dialect === 'langfuse';
  const message = span.statusMessage?.toWellFormed();
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: (isLangfuse ? span.name : nameInGenAI(span)).toWellFormed(),
    kind: span.kind === 'generation' ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: keyValues(isLangfuse ? toLangfuse(span) : toGenAI(span)),
    status: span.level === 'error' ? { code: ERROR, ...(message !== undefined && { message }) } : {},
  };
}

function nanos(millis: number): string {
  return (BigInt(Math.trunc(millis)) * 1_000_000n).toString();
}

function keyValues(attributes: Attributes): Json[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue): JsonObject {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
