/**
 * The archived transcripts of a root as they were last seen. SQLite hands them over in a few long texts: a row for each of thousands
 * takes twice as long.
 */
import { type KnownStates, PARTS_OF_MS } from '../../disk/filestate.ts';
import { all, type Database, get, maybeText, numberOf, textOf } from '../sqlite.ts';

/** Sizes and times tell whether a transcript is kept just as it is now, as far as can be told without opening it (known.ts). */
export interface States extends KnownStates {
  readonly count: number;
  /**
   * Where the first of some names of a folder stands, if these are the next ones: nothing is made of them. -1 where that is not so:
   * then each is asked for. `folder` is what their names begin with.
   */
  nextRows(folder: string, names: readonly string[]): number;
  /** Where a transcript stands among them, by its name; -1 for one that is not there. Quickest in the order of names. */
  rowOf(name: string): number;
}

/** Stands in no name. */
const BETWEEN = '//';

const FILES = `FROM file JOIN version ON version.id = file.current LEFT JOIN scrub ON scrub.version = version.id
  LEFT JOIN seen ON seen.file = file.id WHERE file.root = ? AND file.kind IN ('session', 'agent') ORDER BY file.name`;
/** What was last seen in another state than is kept has no size that a file could have. */
const SIZE = 'CASE WHEN seen.file IS NULL THEN CAST(coalesce(scrub.size, version.size) AS INTEGER) ELSE -1 END';
const STATES = `SELECT count(*) AS files, group_concat(name, '${BETWEEN}') AS names, group_concat(size) AS sizes, group_concat(time) AS times
  FROM (SELECT file.name AS name, ${SIZE} AS size, CAST(file.mtime * ${PARTS_OF_MS} AS INTEGER) AS time ${FILES})`;

export function statesOf(db: Database, root: number): States {
  const row = get(db, STATES, root);
  const text = maybeText(row, 'names') ?? '';
  const count = numberOf(row, 'files');
  /** The next name, and where it stands in the text. */
  let next = 0;
  let at = 0;
  let names: readonly string[] | undefined;
  let rows: ReadonlyMap<string, number> | undefined;

  /** From here on names are looked at one by one. */
  function allNames(): readonly string[] {
    if (names !== undefined) return names;
    const split = text === '' ? [] : text.split(BETWEEN);
    const isWhole = split.length === count;
    names = isWhole ? split : all(db, `SELECT file.name ${FILES}`, root).map((each) => textOf(each, 'name'));
    return names;
  }

  return {
    count,
    sizes: numbersIn(maybeText(row, 'sizes')),
    times: numbersIn(maybeText(row, 'times')),
    nextRows(folder, some) {
      if (names !== undefined || some.length === 0) return -1;
      const wanted = folder + some.join(BETWEEN + folder);
      const end = at + wanted.length;
      if (text.slice(at, end) !== wanted || (end < text.length && !text.startsWith(BETWEEN, end))) return -1;
      const first = next;
      next += some.length;
      at = end + BETWEEN.length;
      return first;
    },
    rowOf(name) {
      const inOrder = allNames();
      for (let known = inOrder[next]; known !== undefined && known <= name; known = inOrder[next]) {
        next += 1;
        if (known === name) return next - 1;
      }
      // Not in that order, or not there.
      rows ??= new Map(inOrder.map((each, place) => [each, place]));
      const found = rows.get(name) ?? -1;
      if (found >= 0) next = found + 1;
      return found;
    },
  };
}

function numbersIn(text = ''): readonly unknown[] {
  return JSON.parse(`[${text}]`);
}
