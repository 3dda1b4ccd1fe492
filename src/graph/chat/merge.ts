/** The files of a chat as one list of entries: each entry once, where it was first written (H1, H2). */
import type { Entry } from '../../format/entry.ts';

export interface Merged {
  readonly entries: readonly Entry[];
  /** The uuid an entry was first written under. */
  identity(uuid: string): string;
  /** The entry that is kept for a uuid, whichever copy it names. */
  find(uuid: string | undefined): Entry | undefined;
}

/** Longer chains of renamed copies are a cycle. */
const MAX_RENAMES = 64;

/** Sessions oldest first. Originals are richer than their copies: 1.0.x leaves out side chains and tool records. */
export function mergeSessions(sessions: readonly (readonly Entry[])[]): Merged {
  const identity = createIdentity(sessions);
  const kept = new Map<string, { entry: Entry; session: number }>();
  const entries: Entry[] = [];
  for (const [session, own] of sessions.entries()) {
    const isCopy = own.map(({ head }) => {
      const known = head.uuid === undefined ? undefined : kept.get(identity(head.uuid));
      return known !== undefined && known.session !== session;
    });
    const copied = copiedRegion(own, isCopy);
    for (const [place, entry] of own.entries()) {
      if (isCopy[place] || copied(place)) continue;
      entries.push(entry);
      if (entry.head.uuid !== undefined) kept.set(identity(entry.head.uuid), { entry, session });
    }
  }
  return {
    entries,
    identity,
    find: (uuid) => (uuid === undefined ? undefined : kept.get(identity(uuid))?.entry),
  };
}

function createIdentity(sessions: readonly (readonly Entry[])[]): (uuid: string) => string {
  const renamed = new Map<string, string>();
  for (const entries of sessions) {
    for (const { head } of entries) {
      const original = head.forkedFrom?.messageUuid;
      if (head.uuid !== undefined && original !== undefined && original !== head.uuid) renamed.set(head.uuid, original);
    }
  }
  return (uuid) => {
    let id = uuid;
    for (let step = 0; step < MAX_RENAMES; step += 1) {
      const original = renamed.get(id);
      if (original === undefined) return id;
      id = original;
    }
    return uuid;
  };
}

/** Lines without uuid that stand among copied entries were copied with them. */
function copiedRegion(entries: readonly Entry[], isCopy: readonly boolean[]): (place: number) => boolean {
  const last = isCopy.lastIndexOf(true);
  const amongCopies = new Uint8Array(entries.length);
  let afterCopy = false;
  for (const [place, { head }] of entries.entries()) {
    if (head.uuid !== undefined) afterCopy = isCopy[place] === true;
    else if (afterCopy && place < last) amongCopies[place] = 1;
  }
  return (place) => amongCopies[place] === 1;
}
