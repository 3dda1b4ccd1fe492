/** The archived files a selector names: an id or the start of one, @last, project:NAME, or the end of a path. */
import { basename } from 'node:path/posix';
import { projectSlug } from '../format/slug.ts';
import { type ArchivedFile, allFiles } from './files.ts';
import type { Database } from './sqlite.ts';

export interface Chosen {
  /** What was chosen: session ids, or names of files that belong to none. */
  readonly what: readonly string[];
  /** Everything that belongs to it: agents, outputs, checkpoints. */
  readonly files: readonly ArchivedFile[];
}

const SHORTEST_ID = 4;
const NOTHING: Chosen = { what: [], files: [] };

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

/** By the path of the project, the end of it, or the folder's own name (L2). */
function inProject(files: readonly ArchivedFile[], project: string): Set<string> {
  const slug = projectSlug(project);
  const sessions = files.flatMap(({ kind, name, session }) => {
    const folder = /^(?:projects\/)?([^/]+)\//.exec(name)?.[1];
    const fits = folder === project || folder === slug || folder?.endsWith(`-${slug}`);
    return kind === 'session' && fits && session !== undefined ? [session] : [];
  });
  return new Set(sessions);
}

function bySessions(files: readonly ArchivedFile[], ids: ReadonlySet<string>): Chosen {
  return { what: [...ids], files: files.filter(({ session }) => session !== undefined && ids.has(session)) };
}

/** A session's path means the session; any other path that one file. */
function byPath(files: readonly ArchivedFile[], path: string): Chosen {
  const wanted = path.replaceAll('\\', '/');
  const fits = ({ root, name }: ArchivedFile) => `${root}/${name}` === wanted || `/${name}`.endsWith(`/${wanted}`);
  const found = files.filter(fits);
  if (found.length === 0) return NOTHING;
  const sessions = found.flatMap(({ kind, session }) => (kind === 'session' && session !== undefined ? [session] : []));
  if (sessions.length > 0) return bySessions(files, new Set(sessions));
  return { what: [...new Set(found.map(({ name }) => name))], files: found };
}
