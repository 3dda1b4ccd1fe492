/** Rows of a table as they are shown: of files that were pushed whole, with the path of their file where it is needed. */
import { TEAM_ROOT } from '../paths.ts';
import { newest, TRANSCRIPTS } from '../read/chosen.ts';

export interface Query {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const PUSHED = `SELECT session, name FROM files FINAL WHERE kind IN ('session', 'agent')`;

/** The chat of each session. */
export const CHATS = `SELECT session, argMax(chat, ${newest()}) AS chat FROM files FINAL WHERE kind = 'session' GROUP BY session`;

export interface PlacedOptions {
  readonly conditions?: readonly string[];
  /** Only of the files at {paths}, whose names are {names}. */
  readonly isOfFiles?: boolean;
  readonly withPath: boolean;
}

/** All columns, and `path`, '' where it is not needed: what has no row in `files` is still being pushed. */
export function placed(table: string, { conditions = [], isOfFiles = false, withPath }: PlacedOptions): string {
  const all = isOfFiles ? ['name IN {names:Array(String)}', ...conditions] : conditions;
  const rows = (more: readonly string[]) => {
    const where = [...all, ...more].join(' AND ');
    return `SELECT *, owner FROM ${table} FINAL${where === '' ? '' : ` WHERE ${where}`}`;
  };
  if (!withPath && !isOfFiles) {
    return `SELECT *, '' AS path FROM (${rows([`(session, name) GLOBAL IN (${PUSHED})`])})`;
  }
  // A name alone may be that of a file of another folder too.
  const only = isOfFiles ? ' WHERE path IN {paths:Array(String)}' : '';
  return `SELECT told.*, concat('${TEAM_ROOT}projects/', slug, '/', name) AS path FROM (${rows([])}) AS told
    GLOBAL INNER JOIN (${TRANSCRIPTS}) AS places USING (session, name)${only}`;
}

export function pathParams(files: readonly string[] | undefined): Query['params'] {
  return files === undefined ? {} : { paths: files, names: files.map((path) => path.split('/').slice(2).join('/')) };
}

/**
 * What stands in more than one row: in copies, or pushed by several. The rest, nearly all, needs not be joined with anything, which takes a
 * twentieth of the time.
 */
export function repeated(table: string, id: string, conditions: readonly string[] = []): string {
  const where = [`${id} != ''`, ...conditions].join(' AND ');
  return `SELECT ${id} FROM ${table} WHERE ${where} GROUP BY ${id} HAVING count() > 1`;
}
