/** In a chat that was opened from results: which hit this is, and on to the next; the chat itself hears n and N. */
import { useEffect, useState } from 'preact/hooks';
import type { SearchHit } from '../app/answers.ts';
import type { Api } from '../app/api.ts';
import { hrefOf, type Route } from '../app/router.ts';
import { Icon } from '../parts/icons.tsx';
import { hrefOfHit, keepTrail, type Trail, trailOf } from './trail.ts';
import { byChat } from './useSearch.ts';

const AHEAD = 5;
const PAGE = 100;

export function HitBar({ api, route }: { readonly api: Api; readonly route: Route }) {
  const { q = '', sort = 'rank' } = route.params;
  return q === '' || !api.served ? null : <Bar key={`${sort} ${q}`} api={api} route={route} query={q} sort={sort} />;
}

function Bar({
  api,
  route,
  query,
  sort,
}: {
  readonly api: Api;
  readonly route: Route;
  readonly query: string;
  readonly sort: string;
}) {
  const [trail, setTrail] = useState(() => trailOf(query, sort));
  const hits = trail?.hits ?? [];
  const at = hits.findIndex((hit) => hit.chat === route.id && hit.uuid === (route.params.at ?? null));
  // More is asked for before the end of what is known is reached.
  const isShort = trail === undefined || (at + AHEAD >= hits.length && hits.length < trail.total);
  useEffect(() => {
    if (!isShort) return undefined;
    const stop = new AbortController();
    longer(api, trail ?? { query, sort, total: 0, hits: [] }, stop.signal).then(
      (next) => {
        if (stop.signal.aborted) return;
        keepTrail(next);
        setTrail(next);
      },
      // Without it the chat is read all the same.
      () => {},
    );
    return () => stop.abort();
  }, [isShort, hits.length]);
  const open = (hit: SearchHit | undefined) => {
    if (hit !== undefined) location.hash = hrefOfHit(hit, query, sort);
  };
  const move = (step: number) => open(hits[at + step]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a form
    <div class="hit-bar" role="group" aria-label="Search results">
      <span class="number">
        {at < 0 ? '–' : (at + 1).toLocaleString('en')} of {(trail?.total ?? 0).toLocaleString('en')}
      </span>
      <span class="hit-bar-query quiet">&nbsp;{query}</span>
      <button
        type="button"
        class="icon-button"
        aria-label="Previous hit (N)"
        title="Previous hit (N)"
        disabled={at <= 0}
        onClick={() => move(-1)}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Next hit (n)"
        title="Next hit (n)"
        disabled={at + 1 >= hits.length}
        onClick={() => move(1)}
      >
        <Icon name="right" />
      </button>
      <a
        class="icon-button"
        href={hrefOf({ page: 'search', params: { q: query, sort: sort === 'rank' ? '' : sort } })}
        aria-label="All results"
        title="All results"
      >
        <Icon name="search" />
      </a>
    </div>
  );
}

async function longer(api: Api, trail: Trail, signal: AbortSignal): Promise<Trail> {
  const { query, sort, hits: before } = trail;
  const { hits, total } = await api.search({ q: query, sort, limit: PAGE, offset: before.length }, { signal });
  return { query, sort, total, hits: [...before, ...byChat(hits).flatMap((group) => group.hits)] };
}
