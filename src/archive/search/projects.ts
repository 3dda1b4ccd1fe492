/** Which project a transcript is of, where the name of its folder could be that of several (L2): its session tells. */
import { basename, dirname, join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { namingCwd } from '../../disk/project.ts';
import { lazy } from '../../format/lazy.ts';
import { projectSlug } from '../../format/slug.ts';
import { outlineIn } from '../index/outlines.ts';
import { blobOf, type Database, get } from '../sqlite.ts';

export interface TranscriptPlace {
  /** Where it lies or lay. */
  readonly path: string;
  readonly slug: string;
  /** Of a sub-agent the one that started it. */
  readonly session: string | undefined;
  readonly agent: string | undefined;
}

/** Each session is looked at once. `elsewise`: how one is known that is not on disk. */
export function createProjects(elsewise: (path: string, slug: string) => string | undefined = () => undefined) {
  const known = new Map<string, string | undefined>();

  function look(path: string, slug: string): string | undefined {
    try {
      return namingCwd(path, slug);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return elsewise(path, slug);
    }
  }

  return (place: TranscriptPlace): string | undefined => {
    const path = sessionPathOf(place);
    if (!known.has(path)) known.set(path, look(path, place.slug));
    return known.get(path);
  };
}

function sessionPathOf({ path, slug, session, agent }: TranscriptPlace): string {
  if (agent === undefined || session === undefined) return path;
  let folder = dirname(path);
  while (basename(folder) !== slug && dirname(folder) !== folder) folder = dirname(folder);
  return basename(folder) === slug ? join(folder, `${session}.jsonl`) : path;
}

const DIGEST = 'SELECT version.digest FROM file JOIN version ON version.id = file.current WHERE file.id = ?';

/** Of archived sessions, by what is kept of them. `files`: all there are. */
export function archivedProject(
  db: Database,
  index: Database,
  files: readonly { readonly id: number; readonly path: string }[],
): (path: string, slug: string) => string | undefined {
  const ids = lazy(() => new Map(files.map(({ id, path }) => [path, id])));
  return (path, slug) => {
    const row = get(db, DIGEST, ids().get(path) ?? 0);
    const outline = row && outlineIn(index, blobOf(row, 'digest'));
    return outline?.cwds.find((cwd) => projectSlug(cwd) === slug);
  };
}
