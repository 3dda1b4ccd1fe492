/** What a person had forgotten: a session with all that belongs to it, or one file. */
import { dropCuts } from '../scrub/scrubs.ts';
import { all, type Database, get, run, textOf, transaction } from '../sqlite.ts';

/** Where a file lies, and on whose machine: others may have one of the same name that nobody forgot. */
export interface Placed {
  readonly origin: string;
  readonly root: string;
  readonly name: string;
}

interface Source extends Placed {
  session(): string | undefined;
}

export interface Tombstone {
  /** session:ID, place:ORIGIN:PATH, or of older archives file:NAME, wherever it lies. */
  readonly what: string;
  readonly at: string;
}

export function allTombstones(db: Database): Tombstone[] {
  const rows = all(db, 'SELECT what, at FROM tombstone ORDER BY at, what');
  return rows.map((row) => ({ what: textOf(row, 'what'), at: textOf(row, 'at') }));
}

export function tombstonesOf(db: Database): string[] {
  return allTombstones(db).map(({ what }) => what);
}

/** Without any, no file is asked for its session. */
export function forgottenNames(db: Database): (file: Source) => boolean {
  const stones = new Set(tombstonesOf(db));
  if (stones.size === 0) return () => false;
  return (file) => stonesOf(file).some((stone) => stones.has(stone)) || stones.has(sessionStone(file.session()) ?? '');
}

/** The same of one file, inside the transaction that would take it: it may have been forgotten since the sync began. */
export function isForgottenNow(db: Database, file: Source): boolean {
  if (get(db, 'SELECT 1 FROM tombstone LIMIT 1') === undefined) return false;
  const [place = '', name = ''] = stonesOf(file);
  const sql = 'SELECT 1 FROM tombstone WHERE what IN (?, ?, ?)';
  return get(db, sql, place, name, sessionStone(file.session()) ?? '') !== undefined;
}

export function placeStone({ origin, root, name }: Placed): string {
  return `place:${origin}:${root}/${name}`;
}

/** An empty id is none: it would stand for every file that belongs to no session. */
export function sessionStone(session: string | undefined): string | undefined {
  return session === undefined || session === '' ? undefined : `session:${session}`;
}

function stonesOf(file: Placed): string[] {
  return [placeStone(file), `file:${file.name}`];
}

export function addTombstone(db: Database, what: string, at: Date): void {
  run(db, 'INSERT OR IGNORE INTO tombstone (what, at) VALUES (?, ?)', what, at.toISOString());
}

const SHORTEST_ID = 4;

/** The tombstones a selector names: by the session's id or the start of one, or the end of a file's path. */
export function chooseTombstones(db: Database, selector: string): Tombstone[] {
  const stones = allTombstones(db);
  const fits = ({ what }: Tombstone) => {
    const [kind, name] = [what.slice(0, what.indexOf(':')), what.slice(what.indexOf(':') + 1)];
    if (kind !== 'session') return `/${name}`.endsWith(`/${selector}`) || name.endsWith(`:${selector}`);
    return name === selector || (selector.length >= SHORTEST_ID && name.startsWith(selector));
  };
  const exact = stones.filter(({ what }) => what === selector || what === `session:${selector}`);
  return exact.length > 0 ? exact : stones.filter(fits);
}

const AGENT = /^(?:file|place):(?:.*\/)?agent-[^/]+\.(?:jsonl|meta\.json)$/;

/** What was forgotten with a session is lifted with it: its agents that have tombstones of their own bear the same time. */
export function liftTombstones(db: Database, chosen: readonly Tombstone[]): Tombstone[] {
  const times = new Set(chosen.flatMap(({ what, at }) => (what.startsWith('session:') ? [at] : [])));
  const isAgent = ({ what, at }: Tombstone) => times.has(at) && AGENT.test(what);
  const names = new Set(chosen.map(({ what }) => what));
  const lifted = allTombstones(db).filter((stone) => names.has(stone.what) || isAgent(stone));
  transaction(db, () => {
    for (const { what } of lifted) {
      run(db, 'DELETE FROM tombstone WHERE what = ?', what);
      run(db, 'DELETE FROM span WHERE what = ?', what);
    }
    if (lifted.some(({ what }) => what.startsWith('session:'))) dropCuts(db);
  });
  return lifted;
}
