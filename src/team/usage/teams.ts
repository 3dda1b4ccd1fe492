/** Who belongs to which team. */
import { asArray, asString } from '../../format/json.ts';
import type { Fact } from '../../views/usage/facts.ts';
import type { Team } from '../connect.ts';
import { TeamError } from '../errors.ts';

/** By login, in order. Nothing where this login may not see it. */
export async function membersOf(team: Team): Promise<ReadonlyMap<string, readonly string[]>> {
  const sql =
    'SELECT login, arraySort(groupUniqArray(toString(team))) AS teams FROM members FINAL WHERE removed = 0 GROUP BY login';
  const rows = await unlessDenied(team.rows(sql));
  return new Map(
    rows.map(({ login, teams }) => [
      asString(login) ?? '',
      (asArray(teams) ?? []).flatMap((name) => asString(name) ?? []),
    ]),
  );
}

/** One who is in several teams is counted under all their names at once, so that rows sum to the total. */
export async function teamsOf(team: Team): Promise<(fact: Fact) => string> {
  const members = await membersOf(team);
  return ({ owner = '' }) => (members.get(owner) ?? []).join(', ');
}

export async function unlessDenied<T>(rows: Promise<T[]>): Promise<T[]> {
  try {
    return await rows;
  } catch (error) {
    if (error instanceof TeamError && error.kind === 'denied') return [];
    throw error;
  }
}
