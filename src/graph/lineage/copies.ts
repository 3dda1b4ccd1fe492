/** Edges that copied entries prove (H1, H2): each session to the one it was copied from. */
import { lastIdOf } from '../../format/idlist.ts';
import type { ById } from './birth.ts';
import type { EdgeKind, Link, SessionFacts } from './edges.ts';
import type { Origins, Share } from './origins.ts';
import type { Sets } from './sets.ts';

export interface Scene {
  readonly sessions: readonly SessionFacts[];
  /** Oldest first. */
  readonly order: readonly number[];
  /** By session: its place in that order. */
  readonly age: readonly number[];
  readonly byId: ById;
  readonly origins: Origins;
  readonly sets: Sets;
}

/** From this version on, a resume appends to its file: a new file with copies is a fork (H1). */
const APPENDS_SINCE = [2, 0, 36];

export function linkCopies(scene: Scene): Link[] {
  const links: Link[] = [];
  for (const to of scene.order) {
    const share = scene.origins.shares[to];
    const link = share && (forkLink(scene, to, share) ?? copyLink(scene, to, share));
    if (link === undefined || share === undefined) continue;
    links.push(link);
    scene.sets.join(link.from, to);
    for (const from of share.origins.keys()) {
      if (scene.sets.areJoined(from, to)) continue;
      links.push({ from, to, kind: 'merge', why: 'copied uuids', sure: 'certain', takesUp: false });
      scene.sets.join(from, to);
    }
  }
  return links;
}

/** `forkedFrom` names the source, but a copy of a copy still names the first: it counts only when the last copied entry has it. */
function forkLink({ sessions, byId, age, origins }: Scene, to: number, share: Share): Link | undefined {
  const fork = sessions[to]?.outline.lineage.fork;
  if (fork === undefined || (share.last !== undefined && origins.identity(fork.uuid) !== share.last.id))
    return undefined;
  const from = byId.get(fork.sessionId)?.find((index) => index !== to && (age[index] ?? 0) < (age[to] ?? 0));
  if (from === undefined) return undefined;
  const takesUp = share.last !== undefined && isEnd(sessions[from], share.last.id, origins);
  return { from, to, kind: 'fork', why: 'forkedFrom', sure: 'certain', takesUp };
}

/** The session that wrote the last copied entry has the longest prefix in common with the copy. */
function copyLink({ sessions, origins }: Scene, to: number, { last }: Share): Link | undefined {
  if (last === undefined) return undefined;
  const { origin: from } = last;
  const takesUp = isEnd(sessions[from], last.id, origins);
  return { from, to, kind: copyKind(sessions[to], last.place, takesUp), why: 'copied uuids', sure: 'certain', takesUp };
}

function isEnd(session: SessionFacts | undefined, id: number, { identity }: Origins): boolean {
  const end = session && lastIdOf(session.outline.uuids);
  return end !== undefined && identity(end) === id;
}

function copyKind(session: SessionFacts | undefined, lastCopied: number, takesUp: boolean): EdgeKind {
  const versions = session?.outline.lineage.versions ?? [];
  const writer = versions.findLast(({ from }) => from <= lastCopied + 1)?.version;
  if (writer !== undefined && isSince(writer, APPENDS_SINCE)) return 'fork';
  return takesUp ? 'resume' : 'branch';
}

function isSince(version: string, since: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, wanted] of since.entries()) {
    const part = parts[index];
    if (part === undefined || Number.isNaN(part)) return false;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
