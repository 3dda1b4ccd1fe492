/** The hits of a page: each is read, and its snippet cut. */
import type { Hit, SearchRequest } from '../../store/search.ts';
import { createMatcher } from '../../views/search/match.ts';
import { snippetOf } from '../../views/search/snippet.ts';
import { withinTime } from './budget.ts';
import type { Candidate } from './hit.ts';

export function hitsOf(found: readonly Candidate[], request: SearchRequest): Hit[] {
  const { query, mask, snippetLength } = request;
  const matcher = createMatcher(query);
  return found.flatMap((candidate) => {
    const loaded = candidate.load();
    if (loaded === undefined) return [];
    const { text, ...hit } = loaded;
    // What matched may still take long to be looked for a second time.
    const cut = () => snippetOf(text, matcher, { mask, length: snippetLength });
    const snippet = withinTime(query, text.length, hit.file, cut, request.leastMs);
    return [{ ...hit, snippet: snippet.text, highlights: snippet.highlights }];
  });
}
