/** @tanstack/virtual-core for Preact: rows of any height, of which only those near the window are drawn. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

type All = VirtualizerOptions<HTMLElement, HTMLElement>;
type Options = Pick<All, 'count' | 'estimateSize' | 'getItemKey' | 'getScrollElement'> & Partial<All>;

export function useVirtual(options: Options): Virtualizer<HTMLElement, HTMLElement> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const whole = {
    ...options,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(whole));
  virtualizer.setOptions(whole);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
