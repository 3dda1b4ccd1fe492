/** H2: a file all of whose messages occur in another one is superseded. Compares only files that an edge joins, so it stays linear. */
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
  return superseded;

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
