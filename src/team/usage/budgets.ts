/** The budgets of a team, as far as this login sees them. */
import { asNumber, asString } from '../../format/json.ts';
import { type Budget, PERIODS, SCOPES } from '../../views/usage/budgets.ts';
import type { Team } from '../connect.ts';
import { unlessDenied } from './teams.ts';

export async function budgetsOf(team: Team): Promise<Budget[]> {
  const sql =
    'SELECT toString(scope) AS scope, name, toString(period) AS period, usd FROM budgets FINAL WHERE usd > 0 ORDER BY scope, name, period';
  const rows = await unlessDenied(team.rows(sql));
  return rows.flatMap((row) => {
    const scope = SCOPES.find((each) => each === asString(row.scope));
    const period = PERIODS.find((each) => each === asString(row.period));
    const usd = asNumber(row.usd);
    return scope && period && usd !== undefined ? [{ scope, name: asString(row.name) ?? '', period, usd }] : [];
  });
}
