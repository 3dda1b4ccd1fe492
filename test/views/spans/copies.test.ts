import { describe, expect, test } from 'vitest';
import type { TurnTrace } from '../../../src/views/spans/index.ts';
import { isMore } from '../../../src/views/spans/index.ts';
import { recorded } from '../../support/sessions.ts';
import { recordings, tracesIn } from '../../support/spans.ts';

/** Each session by itself, beside all of a recording read together. */
function readings(version: string, scenario: string): [TurnTrace, TurnTrace | undefined][] {
  const sessions = recorded(version, scenario);
  const whole = new Map(tracesIn(sessions).map((trace) => [trace.traceId, trace]));
  return sessions.flatMap((one) =>
    tracesIn([one]).map((trace) => [trace, whole.get(trace.traceId)] as [TurnTrace, TurnTrace | undefined]),
  );
}

describe('T3, H1: a turn that resumes and forks copy into other files', () => {
  const copying = recordings().filter(([, scenario]) => /resume|interactive|parallel|hooks|slash/.test(scenario));

  test.each(copying)('%s %s: every copy has the ids of the original, and no more than it', (version, scenario) => {
    const pairs = readings(version, scenario);
    expect(pairs.length).toBeGreaterThan(0);
    for (const [own, whole] of pairs) {
      if (whole === undefined) expect.fail(`turn ${own.turn} has an id of its own`);
      if (own.status !== 'ready') continue;
      expect(isMore(own.mark(), whole.mark())).toBe(false);
      const ids = new Set(whole.spans().map(({ spanId }) => spanId));
      expect(own.spans().filter(({ spanId }) => !ids.has(spanId))).toEqual([]);
    }
  });

  test.each([
    ['2.0.50', 'f-resume'],
    ['2.0.76', 'f-resume'],
    ['2.1.45', 'f-resume'],
  ])('%s %s: the copy is the same row: every start time too', (version, scenario) => {
    let compared = 0;
    const seen = new Map<string, number>();
    for (const [own, whole] of readings(version, scenario)) {
      seen.set(own.traceId, (seen.get(own.traceId) ?? 0) + 1);
      const starts = new Map(whole?.spans().map(({ spanId, startMs }) => [spanId, startMs]));
      for (const { spanId, startMs } of own.spans()) {
        expect(startMs).toBe(starts.get(spanId));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(10);
    expect([...seen.values()].filter((times) => times > 1).length).toBeGreaterThan(3);
  });
});
