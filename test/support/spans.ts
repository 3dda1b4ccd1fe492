/** Recorded and built chats as traces. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import type { Circumstances } from '../../src/graph/turnstate.ts';
import type { Turn } from '../../src/graph/types.ts';
import type { Span, SpanOptions, TurnTrace } from '../../src/views/spans/index.ts';
import { tracesOfChat } from '../../src/views/spans/index.ts';
import type { Pricing } from '../../src/views/usage/facts.ts';
import { createPrices } from '../../src/views/usage/prices.ts';
import { toJsonl } from './build.ts';
import { FIXTURES } from './files.ts';
import { chatsIn, opened, recorded, type TestSession } from './sessions.ts';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Long after all that was recorded. */
export const LATER = Date.UTC(2027, 5, 1);

export const PRICING: Pricing = { mode: 'auto', ratesOf: createPrices([], LATER).ratesOf };

export const OPTIONS: SpanOptions = { hash: sha256, sessionId: 'session', pricing: PRICING, now: LATER };

export function recordings(): [string, string][] {
  const root = join(FIXTURES, 'recorded');
  return readdirSync(root).flatMap((version) =>
    readdirSync(join(root, version)).map((scenario): [string, string] => [version, scenario]),
  );
}

export function tracesIn(sessions: readonly TestSession[], options: Partial<SpanOptions> = {}): TurnTrace[] {
  return chatsIn(sessions).flatMap((chat) => tracesOfChat(opened(sessions, chat), { ...OPTIONS, ...options }));
}

export function recordedTraces(version: string, scenario: string, options?: Partial<SpanOptions>): TurnTrace[] {
  return tracesIn(recorded(version, scenario), options);
}

export function turnsIn(lines: readonly JsonObject[], circumstances: Circumstances = {}): Turn[] {
  return turnsOf(readSession(encode(toJsonl(lines)), 'session.jsonl').entries, circumstances);
}

/** `kind name` of each, by depth. */
export function outline(spans: readonly Span[]): string[] {
  const depth = new Map<string, number>();
  return spans.map(({ spanId, parentSpanId, kind, name }) => {
    const own = parentSpanId === null ? 0 : (depth.get(parentSpanId) ?? Number.NaN) + 1;
    depth.set(spanId, own);
    return `${'  '.repeat(own)}${kind} ${name}`;
  });
}
