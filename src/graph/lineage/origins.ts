/** Which session wrote an entry first (H2): one pass over all uuids, no comparison of sessions with each other. */
import { eachPair, type IdList, NO_IDS } from '../../format/idlist.ts';
import { createIds } from '../../format/ids.ts';
import { createNumbers } from '../../format/numbers.ts';
import type { SessionFacts } from './edges.ts';

/** What a session has from others. */
export interface Share {
  /** The last message that stood in an older session: its identity, and its place among the session's uuids. */
  readonly last: { readonly id: number; readonly place: number; readonly origin: number } | undefined;
  /** Every session it has something from, and how many of the messages that are that one's own. */
  readonly origins: ReadonlyMap<number, number>;
  /** Messages that are its own. */
  readonly own: number;
}

export interface Origins {
  /** A number for the entry with this uuid: the same for all its copies, whatever uuid they have. */
  identity(uuid: string): number;
  /** The session that wrote an entry first. */
  originOf(uuid: string): number | undefined;
  readonly shares: readonly Share[];
}

/** Longer chains of renamed copies are a cycle. */
const MAX_RENAMES = 64;

export function indexOrigins(
  sessions: readonly SessionFacts[],
  order: readonly number[],
  onVisit: () => void = () => {},
): Origins {
  const ids = createIds();
  // By number of a uuid: the number of the uuid it was copied from, and the session that wrote it first.
  const originals = createNumbers(-1);
  const origins = createNumbers(-1);
  for (const index of order) {
    const renamed = sessions[index]?.outline.lineage.renamed ?? NO_IDS;
    for (const [copy, original] of eachPair(renamed)) originals.set(ids.add(copy), ids.add(original));
  }
  const shares: Share[] = sessions.map(() => ({ last: undefined, origins: new Map(), own: 0 }));
  for (const index of order) {
    const outline = sessions[index]?.outline;
    if (outline === undefined) continue;
    shares[index] = shareOf(index, outline.uuids);
    ids.addAll(outline.asides, (number) => {
      onVisit();
      const id = originalOf(number);
      if (origins.get(id) < 0) origins.set(id, index);
    });
  }
  return { identity, originOf, shares };

  function originOf(uuid: string): number | undefined {
    const origin = origins.get(identity(uuid));
    return origin < 0 ? undefined : origin;
  }

  function identity(uuid: string): number {
    return originalOf(ids.add(uuid));
  }

  function originalOf(own: number): number {
    let id = own;
    for (let step = 0; step < MAX_RENAMES; step += 1) {
      const original = originals.get(id);
      if (original < 0) return id;
      id = original;
    }
    return own;
  }

  function shareOf(index: number, uuids: IdList): Share {
    const from = new Map<number, number>();
    let last: Share['last'];
    let own = 0;
    let place = 0;
    ids.addAll(uuids, (number) => {
      onVisit();
      const id = originalOf(number);
      const origin = origins.get(id);
      if (origin < 0) origins.set(id, index);
      if (origin < 0 || origin === index) own += 1;
      else {
        from.set(origin, (from.get(origin) ?? 0) + 1);
        last = { id, place, origin };
      }
      place += 1;
    });
    return { last, origins: from, own };
  }
}
