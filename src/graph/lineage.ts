/**
 * Sessions → chats (H1–H4, E11): which file was copied or goes on from which, and which files make one chat. Works on
 * outlines alone, in linear time and the same for every order of the files. What is only guessed joins nothing.
 */
import { birthOrder, indexById } from './lineage/birth.ts';
import { linkContinuations } from './lineage/continuations.ts';
import { linkCopies, type Scene } from './lineage/copies.ts';
import type { Edge, Link, SessionFacts } from './lineage/edges.ts';
import { indexOrigins } from './lineage/origins.ts';
import { createSets } from './lineage/sets.ts';
import { findSuperseded } from './lineage/superseded.ts';

export type { Edge, EdgeKind, EdgeWhy, Link, SessionFacts } from './lineage/edges.ts';

export interface Lineage {
  /** The sessions of each chat, oldest first, by their places in the list handed in; chats by their oldest session. */
  readonly chats: readonly (readonly number[])[];
  /** Between places in that list. */
  readonly links: readonly Link[];
  /** By session: everything in it is in another one too (H2). */
  readonly superseded: readonly boolean[];
  /** By session: it ends a conversation; no other session goes on from its end. */
  readonly leaf: readonly boolean[];
  /** The session that wrote an entry first. */
  originOf(uuid: string): number | undefined;
}

/** `onVisit` is called for each uuid each time it is looked at: lets a test count the work. */
export function lineageOf(sessions: readonly SessionFacts[], onVisit?: () => void): Lineage {
  const byId = indexById(sessions);
  const order = birthOrder(sessions, byId);
  const age = new Array<number>(sessions.length).fill(0);
  for (const [place, index] of order.entries()) age[index] = place;
  const origins = indexOrigins(sessions, order, onVisit);
  const sets = createSets(sessions.length);
  const scene: Scene = { sessions, order, age, byId, origins, sets };
  const copies = linkCopies(scene);
  const links = [...copies, ...linkContinuations(scene)];
  const superseded = findSuperseded(sessions, copies, origins, onVisit);
  const leaf = superseded.map((isSuperseded) => !isSuperseded);
  for (const { from, takesUp } of links) if (takesUp) leaf[from] = false;
  const chats = new Map<number, number[]>();
  for (const index of order) {
    const set = sets.find(index);
    const chat = chats.get(set);
    if (chat) chat.push(index);
    else chats.set(set, [index]);
  }
  return {
    chats: [...chats.values()],
    links,
    superseded,
    leaf,
    originOf: origins.originOf,
  };
}

/** Links as session ids. The same session found in two places is no edge. */
export function toEdges(sessions: readonly SessionFacts[], links: readonly Link[]): Edge[] {
  return links.flatMap(({ from, to, kind, why, sure }) => {
    const [older, newer] = [sessions[from]?.id, sessions[to]?.id];
    return older === undefined || newer === undefined || older === newer
      ? []
      : [{ from: older, to: newer, kind, why, sure }];
  });
}
