/** The archived files a selector names: an id or the start of one, @last, project:NAME, or the end of a path. */
import { basename } from 'node:path/posix';
import { projectSlug } from '../format/slug.ts';
import { type ArchivedFile, allFiles } from './files.ts';
import type { Database } from './sqlite.ts';

export interface Chosen {
  /** What was chosen: session ids, or names of files. */
  readonly what: readonly string[];
  /** Everything that belongs to it: agents, outputs, checkpoints. */
  readonly files: readonly ArchivedFile[];
  /** The ids of those that were chosen as a whole, not by one of their files. */
  readonly sessions: readonly string[];
}

const SHORTEST_ID = 4;
const NOTHING: Chosen = { what: [], files: [], sessions: [] };

export function chooseFiles(db: Database, selector: string): Chosen {
  const files = allFiles(db);
  if (selector.startsWith('@last')) return bySessions(files, newest(files, selector));
  if (selector.startsWith('project:')) return bySessions(files, inProject(files, selector.slice('project:'.length)));
  const exact = idsIn(files, (id) => id === selector);
  const ids = exact.size > 0 || selector.length < SHORTEST_ID ? exact : idsIn(files, (id) => id.startsWith(selector));
  return ids.size > 0 ? bySessions(files, ids) : byPath(files, selector);
}

function idsIn(files: readonly ArchivedFile[], fits: (id: string) => boolean): Set<string> {
  const ids = files.flatMap(({ kind, name, session }) => {
    const agent = kind === 'agent' ? /^agent-(.+)\.jsonl$/.exec(basename(name))?.[1] : undefined;
    const fitting = (session !== undefined && fits(session)) || (agent !== undefined && fits(agent));
    return fitting && session !== undefined ? [session] : [];
  });
  return new Set(ids);
}

function newest(files: readonly ArchivedFile[], selector: string): Set<string> {
  const match = /^@last(?:~(\d+))?$/.exec(selector);
  const sessions = files.filter(({ kind }) => kind === 'session').toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const session = match && sessions[Number(match[1] ?? 0)]?.session;
  return new Set(session ? [session] : []);
}

/** By the folder's own name or the path of the project, and where there is none by the end of it (L2). */
function inProject(files: readonly ArchivedFile[], project: string): Set<string> {
  const slug = projectSlug(project);
  const sessions = files.filter(({ kind, session }) => kind === 'session' && session !== undefined);
  const ways: ((folder: string) => boolean)[] = [
    (folder) => folder === project || folder === slug,
    (folder) => folder.endsWith(`-${slug}`),
  ];
  const [found = []] = ways
    .map((fits) => sessions.filter(({ name }) => fits(folderOf(name))))
    .filter((each) => each.length > 0);
  return new Set(found.flatMap(({ session }) => session ?? []));
}

function folderOf(name: string): string {
  return /^(?:projects\/)?([^/]+)\//.exec(name)?.[1] ?? '';
}

/** The folders of projects that sessions among them lie in. */
export function foldersOf(files: readonly ArchivedFile[]): string[] {
  return [...new Set(files.flatMap(({ kind, name }) => (kind === 'session' ? [folderOf(name)] : [])))];
}

function bySessions(files: readonly ArchivedFile[], ids: ReadonlySet<string>): Chosen {
  const own = files.filter(({ session }) => session !== undefined && ids.has(session));
  // What older clients wrote beside an agent names no session.
  const beside = new Set(
    own.filter(({ kind }) => kind === 'agent').map(({ root, name }) => `${root}/${metaName(name)}`),
  );
  const metas = files.filter(({ root, name, session }) => session === undefined && beside.has(`${root}/${name}`));
  return { what: [...ids], files: [...own, ...metas], sessions: [...ids] };
}

function metaName(agent: string): string {
  return agent.replace(/\.jsonl$/, '.meta.json');
}

/** A session's path means the session; any other path that one file. */
function byPath(files: readonly ArchivedFile[], path: string): Chosen {
  const wanted = path.replaceAll('\\', '/');
  const fits = ({ root, name }: ArchivedFile) => `${root}/${name}` === wanted || `/${name}`.endsWith(`/${wanted}`);
  const found = files.filter(fits);
  if (found.length === 0) return NOTHING;
  const sessions = found.flatMap(({ kind, session }) => (kind === 'session' && session !== undefined ? [session] : []));
  if (sessions.length > 0) return bySessions(files, new Set(sessions));
  return { what: [...new Set(found.map(({ name }) => name))], files: found, sessions: [] };
}
