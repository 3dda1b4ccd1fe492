/** Makes a large team of a small one: the rows of what was pushed again, as other sessions with ids of their own and on other days. */
import type { Team } from '../src/team/connect.ts';
import { PUSHED, sentColumns, TABLES } from '../src/team/schema/tables.ts';

/** The second group of a uuid is the number of the copy, in the columns as in the lines. */
const UUID = '([0-9a-f]{8})-[0-9a-f]{4}-4';

const own = (column: string) => `replaceRegexpAll(${column}, '${UUID}', '\\\\1-{tag}-4')`;
const more = (column: string) => `if(${column} = '', '', concat(${column}, '-{tag}'))`;

/** A word that stands in few places stands in no more of them afterwards. */
export const RARE = 'zanzibarquokka';

const CHANGED: Readonly<Record<string, string>> = {
  session: own('session'),
  name: own('name'),
  id: `if(match(id, '^${UUID}'), ${own('id')}, ${more('id')})`,
  chat: own('chat'),
  // Its own uuid is enough to find it by.
  line: `replaceOne(line, id, ${own('id')})`,
  identity: "concat(substring(identity, 1, 8), '{tag}', substring(identity, 13))",
  words: `replaceAll(words, ' ${RARE} ', ' ${RARE}{tag} ')`,
  message: more('message'),
  request: more('request'),
  person: "concat('p-{tag}', substring(person, 7))",
  machine: "concat('m-{tag}', substring(machine, 7))",
  time: 'time + INTERVAL {days} DAY',
  mtime: 'mtime + INTERVAL {days} DAY',
  updated: 'updated + INTERVAL {days} DAY',
};

/** Twenty copies fill a year. */
const DAYS = 18;
const YEAR = 20;

/** What copies are made of. */
export async function keepOriginal(team: Team): Promise<void> {
  for (const [name, columns] of pushedColumns())
    await team.command(
      `CREATE TABLE original_${name} ENGINE = MergeTree ORDER BY tuple() AS SELECT ${columns.join(', ')} FROM ${name} FINAL`,
    );
}

export async function copyTeam(team: Team, copy: number): Promise<void> {
  const tag = copy.toString(16).padStart(4, '0');
  const days = String((copy % YEAR) * DAYS);
  for (const [name, columns] of pushedColumns()) {
    const values = columns.map((column) =>
      (CHANGED[column] ?? column).replaceAll('{tag}', tag).replaceAll('{days}', days),
    );
    await team.command(`INSERT INTO ${name} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM original_${name}`);
  }
}

function pushedColumns(): (readonly [table: string, columns: readonly string[]])[] {
  return PUSHED.flatMap((name) => {
    const table = TABLES.find((each) => each.name === name);
    return table ? [[name, sentColumns(table)] as const] : [];
  });
}
