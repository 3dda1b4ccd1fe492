/** Sessions by the project they belong to. */
import type { SessionFile } from '../disk/find.ts';
import { groupByProject, type Project } from '../disk/project.ts';
import { namesProject } from '../format/slug.ts';
import type { Library } from './library.ts';

/** A project is named by its path, the end of its path, or its folder's slug. */
export function inProject(library: Library, name: string): SessionFile[] {
  const sessions = library.files.filter((file) => file.kind === 'session');
  const { team } = library;
  const told = team && ((file: SessionFile) => toProject(team.projectOf(file), file.slug));
  const groups = groupByProject(sessions, undefined, told);
  return groups
    .filter((group) => namesProject(group.path, name) || group.sessions.some(({ slug }) => slug === name))
    .flatMap((group) => group.sessions);
}

/** As it was pushed: a team's files are not read for it. */
function toProject(path: string | undefined, slug: string): Project {
  return path === undefined ? { path: slug, from: 'slug' } : { path, from: 'cwd' };
}
