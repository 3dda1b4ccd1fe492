/** The same search of the archive and of a team it was pushed to. */
import { byTime } from '../../src/archive/search/hit.ts';
import { searchFiles, searchIndex } from '../../src/archive/search/search.ts';
import { openArchive } from '../../src/archive/store.ts';
import { findSessions } from '../../src/disk/find.ts';
import { findRoots } from '../../src/disk/roots.ts';
import type { Hit, SearchRequest, SearchResult } from '../../src/store/search.ts';
import type { Team } from '../../src/team/connect.ts';
import { searchTeam } from '../../src/team/search/search.ts';
import { parseQuery } from '../../src/views/search/query.ts';

export const NOW = new Date('2026-06-01T00:00:00Z');

export type Asked = Partial<Pick<SearchRequest, 'sort' | 'offset' | 'limit'>>;

export function requestOf(text: string, asked: Asked = {}): SearchRequest {
  return { query: parseQuery(text, { now: NOW }), sort: 'date', offset: 0, limit: 1000, now: NOW, ...asked };
}

function searchKept(machine: { home: string; roots: readonly string[] }, request: SearchRequest): SearchResult {
  const archive = openArchive(machine.home);
  if (archive === undefined) throw new Error('there is an archive');
  try {
    const indexed = searchIndex(archive, { roots: [] }, request);
    if (indexed !== undefined) return indexed;
  } finally {
    archive.close();
  }
  const { roots } = findRoots({ given: machine.roots, env: {}, home: machine.home });
  return searchFiles(findSessions(roots).files, request);
}

/** What a hit is, wherever it was found. */
export function plain({ file, ...hit }: Hit): object {
  return { ...hit, file: file.replace(/^.*projects\//, '') };
}

export async function askBoth(
  machine: { home: string; roots: readonly string[] },
  team: Team,
  text: string,
  asked?: Asked,
): Promise<{ kept: SearchResult; team: SearchResult }> {
  const request = requestOf(text, asked);
  return { kept: searchKept(machine, request), team: await searchTeam(team, request) };
}

/** Those of one moment in an order of their own: which of them comes first is not promised. */
export function settled(hits: readonly Hit[]): object[] {
  const text = (hit: Hit) => JSON.stringify(plain(hit));
  return hits
    .toSorted((a, b) => {
      const [first, second] = [a, b].map((hit) => ({
        key: '',
        score: 0,
        time: hit.time === undefined ? undefined : Date.parse(hit.time) || undefined,
        load: () => undefined,
      }));
      const order = first && second ? byTime(first, second) : 0;
      return order || (text(a) < text(b) ? -1 : 1);
    })
    .map(plain);
}

/** Whether newest come first. */
export function isByTime(hits: readonly Hit[]): boolean {
  const times = hits.map(({ time }) => (time === undefined ? -Infinity : Date.parse(time)));
  return times.every((time, place) => place === 0 || !(time > (times[place - 1] ?? Infinity)));
}
