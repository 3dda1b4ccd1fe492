/**
 * The words that were searched for, marked in what is seen. Ranges beside the page instead of elements in it: nothing is drawn
 * anew, and texts of every kind are marked alike.
 */
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { createMatcher, type Matcher } from '../../src/views/search/match.ts';
import { parseQuery, QueryError } from '../../src/views/search/query.ts';

const NAME = 'searched';
const MOST_RANGES = 2000;
const WAIT_MS = 60;

export function useMarks(query: string, box: RefObject<HTMLElement | null>): void {
  const matcher = useMemo(() => matcherOf(query), [query]);
  useEffect(() => {
    const { current } = box;
    // Older browsers show the text without marks.
    if (matcher === undefined || current === null || typeof Highlight === 'undefined') return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const mark = () => {
      timer = undefined;
      CSS.highlights.set(NAME, new Highlight(...rangesIn(current, matcher)));
    };
    const changed = new MutationObserver(() => {
      timer ??= setTimeout(mark, WAIT_MS);
    });
    mark();
    changed.observe(current, { childList: true, characterData: true, subtree: true });
    return () => {
      changed.disconnect();
      clearTimeout(timer);
      CSS.highlights.delete(NAME);
    };
  }, [matcher]);
}

/** undefined where there are no words in it, or it is none. */
export function matcherOf(query: string): Matcher | undefined {
  if (query === '') return undefined;
  try {
    // A regex may take for ever: the server stops one that does, here nobody would.
    const terms = parseQuery(query, { now: new Date() }).terms.filter(({ kind }) => kind !== 'regex');
    return terms.some(({ negated }) => !negated) ? createMatcher({ terms }) : undefined;
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

function rangesIn(box: HTMLElement, matcher: Matcher): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && ranges.length < MOST_RANGES; node = texts.nextNode()) {
    for (const { start, end } of matcher.spans(node.nodeValue ?? '')) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}
