/** A calendar: weeks as columns, days from Monday down, darker by rank. */
import { useState } from 'preact/hooks';
import { daysBetween, weekOf } from '../../src/views/usage/days.ts';
import { levels } from '../../src/views/usage/plot.ts';
import { costOfRow, counted } from './amounts.ts';
import { type Sum, summed, type UsageRow } from './series.ts';
import { keyText } from './spans.ts';
import { Tip } from './Tip.tsx';
import { useWidth } from './useWidth.ts';

const GAP = 3;
/** From one day to the next: as much as the page has room for, within reason. */
const STEPS = { least: 16, most: 19 };
const WEEKS = 53;
const LEFT = 30;
const TOP = 16;
const LEVELS = 4;
const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];

export interface HeatMapProps {
  readonly rows: readonly UsageRow[];
  readonly first: string;
  readonly last: string;
  readonly onExplain: (day: string) => void;
}

export function HeatMap({ rows, first, last, onExplain }: HeatMapProps) {
  const { box, width } = useWidth();
  const [at, setAt] = useState<string | null>(null);
  const days = new Map(summed(rows, 'day').map((sum) => [sum.key, sum]));
  const known = [...days.keys()].filter((day) => /^\d/.test(day)).sort();
  const step = Math.min(STEPS.most, Math.max(STEPS.least, Math.floor((width - LEFT) / WEEKS)));
  const cell = step - GAP;
  const room = Math.max(1, Math.floor((width - LEFT) / step));
  const weeks = daysBetween(weekOf(first), last)
    .filter((_, index) => index % 7 === 0)
    .slice(-room);
  const level = levels(
    [...days.values()].map(({ costUSD }) => costUSD ?? 0),
    LEVELS,
  );
  const shown = daysBetween(weeks[0] ?? first, last);
  const place = (day: string) => {
    const index = shown.indexOf(day);
    return { x: LEFT + Math.floor(index / 7) * step, y: TOP + (index % 7) * step };
  };
  const dayAt = ({ offsetX, offsetY }: MouseEvent) => {
    const [week, weekday] = [Math.floor((offsetX - LEFT) / step), Math.floor((offsetY - TOP) / step)];
    return week < 0 || weekday < 0 || weekday > 6 ? null : (shown[week * 7 + weekday] ?? null);
  };
  const explainDay = (day: string | null) => {
    if (day !== null && days.has(day)) onExplain(day);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 7, ArrowLeft: -7, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const index = at === null ? shown.length - 1 : shown.indexOf(at) + step;
      setAt(shown[Math.min(shown.length - 1, Math.max(0, index))] ?? null);
    } else if (event.key === 'Enter' || event.key === ' ') explainDay(at);
    else return;
    event.preventDefault();
  };
  return (
    <figure class="plot heat">
      <div class="plot-box" ref={box}>
        <svg
          width={LEFT + weeks.length * step}
          height={TOP + 7 * step}
          role="application"
          aria-roledescription="calendar"
          aria-label="Cost of each day. Arrow keys go from day to day, Enter explains one."
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move between its days
          tabIndex={0}
          onKeyDown={onKeyDown}
          onPointerMove={(event) => setAt(dayAt(event))}
          onClick={(event) => explainDay(dayAt(event))}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
        >
          {WEEKDAYS.map((name, index) => (
            <text key={index} class="plot-label" x={0} y={TOP + index * step + cell / 2} dy="0.32em">
              {name}
            </text>
          ))}
          <Months weeks={weeks} last={last} step={step} />
          {shown.map((day) => {
            const { x, y } = place(day);
            const cost = days.get(day)?.costUSD ?? 0;
            return (
              <rect
                key={day}
                class={`heat-${level(cost)}${day === at ? ' here' : ''}`}
                x={x}
                y={y}
                width={cell}
                height={cell}
                rx={2}
              />
            );
          })}
        </svg>
        {at !== null && (
          <Tip x={place(at).x} y={place(at).y + step} width={width}>
            {dayText(at, days.get(at))}
          </Tip>
        )}
      </div>
      <p class="visually-hidden" role="status">
        {at !== null && dayText(at, days.get(at))}
      </p>
      <div class="visually-hidden">
        <table>
          <caption>Cost of each day</caption>
          <tbody>
            {known.map((day) => (
              <tr key={day}>
                <th scope="row">{keyText(day, 'day', false)}</th>
                <td>{costOfRow(days.get(day) ?? NOTHING)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

const NOTHING = { costUSD: 0, unpriced: 0, messages: 0 };

function dayText(day: string, sum: Sum | undefined): string {
  return `${keyText(day, 'day', false)}: ${sum ? `${costOfRow(sum)}, ${counted(sum.messages, 'message')}` : 'nothing'}`;
}

/** Each month over the week its first day is in. */
function Months({
  weeks,
  last,
  step,
}: {
  readonly weeks: readonly string[];
  readonly last: string;
  readonly step: number;
}) {
  const monthOf = (monday: string) => [endOfWeek(monday), last].sort()[0]?.slice(0, 7) ?? '';
  const labels = weeks.flatMap((monday, index) => {
    const month = monthOf(monday);
    const before = weeks[index - 1];
    return before === undefined || monthOf(before) !== month ? [{ month, index }] : [];
  });
  const apart = labels.filter(({ index }, place) => (labels[place + 1]?.index ?? weeks.length) - index > 1);
  return (
    <>
      {apart.map(({ month, index }) => (
        <text key={month} class="plot-label" x={LEFT + index * step} y={10}>
          {MONTH.format(Date.parse(`${month}-01T00:00:00Z`))}
        </text>
      ))}
    </>
  );
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' });

function endOfWeek(monday: string): string {
  return new Date(Date.parse(`${monday}T00:00:00Z`) + 6 * 86_400_000).toISOString().slice(0, 10);
}
