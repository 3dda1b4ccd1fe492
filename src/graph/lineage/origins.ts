/** Which session wrote an entry first (H2): one pass over all uuids, no comparison of sessions with each other. */
import type { SessionFacts } from './edges.ts';

/** What a session has from others. */
export interface Share {
  /** The last message that stood in an older session, and its place among the session's uuids. */
  readonly last: { readonly id: string; readonly place: number; readonly origin: number } | undefined;
  /** Every session it has something from. */
  readonly origins: readonly number[];
  /** Messages that are its own. */
  readonly own: number;
}

export interface Origins {
  /** The uuid an entry was first written under. */
  identity(uuid: string): string;
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
  const renamed = new Map<string, string>();
  for (const index of order) {
    for (const [copy, original] of sessions[index]?.outline.lineage.renamed ?? []) renamed.set(copy, original);
  }
  const origins = new Map<string, number>();
  const shares: Share[] = sessions.map(() => ({ last: undefined, origins: [], own: 0 }));
  for (const index of order) {
    const outline = sessions[index]?.outline;
    if (outline === undefined) continue;
    shares[index] = shareOf(index, outline.uuids);
    for (const uuid of outline.asides) {
      onVisit();
      const id = identity(uuid);
      if (!origins.has(id)) origins.set(id, index);
    }
  }
  return { identity, originOf: (uuid) => origins.get(identity(uuid)), shares };

  function identity(uuid: string): string {
    let id = uuid;
    if (renamed.size === 0) return id;
    for (let step = 0; step < MAX_RENAMES; step += 1) {
      const original = renamed.get(id);
      if (original === undefined) return id;
      id = original;
    }
    return uuid;
  }

  function shareOf(index: number, uuids: readonly string[]): Share {
    const from = new Set<number>();
    let last: Share['last'];
    let own = 0;
    for (const [place, uuid] of uuids.entries()) {
      onVisit();
      const id = identity(uuid);
      const origin = origins.get(id);
      if (origin === undefined) origins.set(id, index);
      if (origin === undefined || origin === index) own += 1;
      else {
        from.add(origin);
        last = { id, place, origin };
      }
    }
    return { last, origins: [...from], own };
  }
}
