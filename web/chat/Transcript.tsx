/** The conversation: rows that come and go with the scroll, one of them selected. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Route } from '../app/router.ts';
import { Outline } from '../outline/Outline.tsx';
import { copyText } from '../parts/clipboard.ts';
import { useLatest } from '../parts/useLatest.ts';
import { useThrottled } from '../parts/useThrottled.ts';
import { ChatContext } from './context.ts';
import { linkTo } from './link.ts';
import { locate } from './locate.ts';
import { RowBox } from './RowBox.tsx';
import { rowsOf, turnKey } from './rows.ts';
import type { ChatStore } from './store.ts';
import { useChatKeys } from './useChatKeys.ts';
import { useMarks } from './useMarks.ts';
import { useOpened } from './useOpened.ts';
import { usePrinting } from './usePrinting.ts';
import { useReveal } from './useReveal.ts';
import { useScroll } from './useScroll.ts';

/** More rows than this are no good on paper, and take too long to draw. */
const MOST_PRINTED = 4000;

export interface TranscriptProps {
  readonly api: Api;
  readonly route: Route;
  readonly store: ChatStore;
  readonly outline: boolean;
  readonly say: (text: string) => void;
  /** Without `at` the place in the text stays. */
  readonly onBranch: (branch: number, at?: string | null) => void;
  readonly onClone: (turn: number) => void;
  readonly onKey: (key: string) => boolean;
}

export function Transcript({ api, route, store, outline, say, onBranch, onClone, onKey }: TranscriptProps) {
  const { page, turns, parts, agents } = store.data();
  const { id } = page.chat;
  const { opened, toggle, open } = useOpened();
  const rows = useMemo(
    () => rowsOf({ heads: page.turns, turns, parts, agents, opened }),
    [page, turns, parts, agents, opened],
  );
  const box = useRef<HTMLElement>(null);
  useMarks(route.params.q ?? '', box);
  const scroll = useScroll(rows, store, box, page.version);
  const { virtualizer } = scroll;
  const printing = usePrinting();
  const [selected, setSelected] = useState<string>();
  const { revealed, reveal } = useReveal(api, id, say);
  const select = (key: string, align: 'start' | 'center' | 'auto' = 'auto') => {
    setSelected(key);
    scroll.goTo(key, align);
  };
  const goToEntry = useLatest(async (uuid: string) => {
    try {
      const place = await api.find(id, uuid);
      if (place.branch !== store.data().page.branch) return onBranch(place.branch, uuid);
      const found = await locate(store, place, uuid);
      open(found.open);
      select(found.key, 'start');
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  });
  const toBranch = useLatest((branch: number) => onBranch(branch, null));
  const { at } = route.params;
  const isLoaded = turns.size > 0 || page.turns.length === 0;
  useEffect(() => {
    if (at !== undefined) void goToEntry(at);
  }, [at, page.branch, store]);
  useEffect(() => {
    if (isLoaded) performance.mark('skein:rendered');
  }, [isLoaded]);
  useFocus(selected, box.current);
  useChatKeys({ rows, scroll, selected, select, setSelected, toggle, page, say, onBranch: toBranch, onKey });
  const goToTurn = useLatest((index: number) => select(turnKey(index), 'start'));
  const copyLink = useLatest(async (uuid: string) =>
    say((await copyText(linkTo(id, page.branch, uuid))) ? 'Copied the link' : 'Could not copy'),
  );
  const cloneTo = useLatest(onClone);
  const context = useMemo(
    () => ({ api, id, branch: page.branch, revealed, reveal, opened, toggle, say, copyLink, cloneTo }),
    [api, id, page.branch, revealed, reveal, opened, toggle, say, copyLink, cloneTo],
  );
  return (
    <ChatContext.Provider value={context}>
      <div class="transcript" data-outline={outline}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <section class="scroller" ref={box} tabIndex={0} aria-label="Conversation">
          <div class="rows">
            <div class="rows-near">
              {(printing
                ? rows.slice(0, MOST_PRINTED).map((_, index) => ({ index }))
                : virtualizer.getVirtualItems()
              ).map(({ index }) => {
                const row = rows[index];
                if (row === undefined) return null;
                return (
                  <RowBox
                    key={row.key}
                    row={row}
                    index={index}
                    selected={row.key === selected}
                    measure={virtualizer.measureElement}
                    onSelect={setSelected}
                    store={store}
                    branches={page.branches}
                    branch={page.branch}
                    onBranch={toBranch}
                    onEntry={goToEntry}
                  />
                );
              })}
            </div>
          </div>
          {page.turns.length === 0 && <p class="state quiet">Nothing was said in this chat.</p>}
        </section>
        {outline && <Beside turns={page.turns} current={rows[scroll.first]?.turn ?? 0} onGo={goToTurn} />}
      </div>
    </ChatContext.Provider>
  );
}

/** Follows the text, but not every frame of it. */
function Beside({ turns, current, onGo }: Parameters<typeof Outline>[0]) {
  const now = useThrottled(current, 150);
  return useMemo(
    () => (
      <aside class="beside" aria-label="Outline">
        <Outline turns={turns} current={now} onGo={onGo} />
      </aside>
    ),
    [turns, now, onGo],
  );
}

/** Focus goes with the selection, so that a screen reader does too. */
function useFocus(selected: string | undefined, box: HTMLElement | null): void {
  const focused = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (selected === undefined || selected === focused.current || box === null) return;
    const row = box.querySelector(`[data-key="${CSS.escape(selected)}"]`);
    if (!(row instanceof HTMLElement)) return;
    focused.current = selected;
    if (!row.contains(document.activeElement)) row.focus({ preventScroll: true });
  });
}
