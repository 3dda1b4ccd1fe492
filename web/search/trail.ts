/** The results last seen, so that a chat opened from them can go on to the next. */
import type { SearchHit } from '../app/answers.ts';
import { setHits } from '../app/hits.ts';
import { hrefOf } from '../app/router.ts';

export interface Trail {
  readonly query: string;
  readonly sort: string;
  readonly total: number;
  /** In the order they were shown: by chat. */
  readonly hits: readonly SearchHit[];
}

let trail: Trail | undefined;

export function keepTrail(next: Trail): void {
  trail = next;
  setHits(next.hits.flatMap(({ chat, uuid }) => (chat === null || uuid === null ? [] : [{ chat, uuid }])));
}

export function trailOf(query: string, sort: string): Trail | undefined {
  return trail?.query === query && trail.sort === sort ? trail : undefined;
}

/** The link of a hit says what was searched for: the chat can then mark the words and go on. */
export function hrefOfHit({ chat, uuid }: SearchHit, query: string, sort: string): string {
  const params = { at: uuid ?? '', q: query, sort: sort === 'rank' ? '' : sort };
  return hrefOf({ page: 'chat', id: chat ?? '', params });
}
