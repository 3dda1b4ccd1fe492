/** The order in which sessions came to be: the same for every order in which they are handed in. */
import { compareText, compareTimes } from '../compare.ts';
import type { SessionFacts } from './edges.ts';

export type ById = ReadonlyMap<string, readonly number[]>;

export function indexById(sessions: readonly SessionFacts[]): ById {
  const byId = new Map<string, number[]>();
  for (const [index, { id }] of sessions.entries()) {
    const known = byId.get(id);
    if (known) known.push(index);
    else byId.set(id, [index]);
  }
  return byId;
}

/** By the time each was opened; but a session that holds another's id, or says it was forked from it, comes after that one (H1). */
export function birthOrder(sessions: readonly SessionFacts[], byId: ById): number[] {
  const sorted = [...sessions.keys()].sort((a, b) => compareSessions(sessions[a], sessions[b]));
  const rank = new Map(sorted.map((index, place) => [index, place]));
  const state = new Uint8Array(sessions.length);
  const order: number[] = [];
  const stack: number[] = [];
  for (const start of sorted) {
    stack.push(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (state[top] === 0) {
        state[top] = 1;
        for (const older of olderThan(sessions[top], byId, rank)) if (state[older] === 0) stack.push(older);
      } else {
        stack.pop();
        if (state[top] === 1) {
          state[top] = 2;
          order.push(top);
        }
      }
    }
  }
  return order;
}

/** The sessions it names, last the one to come first. */
function olderThan(session: SessionFacts | undefined, byId: ById, rank: ReadonlyMap<number, number>): number[] {
  if (session === undefined) return [];
  const { sessionIds, lineage } = session.outline;
  const named = new Set(sessionIds);
  if (lineage.fork !== undefined) named.add(lineage.fork.sessionId);
  named.delete(session.id);
  const older = [...named].flatMap((id) => byId.get(id) ?? []);
  return older.sort((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0));
}

function compareSessions(a: SessionFacts | undefined, b: SessionFacts | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return (
    compareTimes(a.outline.lineage.opened, b.outline.lineage.opened) ||
    Number(a.outline.lineage.retold) - Number(b.outline.lineage.retold) ||
    compareTimes(a.outline.updated, b.outline.updated) ||
    a.outline.uuids.count - b.outline.uuids.count ||
    compareText(a.id, b.id) ||
    compareText(a.file, b.file)
  );
}
