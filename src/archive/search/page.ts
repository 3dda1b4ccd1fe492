/** The hits of a page: each is read, and its snippet cut. */
import type { Hit, SearchRequest } from '../../store/search.ts';
import { createMatcher } from '../../views/search/match.ts';
import { snippetOf } from '../../views/search/snippet.ts';
import { patienceFor } from './budget.ts';
import type { Candidate, Loaded } from './hit.ts';

/** Characters of texts that are held for cutting their snippets once more; what is beyond is read again. */
const MOST_HELD = 8e6;

/**
 * The snippets are cut once more when a secret came to light on the way: one that was cut before may show half of it. What was
 * found stays found.
 */
export function hitsOf(found: readonly Candidate[], request: SearchRequest): Hit[] {
  const cut = createCutter(request);
  const learnt = request.mask?.learnt;
  const before = learnt?.();
  let held = 0;
  const made = found.flatMap((candidate) => {
    const loaded = candidate.load();
    if (loaded === undefined) return [];
    held += loaded.text.length;
    const again = held <= MOST_HELD ? () => loaded : () => candidate.load();
    return [{ hit: cut(loaded), again }];
  });
  if (learnt?.() === before) return made.map(({ hit }) => hit);
  return made.flatMap(({ again }) => {
    const loaded = again();
    return loaded === undefined ? [] : [cut(loaded)];
  });
}

function createCutter({ query, mask, snippetLength, leastMs }: SearchRequest): (loaded: Loaded) => Hit {
  const matcher = createMatcher(query);
  const within = patienceFor(query, leastMs);
  return ({ text, ...hit }) => {
    // What matched may still take long to be looked for a second time.
    const cut = () => snippetOf(text, matcher, { mask, length: snippetLength });
    const snippet = within(text.length, hit.file, cut);
    return { ...hit, snippet: snippet.text, highlights: snippet.highlights };
  };
}
