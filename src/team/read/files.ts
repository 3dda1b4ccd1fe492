/** The files of a team, as its tables list them: one for all machines and logins that pushed it. */
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import type { Ask, Place } from './ask.ts';
import { fullest, newest as last, placing, withFolders } from './chosen.ts';

export interface TeamFile extends Place {
  /** As the archive has it: session, agent, or what lies beside them. */
  readonly kind: string;
  /** The folder of its session. */
  readonly slug: string;
  readonly project: string;
  readonly mtimeMs: number;
  readonly updated: number | undefined;
  /** Of the largest, on the machine it came from. */
  readonly bytes: number;
  readonly lines: number;
  /** Somebody sent it as it is. */
  readonly isFull: boolean;
  /** Machines hold it in different states: shorter ones, or such that went another way. */
  readonly isVaried: boolean;
  readonly chat: string;
  readonly title: string;
  /** Changes whenever it was pushed again. */
  readonly version: number;
}

/** Which are wanted; all without it. */
export interface Wanted {
  /** How their session's or agent's id begins. */
  readonly id?: string;
  /** The sessions something was said in last, so many. */
  readonly newest?: number;
  /** The sessions something was said in since, in milliseconds. */
  readonly since?: number;
  /** Of these chats, or of sessions with these ids. */
  readonly chats?: readonly string[];
}

const COLUMNS = `f.session AS session, f.name AS name,
  argMax(f.kind, latest) AS kind, max(${placing('f.')}) AS placing, argMax(f.project, latest) AS project,
  max(toUnixTimestamp64Milli(f.mtime)) AS mtime, max(toUnixTimestamp64Milli(f.updated)) AS updated,
  max(f.size) AS size, max(f.lines) AS lines, max(f.content = 'full') AS full, uniqExact(f.digest) > 1 AS varied,
  argMax(f.chat, ${last('f.')}) AS chat, argMax(f.title, latest) AS title, max(f.version) AS version`;

export function listFiles(ask: Ask, { id, newest, since, chats }: Wanted = {}): TeamFile[] {
  const [where, params] = conditionOf({ id, chats });
  // The names of inner columns would hide those of the table.
  const listed = `WITH ${fullest('f.')} AS latest SELECT ${COLUMNS} FROM files AS f FINAL ${where} GROUP BY session, name`;
  const recent = since === undefined ? '' : ' AND updated >= {since: Int64}';
  const limit = newest === undefined ? '' : ' ORDER BY coalesce(updated, mtime) DESC, session LIMIT {newest: UInt32}';
  const sql =
    newest === undefined && since === undefined
      ? listed
      : `SELECT * FROM (${listed}) WHERE kind = 'session' AND size > 0${recent}${limit}`;
  return ask(withFolders(sql), { ...params, newest, since })
    .map(toFile)
    .filter(isPlain);
}

/** A path that leads elsewhere, or a name that a terminal would obey, is no file of a project: whoever pushed it may be anybody. */
function isPlain({ session, slug, name }: TeamFile): boolean {
  const parts = [...(slug === '' ? [] : [slug]), ...name.split('/')];
  const isPath = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[/\\]/.test(part));
  return isPath && !OBEYED.test(session + slug + name);
}

const OBEYED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function conditionOf({ id, chats }: Wanted): [where: string, params: Record<string, unknown>] {
  if (id !== undefined)
    return ['WHERE startsWith(f.session, {id: String}) OR startsWith(f.agent, {id: String})', { id }];
  if (chats !== undefined)
    return ['WHERE f.session IN {chats: Array(String)} OR f.chat IN {chats: Array(String)}', { chats }];
  return ['', {}];
}

function toFile(row: JsonObject): TeamFile {
  const text = (name: string) => asString(row[name]) ?? '';
  const number = (name: string) => asNumber(row[name]) ?? 0;
  return {
    session: text('session'),
    name: text('name'),
    kind: text('kind'),
    slug: text('slug'),
    project: text('project'),
    mtimeMs: number('mtime'),
    updated: asNumber(row.updated),
    bytes: number('size'),
    lines: number('lines'),
    isFull: number('full') === 1,
    isVaried: number('varied') === 1,
    chat: text('chat'),
    title: text('title'),
    version: number('version'),
  };
}
