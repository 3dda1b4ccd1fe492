/**
 * The archived transcripts of a root as they were last seen. SQLite hands them over in a few long texts: a row for each of thousands
 * takes twice as long. The index keeps these texts, so that mostly nothing is looked up for each.
 */
import { type KnownStates, PARTS_OF_MS } from '../../disk/filestate.ts';
import { all, type Database, get, maybeText, numberOf, run, textOf } from '../sqlite.ts';
import { changesOf } from '../store.ts';
import { ownRoots } from '../sync/known.ts';

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
const STATES = `SELECT coalesce((SELECT value FROM meta WHERE key = 'changes'), 0) AS changes,
  count(*) AS files, group_concat(name, '${BETWEEN}') AS names, group_concat(size) AS sizes, group_concat(time) AS times
  FROM (SELECT file.name AS name, ${SIZE} AS size, CAST(file.mtime * ${PARTS_OF_MS} AS INTEGER) AS time ${FILES})`;

interface Texts {
  /** The archive's count of changes when they were made. */
  readonly changes: number;
  readonly files: number;
  readonly sizes: string;
  readonly times: string;
  readonly names: string;
}

function textsOf(db: Database, root: number): Texts {
  const row = get(db, STATES, root);
  const text = (column: string) => maybeText(row, column) ?? '';
  const [changes, files] = [numberOf(row, 'changes'), numberOf(row, 'files')];
  return { changes, files, sizes: text('sizes'), times: text('times'), names: text('names') };
}

const KEPT = 'states:';

/** Keeps them in the index, each root's by its id: four lines, of which the last one may go on. */
export function keepStates(index: Database, db: Database): void {
  run(index, `DELETE FROM meta WHERE key GLOB '${KEPT}*'`);
  for (const root of ownRoots(db).values()) {
    const { changes, files, sizes, times, names } = textsOf(db, root);
    const text = [`${changes} ${files}`, sizes, times, names].join('\n');
    run(index, 'INSERT OR REPLACE INTO meta VALUES (?, ?)', KEPT + root, text);
  }
}

/** undefined where they are not kept, or not of now. */
function keptTexts(index: Database, db: Database, root: number): Texts | undefined {
  const text = get(index, 'SELECT value FROM meta WHERE key = ?', KEPT + root)?.value;
  if (typeof text !== 'string') return undefined;
  let at = 0;
  const line = () => {
    const end = text.indexOf('\n', at);
    const found = text.slice(at, end);
    at = end + 1;
    return found;
  };
  const [changes = -1, files = 0] = line().split(' ').map(Number);
  if (changes !== changesOf(db)) return undefined;
  return { changes, files, sizes: line(), times: line(), names: text.slice(at) };
}

/** `index`: of this archive, where it is open. */
export function statesOf(db: Database, root: number, index?: Database): States {
  const texts = (index && keptTexts(index, db, root)) ?? textsOf(db, root);
  const { names: text, files: count } = texts;
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
    sizes: numbersIn(texts.sizes),
    times: numbersIn(texts.times),
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

function numbersIn(text: string): readonly unknown[] {
  return JSON.parse(`[${text}]`);
}
