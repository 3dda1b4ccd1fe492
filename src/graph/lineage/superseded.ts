/** H2: a file all of whose messages occur in another one is superseded. Compares only files of which one may hold the other, so it stays linear. */
import { eachId, type IdList, NO_IDS } from '../../format/idlist.ts';
import type { Link, SessionFacts } from './edges.ts';
import type { Origins } from './origins.ts';

export function findSuperseded(
  sessions: readonly SessionFacts[],
  links: readonly Link[],
  origins: Origins,
  onVisit: () => void = () => {},
): boolean[] {
  const superseded = sessions.map(() => false);
  const plainCopies = new Map<number, number[]>();
  for (const { from, to, why } of links) {
    if (why !== 'copied uuids' && why !== 'forkedFrom') continue;
    const known = plainCopies.get(from);
    if (origins.shares[to]?.own !== 0) superseded[from] ||= holds(to, from);
    else if (known) known.push(to);
    else plainCopies.set(from, [to]);
  }
  for (const [original, copies] of plainCopies) settleCopies(original, copies);
  for (const [to, { origins: taken }] of origins.shares.entries()) settleSources(to, taken);
  return superseded;

  /** A file that took all of several others: only one of them needs an edge to it. */
  function settleSources(to: number, taken: ReadonlyMap<number, number>): void {
    if (taken.size < 2 || superseded[to]) return;
    const sources = [...taken].filter(([from, count]) => isWhole(from, count) && sizeOf(from) < sizeOf(to));
    const ids = sources.length > 0 ? idsOf(to) : new Set<number>();
    for (const [from] of sources) superseded[from] = isIn(from, ids);
  }

  /** Whether as many of its own messages were taken as there are, by a file that nobody knew to hold it. */
  function isWhole(session: number, count: number): boolean {
    return !superseded[session] && count >= (origins.shares[session]?.own ?? 0);
  }

  /** Of files that say the same the newest stays, unless another one goes on from there. */
  function settleCopies(original: number, copies: readonly number[]): void {
    const ids = idsOf(original);
    const within = copies.filter((copy) => isIn(copy, ids));
    const same = within.filter((copy) => sizeOf(copy) === sizeOf(original));
    const stays = superseded[original] ? undefined : (same.at(-1) ?? original);
    for (const each of [original, ...within]) if (each !== stays) superseded[each] = true;
  }

  function holds(newer: number, older: number): boolean {
    return sizeOf(newer) >= sizeOf(older) && isIn(older, idsOf(newer));
  }

  function isIn(session: number, ids: ReadonlySet<number>): boolean {
    for (const uuid of eachId(uuidsOf(session))) {
      onVisit();
      if (!ids.has(origins.identity(uuid))) return false;
    }
    return true;
  }

  function idsOf(session: number): Set<number> {
    const ids = new Set<number>();
    for (const uuid of eachId(uuidsOf(session))) {
      onVisit();
      ids.add(origins.identity(uuid));
    }
    return ids;
  }

  function uuidsOf(session: number): IdList {
    return sessions[session]?.outline.uuids ?? NO_IDS;
  }

  function sizeOf(session: number): number {
    return uuidsOf(session).count;
  }
}
