/** What was sent is taken back: hidden at once by a row in `recalls`; an administrator deletes it from the server's disks. */
import type { JsonObject } from '../format/json.ts';
import { asNumber, asString } from '../format/json.ts';
import type { Team } from './connect.ts';
import { timeText } from './push/linerows.ts';
import { dropRecall, fileRecords, markUnsent, recallsIn, saveRecall } from './push/records.ts';
import type { PushState } from './push/state.ts';
import { PUSHED } from './schema/tables.ts';

/** From now on it is not pushed; the push that follows takes back what is there. */
export function markRecalled({ db }: PushState, sessions: readonly string[], reason: string): void {
  for (const session of sessions) saveRecall(db, { session, by: 'person', reason, told: false });
}

const COLUMNS = ['session', 'name', 'reason', 'undone', 'time'];

/** It may be sent again, and be read. `machine`: this one, which may have taken it back by its policy before. */
export async function undoRecall(
  team: Team,
  state: PushState,
  sessions: readonly string[],
  machine: string,
  now: number,
): Promise<void> {
  const time = timeText(now);
  const rows = sessions.flatMap((session) =>
    ['', machine].map((name) => ({ session, name, reason: '', undone: 1, time })),
  );
  await team.insert(
    'recalls',
    COLUMNS,
    rows.map((row) => JSON.stringify(row)),
  );
  const known = new Set(sessions);
  for (const session of sessions) dropRecall(state.db, session);
  // Whoever took it back, or deleted it, may have been another machine.
  for (const { id, session } of fileRecords(state.db)) if (known.has(session)) markUnsent(state.db, id);
}

/** What a person took back, from this machine. */
export function recalledHere({ db }: PushState): string[] {
  return [...recallsIn(db).values()].flatMap(({ by, session }) => (by === 'person' ? [session] : []));
}

export interface Purged {
  readonly sessions: number;
  /** Rows that were there, by table, old states of rows included. */
  readonly rows: Readonly<Record<string, number>>;
  /** Rows that are still there: 0, or something went wrong. */
  readonly left: number;
}

/** So many sessions in one statement. */
const AT_ONCE = 200;

/** Deletes all that is taken back, whoever pushed it. For administrators. Throws TeamError. */
export async function purgeRecalled(team: Team, { dryRun = false } = {}): Promise<Purged> {
  const open = await team.rows('SELECT owner, session FROM recalls FINAL WHERE undone = 0 ORDER BY owner, session');
  const pairs = open.map(({ owner, session }) => [asString(owner) ?? '', asString(session) ?? ''] as const);
  const rows: Record<string, number> = Object.fromEntries(PUSHED.map((table) => [table, 0]));
  let left = 0;
  for (let at = 0; at < pairs.length; at += AT_ONCE) {
    const some = pairs.slice(at, at + AT_ONCE);
    const params = { owners: some.map(([owner]) => owner), sessions: some.map(([, session]) => session) };
    const which = '(owner, session) IN arrayZip({owners: Array(String)}, {sessions: Array(String)})';
    for (const table of PUSHED) {
      const before = countIn(await team.rows(`SELECT count() AS n FROM ${table} WHERE ${which}`, params));
      rows[table] = (rows[table] ?? 0) + before;
      if (dryRun) continue;
      // Also where this login sees none: whether it may is for the server to say.
      const { cluster } = team.target;
      const where = cluster === undefined ? table : `${table}_local ON CLUSTER ${quoted(cluster)}`;
      await team.command(`ALTER TABLE ${where} DELETE WHERE ${which}`, params, { mutations_sync: '2' });
      left += countIn(await team.rows(`SELECT count() AS n FROM ${table} WHERE ${which}`, params));
    }
  }
  return { sessions: pairs.length, rows, left };
}

function countIn([row]: readonly JsonObject[]): number {
  return asNumber(row?.n) ?? 0;
}

function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
