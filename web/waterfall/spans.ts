/** A turn as spans of time, and the lanes they are drawn in. */

import type { ToolStatus } from '../../src/graph/types.ts';
import type { AgentRow, PageTurn } from '../../src/views/page/types.ts';
import { shortModel } from '../../src/views/usage/amounts.ts';
import { duration } from '../parts/clock.ts';

export interface Span {
  readonly key: string;
  readonly kind: 'generation' | 'call';
  readonly name: string;
  readonly detail: string;
  readonly start: number;
  readonly end: number;
  readonly uuid: string | null;
  readonly status: ToolStatus | null;
  readonly agent: AgentRow | null;
}

export interface Lane {
  readonly kind: Span['kind'];
  readonly spans: readonly Span[];
}

/** Whatever has a time; what has not ended goes on until the end of the turn. */
export function spansOf(turns: readonly PageTurn[]): Span[] {
  return turns.flatMap((turn) => {
    const turnEnd = Date.parse(turn.ended ?? '');
    const between = (started: string | null, ended: string | null, ms: number | null = null) => {
      const start = Date.parse(started ?? ended ?? '');
      const end = Date.parse(ended ?? '');
      const until = Number.isNaN(end) ? (ms === null ? turnEnd : start + ms) : end;
      return { start, end: Number.isNaN(until) ? start : Math.max(start, until) };
    };
    const generations = turn.generations.map(
      ({ id, uuid, model, started, ended, usage }, index): Span => ({
        key: `g${turn.index}.${index} ${id}`,
        kind: 'generation',
        name: model ?? 'model',
        detail: usage === null ? '' : `${usage.output.toLocaleString('en')} tokens out`,
        ...between(started, ended),
        uuid,
        status: null,
        agent: null,
      }),
    );
    const calls = turn.items.flatMap((item, index): Span[] => {
      if (item.type !== 'call') return [];
      const { id, name, argument, status, started, ended, durationMs, agent } = item.call;
      const time = between(started, ended, durationMs);
      return [
        {
          key: `c${turn.index}.${index} ${id}`,
          kind: 'call',
          name,
          detail: argument,
          ...time,
          uuid: item.uuid,
          status,
          agent,
        },
      ];
    });
    return [...generations, ...calls].filter(({ start, end }) => !Number.isNaN(start) && !Number.isNaN(end));
  });
}

/** Generations above, tools below; what overlaps is side by side, each in the first lane that is free. */
export function lanesOf(spans: readonly Span[]): Lane[] {
  return (['generation', 'call'] as const).flatMap((kind) => {
    const lanes: Span[][] = [];
    for (const span of spans
      .filter((each) => each.kind === kind)
      .toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      const free = lanes.find(
        (lane) => (lane.at(-1)?.end ?? 0) <= span.start && (lane.at(-1)?.start ?? 0) < span.start,
      );
      if (free) free.push(span);
      else lanes.push([span]);
    }
    return lanes.map((own) => ({ kind, spans: own }));
  });
}

export interface Axis {
  readonly start: number;
  readonly end: number;
}

export function axisOf(spans: readonly Span[]): Axis | undefined {
  if (spans.length === 0) return undefined;
  const start = Math.min(...spans.map((span) => span.start));
  const end = Math.max(...spans.map((span) => span.end));
  return { start, end: Math.max(end, start + 1) };
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400].map(
  (s) => s * 1000,
);

const LABEL = 64;

/** Whole seconds, minutes or hours from the start, few enough for the width; none so near the end that it would be cut. */
export function timeTicks({ start, end }: Axis, width: number): number[] {
  const length = end - start;
  const step = STEPS.find((each) => length / each <= width / LABEL) ?? length;
  const ticks = Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
  return ticks.filter((tick) => tick === 0 || (1 - tick / length) * width >= LABEL * 0.6);
}

/** In words. */
export function spanText({ kind, name, detail, start, end, status }: Span): string {
  const what = kind === 'generation' ? shortModel(name) : name;
  const told = status === null || status === 'ok' ? '' : ` · ${status}`;
  return `${what} · ${duration(end - start)}${told}${detail === '' ? '' : ` · ${detail.slice(0, 120)}`}`;
}
