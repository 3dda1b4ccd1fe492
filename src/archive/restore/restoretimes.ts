/** The time of change a restored file gets: its own, or the present where the client would delete it again by its age (L5). */
import { cleanups, DAY_MS } from '../cleanup.ts';
import type { ArchivedFile } from '../files.ts';

/** The present time for a file that had another; undefined where it keeps its own. */
export type Renewing = (file: ArchivedFile, mtimeMs: number) => number | undefined;

export const keepTimes: Renewing = () => undefined;

/** The client never deletes these. */
const STAYING: ReadonlySet<string> = new Set(['history', 'sessions-index']);

export function renewOld(now: number): Renewing {
  const cleanup = cleanups();
  return ({ kind, root }, mtimeMs) => {
    const isOld = !STAYING.has(kind) && mtimeMs + cleanup(root).days * DAY_MS <= now;
    return isOld ? nearly(now, mtimeMs) : undefined;
  };
}

/** A moment ago, the longer the older it was: programs that list sessions by their time show them in the order they had. */
function nearly(now: number, mtimeMs: number): number {
  return now - (now - mtimeMs) / 1_000_000;
}
