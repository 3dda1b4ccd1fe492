/** What the server makes of a span (T4): the first attribute that is there wins. */
import {
  asArray,
  asNumber,
  asObject,
  asString,
  at,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/format/json.ts';

export interface Row {
  /** What makes it one row (T3). */
  readonly key: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** Nanoseconds. */
  readonly start: string;
  readonly end: string;
  readonly type: string;
  readonly name: string;
  readonly sessionId: string | null;
  readonly traceName: string | null;
  readonly input: string | null;
  readonly output: string | null;
  readonly level: string;
  readonly statusMessage: string | null;
  readonly model: string | null;
  readonly usage: Readonly<Record<string, number>>;
  readonly costUSD: number | null;
}

/** undefined: malformed, which fails the whole request (T1). */
export function toRow(span: Json): Row | undefined {
  const traceId = asString(at(span, 'traceId')) ?? '';
  const spanId = asString(at(span, 'spanId')) ?? '';
  const parentSpanId = asString(at(span, 'parentSpanId')) ?? null;
  const start = asString(at(span, 'startTimeUnixNano')) ?? '';
  const end = asString(at(span, 'endTimeUnixNano')) ?? '';
  const isSound =
    /^[0-9a-f]{32}$/.test(traceId) &&
    /^[0-9a-f]{16}$/.test(spanId) &&
    (parentSpanId === null || /^[0-9a-f]{16}$/.test(parentSpanId)) &&
    /^\d+$/.test(start) &&
    /^\d+$/.test(end) &&
    BigInt(start) <= BigInt(end);
  if (!isSound) return undefined;
  const attributes = attributesOf(asArray(at(span, 'attributes')) ?? []);
  const first = (...names: string[]) =>
    asString(names.map((name) => attributes[name]).find((each) => each !== undefined));
  const type = first('langfuse.observation.type') ?? 'span';
  const isAgent = type === 'agent';
  const failed = at(span, 'status', 'code') === 2;
  return {
    key: `${traceId} ${spanId} ${start}`,
    traceId,
    spanId,
    parentSpanId,
    start,
    end,
    type,
    name: first('gen_ai.tool.name') ?? asString(at(span, 'name')) ?? '',
    sessionId: first('langfuse.session.id', 'session.id', 'gen_ai.conversation.id') ?? null,
    traceName: first('langfuse.trace.name') ?? null,
    input: first('langfuse.observation.input') ?? null,
    output: first('langfuse.observation.output') ?? null,
    level: first('langfuse.observation.level') ?? (failed ? 'ERROR' : 'DEFAULT'),
    statusMessage: first('langfuse.observation.status_message') ?? asString(at(span, 'status', 'message')) ?? null,
    // Agent spans lose model, usage and cost.
    model: isAgent ? null : (first('langfuse.observation.model.name', 'gen_ai.response.model') ?? null),
    usage: isAgent ? {} : usageOf(attributes),
    costUSD: isAgent ? null : costOf(first('langfuse.observation.cost_details')),
  };
}

function usageOf(attributes: JsonObject): Record<string, number> {
  const details = asObject(parseJson(asString(attributes['langfuse.observation.usage_details']) ?? ''));
  const prefix = 'gen_ai.usage.';
  const found = details
    ? Object.entries(details)
    : Object.entries(attributes).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
      );
  return Object.fromEntries(found.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])));
}

function costOf(details: string | undefined): number | null {
  return asNumber(at(parseJson(details ?? ''), 'total')) ?? null;
}

function attributesOf(pairs: readonly Json[]): JsonObject {
  return Object.fromEntries(pairs.map((pair) => [asString(at(pair, 'key')) ?? '', plain(at(pair, 'value'))]));
}

/** 64-bit numbers are strings. */
function plain(value: Json | undefined): Json | undefined {
  const integer = at(value, 'intValue');
  if (integer !== undefined) return Number(integer);
  const list = asArray(at(value, 'arrayValue', 'values'));
  if (list !== undefined) return list.map((each) => plain(each) ?? null);
  return at(value, 'stringValue') ?? at(value, 'boolValue') ?? at(value, 'doubleValue');
}
