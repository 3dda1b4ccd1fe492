/** Outlines as they were pushed. Where machines went different ways with a file, its outline is made by reading all that came of it. */
import { toOutline } from '../../archive/index/outlinejson.ts';
import { asNumber, asString, parseJson } from '../../format/json.ts';
import type { Outline } from '../../graph/outline.ts';
import type { Ask } from './ask.ts';
import { createBatches } from './batches.ts';
import { keyOf } from './bodies.ts';
import { level } from './chosen.ts';
import type { TeamFile } from './files.ts';

const CHOSEN = 'f.session IN {sessions: Array(String)} AND f.name IN {names: Array(String)}';
/** Of the longest. Where a shorter one tells more than that, all lines are to be read. */
const LONGEST = `(f.size, ${level('f.')}, f.version)`;
const SQL = `SELECT session, name,
    if(argMax(${level('f.')}, ${LONGEST}) < max(${level('f.')}), '', argMax(f.outline, ${LONGEST})) AS outline FROM files AS f FINAL
  WHERE ${CHOSEN} GROUP BY session, name`;
const LINES = `SELECT session, name, uniqExact(n, id) AS lines FROM entries AS f FINAL
  WHERE ${CHOSEN} GROUP BY session, name`;

/** undefined: it is to be read. */
export function createTeamOutlines(ask: Ask, files: readonly TeamFile[]): (file: TeamFile) => Outline | undefined {
  const rowsOf = (sql: string, some: readonly TeamFile[]) => {
    const byKey = new Map(some.map((file) => [keyOf(file.session, file.name), file]));
    const params = { sessions: some.map(({ session }) => session), names: some.map(({ name }) => name) };
    return ask(sql, params).flatMap((row) => {
      const file = byKey.get(keyOf(asString(row.session), asString(row.name)));
      return file === undefined ? [] : [{ row, file }];
    });
  };
  // In the order of the tables' keys: what lies together is read together.
  const inOrder = files.toSorted((a, b) => (a.session < b.session ? -1 : a.session > b.session ? 1 : 0));
  const batches = createBatches(inOrder, (some) => {
    const texts = new Map(rowsOf(SQL, some).map(({ row, file }) => [file, asString(row.outline) ?? '']));
    const varied = some.filter(({ isVaried }) => isVaried);
    // More lines than the longest has: another one has some that it has not.
    for (const { row, file } of varied.length > 0 ? rowsOf(LINES, varied) : [])
      if ((asNumber(row.lines) ?? 0) > file.lines) texts.delete(file);
    return texts;
  });
  const outlines = new Map<TeamFile, Outline | undefined>();
  return (file) => {
    if (outlines.has(file)) return outlines.get(file);
    const text = batches.get(file);
    const outline = text === undefined || text === '' ? undefined : toOutline(parseJson(text));
    outlines.set(file, outline);
    return outline;
  };
}
