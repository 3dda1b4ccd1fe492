/** One turn on a time axis. Stands under the turn's prompt when it is opened. */
import { useState } from 'preact/hooks';
import type { PageTurn } from '../../src/views/page/types.ts';
import { duration } from '../parts/clock.ts';
import { counted } from '../usage/amounts.ts';
import { useWidth } from '../usage/useWidth.ts';
import { Agents } from './Agents.tsx';
import { Lanes } from './Lanes.tsx';
import { axisOf, lanesOf, type Span, spansOf, spanText, timeTicks } from './spans.ts';

export interface WaterfallProps {
  readonly turn: PageTurn;
  /** Goes to an item of the turn by the entry it was made of. */
  readonly onGo: (uuid: string) => void;
}

export function Waterfall({ turn, onGo }: WaterfallProps) {
  const spans = spansOf([turn]);
  const axis = axisOf(spans);
  const { box, width } = useWidth();
  const [seen, setSeen] = useState<Span | null>(null);
  if (axis === undefined) return <p class="waterfall quiet small">No times were recorded in this turn.</p>;
  const length = axis.end - axis.start;
  return (
    <figure class="waterfall" aria-label="Timeline of the turn">
      <figcaption class="small quiet number" aria-live="polite">
        {seen ? spanText(seen) : summary(spans, length)}
      </figcaption>
      <div class="waterfall-box" ref={box}>
        <div class="waterfall-axis" aria-hidden="true">
          {timeTicks(axis, width).map((tick) => (
            <span key={tick} ref={(element) => element?.style.setProperty('left', `${(tick / length) * 100}%`)}>
              {tick === 0 ? '0' : duration(tick)}
            </span>
          ))}
        </div>
        <Lanes lanes={lanesOf(spans)} axis={axis} onGo={onGo} onSee={setSeen} />
        <Agents spans={spans} axis={axis} path={[]} onGo={onGo} onSee={setSeen} />
      </div>
    </figure>
  );
}

function summary(spans: readonly Span[], length: number): string {
  const [generations, calls] = [
    spans.filter(({ kind }) => kind === 'generation'),
    spans.filter(({ kind }) => kind === 'call'),
  ];
  const busy = (own: readonly Span[]) => duration(covered(own));
  return `${duration(length)} · ${counted(generations.length, 'generation')} ${busy(generations)} · ${counted(calls.length, 'call')} ${busy(calls)}`;
}

/** What runs at the same time counts once. */
function covered(spans: readonly Span[]): number {
  let [sum, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    sum += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return sum;
}
