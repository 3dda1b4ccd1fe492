/** Where other branches leave the one that is shown. */
import type { Entry } from '../../format/entry.ts';
import type { Branch } from '../../graph/branches.ts';
import type { Chat } from '../../graph/chat.ts';
import type { Turn } from '../../graph/types.ts';

/** Index of a turn → the places of the branches that leave there. Those that begin anew leave nowhere. */
export function forksOf(
  chat: Pick<Chat, 'branches' | 'entries' | 'entriesOf'>,
  shown: Branch | undefined,
  turns: readonly Turn[],
): Map<number, number[]> {
  const forks = new Map<number, number[]>();
  if (chat.branches.length < 2) return forks;
  const turnOf = turnsByEntry(turns);
  const joins = joinFinder(chat.entries, turnOf);
  for (const [place, branch] of chat.branches.entries()) {
    if (branch === shown || branch.forkedAt === undefined) continue;
    const index = joins(branch.forkedAt) ?? lastShared(chat.entriesOf(branch), turnOf);
    if (index === undefined) continue;
    const others = forks.get(index);
    if (others) others.push(place);
    else forks.set(index, [place]);
  }
  return forks;
}

function turnsByEntry(turns: readonly Turn[]): Map<string, number> {
  const turnOf = new Map<string, number>();
  for (const [index, { entries }] of turns.entries()) {
    for (const { head } of entries) if (head.uuid !== undefined) turnOf.set(head.uuid, index);
  }
  return turnOf;
}

/** A branch may leave one that itself left before: from its fork up to what is shown. */
function joinFinder(entries: readonly Entry[], turnOf: ReadonlyMap<string, number>) {
  let parents: Map<string, string> | undefined;
  return (from: string): number | undefined => {
    const direct = turnOf.get(from);
    if (direct !== undefined) return direct;
    parents ??= parentsOf(entries);
    const seen = new Set<string>();
    for (let at = parents.get(from); at !== undefined && !seen.has(at); at = parents.get(at)) {
      const index = turnOf.get(at);
      if (index !== undefined) return index;
      seen.add(at);
    }
    return undefined;
  };
}

function parentsOf(entries: readonly Entry[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { head } of entries) {
    const parent = head.parentUuid ?? head.logicalParentUuid;
    if (head.uuid !== undefined && parent !== undefined) parents.set(head.uuid, parent);
  }
  return parents;
}

/** Files that go on from one another without a link: what both hold decides. */
function lastShared(entries: readonly Entry[], turnOf: ReadonlyMap<string, number>): number | undefined {
  let last: number | undefined;
  for (const { head } of entries) last = (head.uuid === undefined ? undefined : turnOf.get(head.uuid)) ?? last;
  return last;
}
