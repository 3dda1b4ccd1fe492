/** A small box beside what the pointer is on. */
import type { ComponentChildren } from 'preact';

export interface TipProps {
  readonly x: number;
  readonly y?: number;
  /** Of what it must stay in. */
  readonly width: number;
  readonly children: ComponentChildren;
}

const WIDTH = 220;
const BESIDE = 10;

export function Tip({ x, y = 8, width, children }: TipProps) {
  const left = x + BESIDE + WIDTH > width ? Math.max(0, x - BESIDE - WIDTH) : x + BESIDE;
  return (
    <div
      class="tip small"
      aria-hidden="true"
      ref={(element) => {
        element?.style.setProperty('left', `${left}px`);
        element?.style.setProperty('top', `${y}px`);
      }}
    >
      {children}
    </div>
  );
}
