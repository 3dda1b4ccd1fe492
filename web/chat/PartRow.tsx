/** The place of items that are not here yet: many screens high, so that being drawn does not mean being near. */
import { useEffect, useRef } from 'preact/hooks';
import { partHeight } from './rows.ts';
import type { ChatStore } from './store.ts';

const NEAR = '800px 0px';
const AGAIN_MS = 3000;

export function PartRow({
  turn,
  part,
  count,
  store,
}: {
  readonly turn: number;
  readonly part: number;
  readonly count: number;
  readonly store: ChatStore;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const seen = new IntersectionObserver(
      async (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        await store.needPart(turn, part);
        // Had it come, this place would be gone.
        seen.unobserve(current);
        timer = setTimeout(() => seen.observe(current), AGAIN_MS);
      },
      { root: current.closest('.scroller'), rootMargin: NEAR },
    );
    seen.observe(current);
    return () => {
      seen.disconnect();
      clearTimeout(timer);
    };
  }, [turn, part, store]);
  return (
    <div class="unloaded" ref={box} style={{ minHeight: `${partHeight(count)}px` }}>
      <p class="quiet small">{count} more</p>
    </div>
  );
}
