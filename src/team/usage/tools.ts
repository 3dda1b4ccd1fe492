/** Tool calls of a team, each once by its id, added up by tool, project, model and quarter of an hour. */
import { asNumber, asString } from '../../format/json.ts';
import { QUARTER } from '../../views/usage/days.ts';
import type { ToolRow } from '../../views/usage/tools.ts';
import type { Team } from '../connect.ts';
import type { CellsAsk } from './cells.ts';
import { pathParams, placed, repeated } from './places.ts';

export interface ToolCell extends ToolRow {
  readonly time: number | undefined;
  readonly project: string;
  readonly model: string;
}

/** As views/usage/tools.ts joins copies: the first that has a result is taken. */
const CALL = `(toString(tool), toString(status), toString(project), toString(model), result_chars, duration,
    if(timed = 1, toUnixTimestamp64Milli(time), NULL))`;
const RANK = `(multiIf(status = 'pending', 2, status = 'interrupted' AND result_bytes = 0, 1, 0), path, time, toString(owner))`;

export async function toolCells(team: Team, { files, exact, since }: CellsAsk): Promise<ToolCell[]> {
  const late = since === undefined ? [] : ['time >= fromUnixTimestamp64Milli({since:Int64})'];
  const isOfFiles = files !== undefined;
  const again = repeated('tool_calls', 'id', late);
  const single = { conditions: [...late, `id != '' AND id GLOBAL NOT IN (${again})`], isOfFiles, withPath: false };
  const several = { conditions: [...late, `(id = '' OR id GLOBAL IN (${again}))`], isOfFiles, withPath: true };
  const quarter = `toInt64(floor(ms / ${QUARTER})) * ${QUARTER}`;
  const sql = `SELECT tool, project, model, at, count() AS calls, countIf(status = 'error') AS failures, countIf(status = 'denied') AS denied,
      countIf(status = 'interrupted') AS interrupted, countIf(status = 'pending') AS pending,
      sum(coalesce(took, 0)) AS duration, countIf(took IS NOT NULL) AS timed, sum(said) AS characters, max(said) AS largest
    FROM (
      SELECT once.1 AS tool, once.2 AS status, once.3 AS project, once.4 AS model, once.5 AS said, once.6 AS took, once.7 AS ms,
        if(has({exact:Array(Int64)}, ${quarter}), ms, ${quarter}) AS at
      FROM (
        SELECT ${CALL} AS once FROM (${placed('tool_calls', single)})
        UNION ALL
        SELECT argMin(${CALL}, ${RANK}) AS once FROM (${placed('tool_calls', several)})
        GROUP BY if(id = '', concat('\\0', path, '\\0', toString(time)), id)
      )
    ) GROUP BY tool, project, model, at`;
  const rows = await team.rows(sql, {
    exact: typeof exact === 'boolean' ? [] : exact,
    ...pathParams(files),
    ...(since !== undefined && { since: Math.floor(since) }),
  });
  return rows.map((row) => {
    const number = (name: string) => asNumber(row[name]) ?? 0;
    const text = (name: string) => asString(row[name]) ?? '';
    return {
      tool: text('tool'),
      project: text('project'),
      model: text('model'),
      time: asNumber(row.at),
      calls: number('calls'),
      failures: number('failures'),
      denied: number('denied'),
      interrupted: number('interrupted'),
      pending: number('pending'),
      durationMs: number('duration'),
      timed: number('timed'),
      resultCharacters: number('characters'),
      largestResult: number('largest'),
    };
  });
}
