/** The filters of a query as conditions. Names are compared here, by the tests that all searches share: the server only tells which there are. */
import { asString } from '../../format/json.ts';
import { fileTest, type LabelTests, labelTests, wheresOf } from '../../views/search/filter.ts';
import type { Choice, FilterName, Query } from '../../views/search/query.ts';
import type { Team } from '../connect.ts';
import type { Values } from './values.ts';

const NONE: Choice = { any: [], none: [] };
/** DateTime64 goes no further. */
const LAST = Date.UTC(2299, 11, 31);

/** Over the columns of `messages`. */
export async function filterConditions(team: Team, query: Query, values: Values): Promise<string[]> {
  const { filters, after, before } = query;
  const labelled = await Promise.all([
    labelConditions(team, query, 'tool', 'tool', values),
    labelConditions(team, query, 'file', 'file', values),
    labelConditions(team, query, 'model', 'model', values),
    labelConditions(team, query, 'git-branch', 'branch', values),
  ]);
  const timed = after !== undefined || before !== undefined;
  return [
    ...isIn('role', filters.role, values),
    ...isIn('said', { any: wheresOf(filters.in.any), none: wheresOf(filters.in.none) }, values),
    ...filters.is.any.map(() => 'error = 1'),
    ...filters.is.none.map(() => 'error = 0'),
    ...sessionConditions(filters.session, values),
    ...labelled.flat(),
    ...(timed ? ['timed = 1'] : []),
    ...(after === undefined ? [] : [`time >= ${timeOf(after, values)}`]),
    ...(before === undefined ? [] : [`time < ${timeOf(before, values)}`]),
  ];
}

/** Milliseconds as the server's time. */
export function timeOf(time: number, values: Values): string {
  return `fromUnixTimestamp64Milli(${values.add('Int64', Math.min(Math.max(0, Math.round(time)), LAST))})`;
}

function isIn(column: string, { any, none }: Choice, values: Values): string[] {
  return [
    ...(any.length > 0 ? [`${column} IN ${values.add('Array(String)', any)}`] : []),
    ...(none.length > 0 ? [`${column} NOT IN ${values.add('Array(String)', none)}`] : []),
  ];
}

/** How the id of a session or of its agent begins, as fileTest has it. */
function sessionConditions({ any, none }: Choice, values: Values): string[] {
  const begins = (ids: readonly string[]) =>
    ids
      .map((id) => values.add('String', id))
      .map((id) => `startsWith(session, ${id}) OR startsWith(agent, ${id})`)
      .join(' OR ');
  return [...(any.length > 0 ? [`(${begins(any)})`] : []), ...(none.length > 0 ? [`NOT (${begins(none)})`] : [])];
}

type Label = keyof LabelTests & FilterName;

/** What has no label fits only when none is asked for. */
async function labelConditions(
  team: Team,
  query: Query,
  label: Label,
  column: string,
  values: Values,
): Promise<string[]> {
  const { any, none } = query.filters[label];
  const fitting = async (wanted: readonly string[]) => {
    const fits = labelTests({ ...query, filters: { ...query.filters, [label]: { any: wanted, none: [] } } })[label];
    const names = (await Promise.all(wanted.map((each) => namesIn(team, column, each)))).flat();
    return [...new Set(names)].filter((name) => fits(name));
  };
  return [
    ...(any.length > 0 ? [`${column} IN ${values.add('Array(String)', await fitting(any))}`] : []),
    ...(none.length > 0 ? [`${column} NOT IN ${values.add('Array(String)', await fitting(none))}`] : []),
  ];
}

/** All that may fit. There are many files: those without the longest part of what is wanted are left out, as far as ASCII can tell. */
async function namesIn(team: Team, column: string, wanted: string): Promise<string[]> {
  const [part = ''] = wanted
    .split('*')
    .flatMap((each) => each.match(/[\u0020-\u007e]+/g) ?? [])
    .toSorted((a, b) => b.length - a.length);
  const rows = await team.rows(
    `SELECT DISTINCT ${column} AS name FROM messages
    WHERE ${column} != '' AND (length(${column}) != lengthUTF8(${column}) OR positionCaseInsensitive(${column}, {part: String}) > 0)`,
    { part },
  );
  return rows.map(({ name }) => asString(name) ?? '');
}

/** The slugs of the projects that are asked for; undefined when all are. */
export async function wantedSlugs(team: Team, query: Query): Promise<string[] | undefined> {
  const fits = fileTest({ ...query, filters: { ...query.filters, session: NONE } });
  if (fits === undefined) return undefined;
  const rows = await team.rows('SELECT DISTINCT slug AS name FROM files');
  return rows
    .map(({ name }) => asString(name) ?? '')
    .filter((slug) => fits({ slug, session: undefined, agent: undefined }));
}
