/** Cost by day, week or month, stacked by model, project, person or team. The arrow keys go from bar to bar, Enter explains one. */
import { useState } from 'preact/hooks';
import { Legend, PlotTable, TipRows, tipText } from './PlotParts.tsx';
import { everyNth, ticks } from './scale.ts';
import { type Column, type Days, type Span, stacked, type UsageRow } from './series.ts';
import { keyText } from './spans.ts';
import { Tip } from './Tip.tsx';
import { useWidth } from './useWidth.ts';

const HEIGHT = 220;
const TOP = 8;
const BOTTOM = 22;
const LEFT = 48;
const LABEL = 58;

export interface CostPlotProps {
  readonly rows: readonly UsageRow[];
  readonly span: Span;
  /** Shown from end to end; without it from the first to the last that is known. */
  readonly days: Days | null;
  /** What it is stacked by: a key of the rows. */
  readonly by: string;
  readonly nameOf: (name: string) => string;
  readonly onExplain: (key: string) => void;
}

export function CostPlot({ rows, span, days, by, nameOf, onExplain }: CostPlotProps) {
  const data = stacked(rows, span, days, by);
  const drawn = { data, by, nameOf };
  const { box, width } = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const { columns } = data;
  const lines = ticks(Math.max(...columns.map(({ total }) => total), 0));
  const top = lines.at(-1) ?? 1;
  const step = (width - LEFT) / Math.max(1, columns.length);
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const hasLabel = everyNth(columns.length, (width - LEFT) / LABEL);
  const now = at === null ? undefined : columns[at];
  const columnAt = (x: number) => (x < LEFT ? null : Math.min(columns.length - 1, Math.floor((x - LEFT) / step)));
  const explainColumn = (column: Column | undefined) => {
    if (column !== undefined && column.total > 0) onExplain(column.key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextColumn(event.key, at, columns.length);
    if (next !== undefined) setAt(next);
    else if (event.key === 'Enter' || event.key === ' ') explainColumn(now);
    else return;
    event.preventDefault();
  };
  return (
    <figure class="plot">
      <Legend {...drawn} />
      <div class="plot-box" ref={box}>
        <svg
          width={width}
          height={HEIGHT}
          role="application"
          aria-roledescription="bar chart"
          aria-label={`Cost by ${span}, stacked by ${by}. Arrow keys go from bar to bar, Enter explains one.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move between its bars
          tabIndex={0}
          onKeyDown={onKeyDown}
          onPointerMove={({ offsetX }) => setAt(columnAt(offsetX))}
          onClick={({ offsetX }) => explainColumn(columns[columnAt(offsetX) ?? -1])}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
        >
          {lines.map((line) => (
            <g key={line}>
              <line class="plot-line" x1={LEFT} x2={width} y1={y(line)} y2={y(line)} />
              <text class="plot-label" x={LEFT - 6} y={y(line)} dy="0.32em" text-anchor="end">
                {axisText(line, top)}
              </text>
            </g>
          ))}
          {columns.map((column, index) => (
            <g key={column.key} data-key={column.key}>
              <rect
                class={index === at ? 'plot-hover here' : 'plot-hover'}
                x={LEFT + index * step}
                y={TOP}
                width={step}
                height={HEIGHT - TOP - BOTTOM}
              />
              <Bar column={column} x={LEFT + index * step + gap(step)} width={step - 2 * gap(step)} y={y} />
              {hasLabel(index) && (
                <text
                  class="plot-label"
                  x={labelX(LEFT + (index + 0.5) * step, width)}
                  y={HEIGHT - 6}
                  text-anchor="middle"
                >
                  {keyText(column.key, span, true)}
                </text>
              )}
            </g>
          ))}
        </svg>
        {at !== null && now && (
          <Tip x={LEFT + (at + 0.5) * step} width={width}>
            <TipRows {...drawn} column={now} span={span} />
          </Tip>
        )}
      </div>
      <p class="visually-hidden" role="status">
        {now && tipText(now, drawn, span)}
      </p>
      <PlotTable {...drawn} span={span} />
    </figure>
  );
}

function gap(step: number): number {
  return Math.min(6, step * 0.12);
}

function labelX(x: number, width: number): number {
  return Math.min(width - LABEL / 2 + 6, x);
}

function axisText(value: number, top: number): string {
  return value === 0
    ? '$0'
    : top >= 10
      ? `$${Math.round(value).toLocaleString('en')}`
      : `$${value.toFixed(top >= 1 ? 1 : 2)}`;
}

function nextColumn(key: string, at: number | null, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowRight') return at === null ? 0 : Math.min(count - 1, at + 1);
  if (key === 'ArrowLeft') return at === null ? count - 1 : Math.max(0, at - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

function Bar({ column, x, width, y }: { column: Column; x: number; width: number; y: (value: number) => number }) {
  let below = 0;
  return (
    <>
      {column.parts.map((part, index) => {
        if (part === 0) return null;
        const [from, to] = [y(below), y(below + part)];
        below += part;
        return (
          <rect
            key={index}
            class={`series-${index + 1}`}
            x={x}
            y={to}
            width={Math.max(1, width)}
            height={Math.max(0.5, from - to)}
          />
        );
      })}
    </>
  );
}
