/** The facts of a report on a team. Asked again, at most a few times, where prices need messages told apart that the first answer joined. */
import type { JsonObject } from '../../format/json.ts';
import type { Fact, Pricing } from '../../views/usage/facts.ts';
import type { Team } from '../connect.ts';
import { type CellsAsk, cellsQuery, type Priced, toFacts, USUAL } from './cells.ts';
import { ANY_LOST } from './messages.ts';

export async function teamFacts(team: Team, ask: CellsAsk, pricing: Pricing): Promise<Fact[]> {
  const withLost = (await team.rows(ANY_LOST)).length > 0;
  let apart = USUAL;
  for (;;) {
    const { sql, params } = cellsQuery(ask, apart, withLost);
    const cells: JsonObject[] = await team.rows(sql, params);
    const priced: Priced = toFacts(cells, pricing, apart);
    if (priced.apart === undefined) return priced.facts;
    apart = priced.apart;
  }
}
