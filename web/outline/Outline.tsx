/** The prompts of a chat beside its text. */
import { useEffect, useRef } from 'preact/hooks';
import type { TurnHead } from '../../src/views/page/types.ts';
import { MarkSign } from '../list/Marks.tsx';
import { Masked } from '../list/Masked.tsx';
import { useVirtual } from '../parts/useVirtual.ts';

export interface OutlineProps {
  readonly turns: readonly TurnHead[];
  /** Index of the turn that is read now. */
  readonly current: number;
  readonly onGo: (index: number) => void;
}

const ROW = 28;

export function Outline({ turns, current, onGo }: OutlineProps) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtual({
    count: turns.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: (index) => index,
    overscan: 10,
  });
  // Follows the text, unless someone is reading the outline itself.
  useEffect(() => {
    if (box.current?.matches(':hover, :focus-within') === true || current < 0) return;
    virtual.scrollToIndex(current, { align: 'auto' });
  }, [current, turns.length]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons in it
    <div
      class="outline"
      ref={box}
      onKeyDown={(event) => moveBetween(event, turns.length, (index) => virtual.scrollToIndex(index))}
    >
      <ol class="outline-all" ref={(element) => element?.style.setProperty('height', `${virtual.getTotalSize()}px`)}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const turn = turns[index];
          return turn === undefined ? null : (
            <li
              key={index}
              class="outline-one"
              ref={(element) => element?.style.setProperty('transform', `translateY(${start}px)`)}
            >
              <Line turn={turn} here={index === current} onGo={() => onGo(index)} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Line({ turn, here, onGo }: { readonly turn: TurnHead; readonly here: boolean; readonly onGo: () => void }) {
  const { number, prompt, failures, compacted, forks, state, index } = turn;
  return (
    <button
      type="button"
      class="outline-row"
      data-index={index}
      aria-current={here ? 'true' : undefined}
      tabIndex={here ? 0 : -1}
      title={prompt}
      onClick={onGo}
    >
      <span class="outline-number number">{number > 0 ? number : ''}</span>
      <span class="outline-text" dir="auto">
        <Masked text={prompt === '' ? 'Before the first prompt' : prompt} />
      </span>
      {compacted && <MarkSign mark="compacted" />}
      {forks.length > 0 && <MarkSign mark="branched" />}
      {failures > 0 && <MarkSign mark="errors" />}
      {state === 'interrupted' && <span class="chip bad">stopped</span>}
      {state === 'open' && <MarkSign mark="live" />}
    </button>
  );
}

function moveBetween(
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  count: number,
  reveal: (index: number) => void,
): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = Number(document.activeElement instanceof HTMLElement ? document.activeElement.dataset.index : Number.NaN);
  if (step === undefined || Number.isNaN(at)) return;
  const next = Math.max(0, Math.min(count - 1, at + step));
  reveal(next);
  event.currentTarget.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus({ preventScroll: true });
  event.preventDefault();
}
