/** Bars on the axis. One can be reached by Tab, the others by the arrow keys. */
import { elementsIn, focusBeside } from '../list/focus.ts';
import { type Axis, type Lane, type Span, spanText } from './spans.ts';

export interface LanesProps {
  readonly lanes: readonly Lane[];
  readonly axis: Axis;
  readonly onGo: (uuid: string) => void;
  readonly onSee: (span: Span | null) => void;
}

export function Lanes({ lanes, axis, onGo, onSee }: LanesProps) {
  const first = lanes[0]?.spans[0]?.key;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons in it
    <div class="lanes" onKeyDown={moveBetween}>
      {lanes.map(({ spans }, index) => (
        <div key={index} class="lane">
          {spans.map((span) => (
            <button
              type="button"
              key={span.key}
              class={`span ${span.kind}`}
              data-status={span.status ?? undefined}
              data-agent={span.agent !== null || undefined}
              tabIndex={span.key === first ? 0 : -1}
              aria-label={spanText(span)}
              disabled={span.uuid === null}
              ref={(element) => place(element, span, axis)}
              onPointerEnter={() => onSee(span)}
              onPointerLeave={() => onSee(null)}
              onFocus={() => onSee(span)}
              onBlur={() => onSee(null)}
              onClick={() => span.uuid !== null && onGo(span.uuid)}
            >
              <span class="span-name" aria-hidden="true">
                {span.kind === 'call' ? span.name : ''}
              </span>
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

function place(element: HTMLElement | null, { start, end }: Span, axis: Axis): void {
  const length = axis.end - axis.start;
  element?.style.setProperty('left', `${((start - axis.start) / length) * 100}%`);
  element?.style.setProperty('width', `${((end - start) / length) * 100}%`);
}

function moveBetween(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const left = (bar: HTMLElement) => bar.getBoundingClientRect().left;
  const bars = elementsIn(event.currentTarget, 'button.span:not(:disabled)').sort((a, b) => left(a) - left(b));
  focusBeside(bars, step);
  event.preventDefault();
}
