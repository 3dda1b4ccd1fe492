/** The line between two columns: dragged, or moved with the arrow keys. */
import { useRef } from 'preact/hooks';

export function Resizer({
  label,
  width,
  min,
  max,
  onWidth,
}: {
  readonly label: string;
  readonly width: number;
  readonly min: number;
  readonly max: number;
  readonly onWidth: (width: number) => void;
}) {
  const start = useRef<{ x: number; width: number } | null>(null);
  const set = (next: number) => onWidth(Math.round(Math.min(max, Math.max(min, next))));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between columns that can be moved
    <div
      class="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={(event) => {
        start.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => start.current && set(start.current.width + event.clientX - start.current.x)}
      onPointerUp={() => {
        start.current = null;
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') set(width - 16);
        else if (event.key === 'ArrowRight') set(width + 16);
      }}
    />
  );
}
