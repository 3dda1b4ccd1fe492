/** The search page: takes the place of list and chat. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatList } from '../../src/views/page/types.ts';
import type { Api } from '../app/api.ts';
import { isCommand } from '../app/keys.ts';
import { go, type Route, withParams } from '../app/router.ts';
import { elementsIn, focusBeside } from '../list/focus.ts';
import { Box } from './Box.tsx';
import { Chips } from './Chips.tsx';
import { checkQuery } from './check.ts';
import { Hits } from './Hits.tsx';
import { Outcome } from './Outcome.tsx';
import { keepTrail } from './trail.ts';
import { byChat, useSearch } from './useSearch.ts';

export interface SearchProps {
  readonly api: Api;
  readonly route: Route;
  readonly list: ChatList | undefined;
}

const WAIT = 150;

export function Search({ api, route, list }: SearchProps) {
  const { q = '', sort = 'rank' } = route.params;
  const [text, setText] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLDivElement>(null);
  const checked = checkQuery(q);
  const searching = useSearch(api, q, sort, checked.state === 'fine');
  const { found } = searching;
  useLayoutEffect(() => field.current?.focus(), []);
  useTyped(route, text, setText);
  useEffect(() => {
    if (found === undefined) return;
    const hits = byChat(found.hits).flatMap((group) => group.hits);
    keepTrail({ query: found.query, sort, total: found.total, hits });
  }, [found, sort]);

  /** Enter means what is typed, not what was asked before it. */
  const open = () => {
    if (text !== q) go(withParams(route, { q: text }), { replace: true });
    else elementsIn(results.current, 'a.hit')[0]?.click();
  };
  const move = (step: number) => {
    const links = elementsIn(results.current, 'a.hit');
    if (step < 0 && links[0] === document.activeElement) field.current?.focus();
    else focusBeside(links, step);
  };
  useHitKeys(move, () => field.current?.select());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') field.current?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <h1 class="visually-hidden">Search</h1>
      <Box text={text} list={list} field={field} onText={setText} onOpen={open} onDown={() => move(1)} />
      <Chips
        text={text}
        sort={sort}
        onText={setText}
        onSort={(next) => go(withParams(route, { sort: next === 'rank' ? '' : next }), { replace: true })}
      />
      <Outcome query={q} checked={checked} searching={searching} onText={setText} />
      {found !== undefined && checked.state !== 'empty' && (
        <div ref={results} data-old={searching.loading || undefined} class="search-results">
          <Hits found={found} sort={sort} onKeyDown={onKeyDown} />
          {found.hits.length < found.total && found.hits.length > 0 && (
            <button type="button" class="button search-more" disabled={searching.loading} onClick={searching.more}>
              Show more ({(found.total - found.hits.length).toLocaleString('en')} left)
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** What is typed goes into the address after a moment; another address comes back into the box. */
function useTyped(route: Route, text: string, setText: (text: string) => void): void {
  const { q = '' } = route.params;
  const sent = useRef(q);
  useEffect(() => {
    if (q === sent.current) return;
    sent.current = q;
    setText(q);
  }, [q]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      go(withParams(route, { q: text }), { replace: true });
    }, WAIT);
    return () => clearTimeout(timer);
  }, [text]);
}

/** n and N from hit to hit, / back to the box; before the page hears them, to which / is a new search. */
function useHitKeys(move: (step: number) => void, back: () => void): void {
  const latest = useRef({ move, back });
  latest.current = { move, back };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommand(event) || document.querySelector('dialog[open]')) return;
      if (event.key === 'n') latest.current.move(1);
      else if (event.key === 'N') latest.current.move(-1);
      else if (event.key === '/') latest.current.back();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, []);
}
