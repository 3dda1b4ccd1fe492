import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import '../support/properties.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import type { Chat } from '../../src/graph/chat.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import type { Span, TurnTrace } from '../../src/views/spans/index.ts';
import { isMore, toOtlp, tracesOfChat, tracesOfTurns } from '../../src/views/spans/index.ts';
import { type Layout, type Plan, plantForest } from '../support/agent-forest.ts';
import { damagedTranscript } from '../support/damage.ts';
import { generatedTranscript } from '../support/generated.ts';
import { chatsIn, onlyChat, opened, recorded, sessionOf } from '../support/sessions.ts';
import { LATER, OPTIONS, recordings } from '../support/spans.ts';

function expectWhole(traces: readonly TurnTrace[]): void {
  expect(new Set(traces.map(({ traceId }) => traceId)).size).toBe(traces.length);
  for (const trace of traces) {
    const spans = trace.spans();
    expect(spans.length > 0).toBe(trace.status === 'ready');
    expect(spans.filter(({ parentSpanId }) => parentSpanId === null)).toEqual(spans.slice(0, 1));
    const seen = new Set<string | null>([null]);
    for (const { spanId, traceId, parentSpanId, startMs, endMs } of spans) {
      expect(traceId).toBe(trace.traceId);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(seen.has(spanId)).toBe(false);
      expect(seen.has(parentSpanId)).toBe(true);
      seen.add(spanId);
      expect(Number.isSafeInteger(startMs) && startMs >= 0 && startMs <= endMs).toBe(true);
    }
    expectEnclosed(spans);
    for (const dialect of ['langfuse', 'genai'] as const) {
      const sent = JSON.stringify(toOtlp(spans, dialect, { version: '1' }));
      // No attribute without a value.
      expect(sent).not.toMatch(/"(?:string|int|double|bool|array)Value":null|"value":\{\}/);
    }
  }
}

/**
 * Parents are around their children. A message ends when it is written (T7): of the calls below it the agent is asked. An agent in
 * the background may go on when its call and its turn are over (T6).
 */
function expectEnclosed(spans: readonly Span[]): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) {
    const parent = byId.get(span.parentSpanId ?? '');
    if (parent === undefined) continue;
    expect(span.startMs).toBeGreaterThanOrEqual(parent.startMs);
    if (span.kind === 'agent' && span.facts.agent?.background) continue;
    const around = parent.kind === 'generation' ? byId.get(parent.parentSpanId ?? '') : parent;
    expect(span.endMs).toBeLessThanOrEqual(around?.endMs ?? Number.NaN);
  }
}

function tracesIn(text: string): TurnTrace[] {
  return tracesOfTurns(turnsOf(readSession(encode(text), 'file').entries, { now: LATER }), OPTIONS);
}

const sum = (spans: readonly Span[], pick: (span: Span) => number) => spans.reduce((all, span) => all + pick(span), 0);

/** Messages, tokens and calls of the spans are those of the chat. */
function expectTotals(chat: Chat, traces: readonly TurnTrace[]): void {
  const spans = traces.flatMap((trace) => trace.spans());
  const usageOf = ({ facts }: Span) => facts.generation?.usage;
  const { messages, input, output, cacheCreation, cacheRead, toolCalls } = chat.usage();
  expect({
    messages: spans.filter((span) => usageOf(span)).length,
    input: sum(spans, (span) => usageOf(span)?.input ?? 0),
    output: sum(spans, (span) => usageOf(span)?.output ?? 0),
    cacheCreation: sum(spans, (span) => usageOf(span)?.cacheCreation ?? 0),
    cacheRead: sum(spans, (span) => usageOf(span)?.cacheRead ?? 0),
    toolCalls: spans.filter(({ kind }) => kind === 'tool').length,
  }).toEqual({ messages, input, output, cacheCreation, cacheRead, toolCalls });
}

describe('T3, T5: spans of any chat', () => {
  test('ids are unique, parents stand before their children and around them, nothing ends before it starts: recordings', () => {
    let counted = 0;
    for (const [version, scenario] of recordings()) {
      const sessions = recorded(version, scenario);
      const traces = chatsIn(sessions).flatMap((summary) => {
        const chat = opened(sessions, summary);
        const own = tracesOfChat(chat, OPTIONS);
        // The scripted model of x-resume gives its ids again.
        const isCounted = !scenario.startsWith('x-resume') && own.every(({ status }) => status === 'ready');
        if (isCounted) expectTotals(chat, own);
        return own;
      });
      expectWhole(traces);
      counted += traces.length;
    }
    expect(counted).toBeGreaterThan(400);
  });

  test('the same for generated sessions', () => {
    fc.assert(
      fc.property(generatedTranscript, (text) => expectWhole(tracesIn(text))),
      { numRuns: 60 },
    );
  });

  test('the same for damaged ones, and nothing throws', () => {
    fc.assert(
      fc.property(damagedTranscript, (text) => expectWhole(tracesIn(text))),
      { numRuns: 150 },
    );
  });
});

describe('T3: what was sent stays as it is when the file grows', () => {
  /** What must be sent again is a turn in which more was said or done. */
  function expectStable(lines: readonly string[], cuts: readonly number[]): number {
    const all = new Map(tracesIn(lines.join('')).map((trace) => [trace.traceId, trace]));
    let same = 0;
    for (const cut of cuts) {
      for (const before of tracesIn(lines.slice(0, cut).join(''))) {
        if (before.status !== 'ready') continue;
        const now = all.get(before.traceId);
        const spans = now?.spans() ?? [];
        const starts = new Map(
          spans.map(({ spanId, startMs, parentSpanId }) => [spanId, `${startMs} ${parentSpanId}`]),
        );
        const sent = before.spans();
        if (now?.status === 'ready')
          for (const { spanId, startMs, parentSpanId } of sent)
            expect(starts.get(spanId)).toBe(`${startMs} ${parentSpanId}`);
        if (now?.mark() !== before.mark()) {
          if (now?.status === 'ready') expect(isMore(now.mark(), before.mark())).toBe(true);
          continue;
        }
        expect(spans).toEqual(sent);
        same += 1;
      }
    }
    return same;
  }

  test('generated sessions, cut anywhere', () => {
    let same = 0;
    fc.assert(
      fc.property(generatedTranscript, fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 4 }), (text, at) => {
        const lines = text.split(/(?<=\n)/);
        same += expectStable(
          lines,
          at.map((part) => Math.floor((part * lines.length) / 100)),
        );
      }),
      { numRuns: 60 },
    );
    expect(same).toBeGreaterThan(100);
  });

  test('recordings, cut at every line', () => {
    let same = 0;
    for (const [version, scenario] of recordings()) {
      for (const { file } of recorded(version, scenario)) {
        const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
        if (lines.length < 40) same += expectStable(lines, [...lines.keys()]);
      }
    }
    expect(same).toBeGreaterThan(1000);
  });
});

describe('L3: sub-agents below their calls', () => {
  const layout = fc.constantFrom<Layout>('meta', 'result', 'progress', 'both', 'cut');
  const plan: fc.Arbitrary<Plan> = fc.letrec<{ plan: Plan }>((tie) => ({
    plan: fc.record({
      layout,
      calls: fc.integer({ min: 1, max: 2 }),
      background: fc.boolean(),
      resumed: fc.boolean(),
      inherits: fc.boolean(),
      children: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('plan'), { maxLength: 2 })),
    }),
  })).plan;

  test('every message and call once, at any depth', () => {
    fc.assert(
      fc.property(fc.array(plan, { minLength: 1, maxLength: 2 }), (plans) => {
        const { main, files } = plantForest(plans);
        const chat = onlyChat([sessionOf('s1', main, files)]);
        const traces = tracesOfChat(chat, OPTIONS);
        expectWhole(traces);
        expectTotals(chat, traces);
        const spans = traces.flatMap((trace) => trace.spans());
        const byId = new Map(spans.map((span) => [span.spanId, span]));
        for (const span of spans) {
          if (span.kind !== 'agent' || span.parentSpanId === null) continue;
          expect(byId.get(span.parentSpanId)?.kind).toBe('tool');
        }
      }),
      { numRuns: 40 },
    );
  });
});
