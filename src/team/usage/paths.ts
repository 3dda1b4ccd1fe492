/** Files that tell of messages of some time, copies among them. */
import { asString } from '../../format/json.ts';
import type { Team } from '../connect.ts';
import { placed } from './places.ts';

/** DateTime64 goes no farther. */
const LAST = Date.UTC(2200, 0, 1);

export async function pathsOfTime(team: Team, since = 0, until = LAST): Promise<ReadonlySet<string>> {
  const ofTime = 'time BETWEEN fromUnixTimestamp64Milli({since:Int64}) AND fromUnixTimestamp64Milli({until:Int64})';
  const conditions = [`message GLOBAL IN (SELECT message FROM usage WHERE ${ofTime})`];
  const sql = `SELECT DISTINCT path FROM (${placed('usage', { conditions, withPath: true })})`;
  const rows = await team.rows(sql, { since: Math.floor(since), until: Math.floor(until) });
  return new Set(rows.flatMap(({ path }) => asString(path) ?? []));
}
