/** The rows near the window, going to one of them, and bringing in what comes near. */
import type { Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLatest } from '../parts/useLatest.ts';
import { useVirtual } from '../parts/useVirtual.ts';
import { estimatedHeight, type Row } from './rows.ts';
import type { ChatStore } from './store.ts';

/** Turns brought in before and after those that are seen. */
const AHEAD = 3;
const LOAD_EVERY_MS = 60;
/** So near to the end the page follows what is written. */
const END = 60;

/** Where `goTo` goes when there is no row behind. */
export const THE_END = 'end';

export interface Scroll {
  readonly virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  /** Goes to a row as soon as it is there. */
  readonly goTo: (key: string, align?: Align) => void;
  readonly rowAt: (key: string) => number;
  /** The first row that is seen. */
  readonly first: number;
}

const PADDING = 8;
const READ_AT = 2 * PADDING;

/** `version` of the chat: what is written is followed by a reader who is at the end. What he opens himself is not. */
export function useScroll(
  rows: readonly Row[],
  store: ChatStore,
  box: RefObject<HTMLElement | null>,
  version: string,
): Scroll {
  const rowAt = (key: string) => rows.findIndex((row) => row.key === key);
  const columns = Math.min(76, Math.max(30, Math.floor(((box.current?.clientWidth ?? 800) - 80) / 7.5)));
  const virtualizer = useVirtual({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => estimatedHeight(rows[index], columns),
    overscan: 6,
    scrollPaddingStart: PADDING,
    scrollPaddingEnd: 40,
    paddingEnd: 120,
    // What is read stays where it is, whatever comes in above; the end is followed below.
    anchorTo: 'end',
    scrollEndThreshold: -1,
  });
  const items = virtualizer.getVirtualItems();
  useLayoutEffect(() => {
    const near = box.current?.querySelector('.rows-near');
    if (!(near instanceof HTMLElement)) return;
    near.style.setProperty('transform', `translateY(${items[0]?.start ?? 0}px)`);
    near.parentElement?.style.setProperty('height', `${virtualizer.getTotalSize()}px`);
  });
  const follows = useRef({ version, on: false });
  if (follows.current.version !== version) follows.current = { version, on: isAtEnd(box.current) };
  const goTo = useGoing(virtualizer, rowAt, () => {
    follows.current.on = false;
  });
  useLayoutEffect(() => {
    if (follows.current.on) goTo(THE_END);
  }, [rows]);
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  useNear(store, rows[startIndex]?.turn ?? 0, rows[endIndex]?.turn ?? 0, virtualizer);
  // A row that was gone to stands a little below the edge; what is left of the one above is not what is read.
  const read = virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + READ_AT)?.index;
  return { virtualizer, first: read ?? startIndex, rowAt, goTo };
}

function isAtEnd(box: HTMLElement | null): boolean {
  return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < END;
}

type Align = 'start' | 'center' | 'auto';

/** What is above may still be loaded and measured: for so long the row is held where it was asked for. */
const HOLD_MS = 1000;
/** With any of these the reader takes over. */
const TAKING_OVER = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

function useGoing(
  virtualizer: Scroll['virtualizer'],
  rowAt: (key: string) => number,
  onTakenOver: () => void,
): Scroll['goTo'] {
  const wanted = useRef<{ readonly key: string; readonly align: Align; until: number } | undefined>(undefined);
  const latest = useLatest(onTakenOver);
  const send = () => {
    const { current } = wanted;
    if (current === undefined) return;
    const place = current.key === THE_END ? Number.POSITIVE_INFINITY : rowAt(current.key);
    if (place < 0) return;
    const now = performance.now();
    if (current.until === 0) current.until = now + HOLD_MS;
    if (now > current.until) wanted.current = undefined;
    else if (current.key === THE_END) virtualizer.scrollToEnd();
    else virtualizer.scrollToIndex(place, { align: current.align });
  };
  useLayoutEffect(send);
  useEffect(() => {
    const stop = () => {
      wanted.current = undefined;
      latest();
    };
    for (const name of TAKING_OVER) addEventListener(name, stop, { capture: true, passive: true });
    return () => {
      for (const name of TAKING_OVER) removeEventListener(name, stop, { capture: true });
    };
  }, []);
  return (key, align = 'start') => {
    wanted.current = { key, align, until: 0 };
    send();
  };
}

/** Who goes faster than so many windows in that time does not read: nothing is brought in until he slows down. */
const FAST = 3;

/** Brings in the turns around those that are seen, not more often than an answer takes. */
function useNear(store: ChatStore, from: number, to: number, virtualizer: Scroll['virtualizer']): void {
  const near = useRef({ from, to });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  near.current = { from, to };
  useEffect(() => {
    if (timer.current !== undefined) return;
    const start = () => {
      const before = virtualizer.scrollOffset ?? 0;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        const moved = Math.abs((virtualizer.scrollOffset ?? 0) - before);
        if (moved > FAST * (virtualizer.scrollRect?.height ?? 1000)) start();
        else void store.need(near.current.from - AHEAD, near.current.to + 1 + AHEAD);
      }, LOAD_EVERY_MS);
    };
    start();
  });
  useEffect(() => {
    // What is seen first does not wait.
    void store.need(0, 1 + AHEAD);
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [store]);
}
