/** Which project a session belongs to. The path comes from the entries' `cwd`; the slug is never decoded (L2). */
import type { Entry } from '../format/entry.ts';
import { asString, parseJson } from '../format/json.ts';
import { projectSlug } from '../format/slug.ts';
import type { SessionFile } from './find.ts';
import { attempt, compareText, type Report } from './folder.ts';
import { readEntriesOf } from './read.ts';
import { fileSource } from './source.ts';

export interface Project {
  /** The working directory; the slug itself where no entry tells one. */
  readonly path: string;
  readonly from: 'cwd' | 'slug';
}

const CHUNK_BYTES = 64 << 10;

/**
 * The `cwd` that gives the folder its name: a session can wander into other folders, its project stays. Where none does
 * (a moved or copied file), the one most lines carry, the earlier on a tie. Stops reading at the first that fits.
 */
export function projectOfEntries(entries: Iterable<Entry>, slug: string): Project {
  return projectOfCwds(
    (function* () {
      for (const { head } of entries) yield head.cwd;
    })(),
    slug,
  );
}

export function projectOfCwds(cwds: Iterable<string | undefined>, slug: string): Project {
  const found = createProject(slug);
  for (const cwd of cwds) if (found.see(cwd)) break;
  return found.project();
}

/** The same, told one after the other. */
export function createProject(slug: string) {
  const counts = new Map<string, number>();
  let own: string | undefined;
  return {
    /** Whether it is known. */
    see(cwd: string | undefined): boolean {
      if (own !== undefined) return true;
      if (cwd === undefined || cwd === '') return false;
      const count = counts.get(cwd);
      if (count === undefined && projectSlug(cwd) === slug) own = cwd;
      counts.set(cwd, (count ?? 0) + 1);
      return own !== undefined;
    },
    project(): Project {
      if (own !== undefined) return { path: own, from: 'cwd' };
      let best: string | undefined;
      for (const [cwd, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = cwd;
      return best === undefined ? { path: slug, from: 'slug' } : { path: best, from: 'cwd' };
    },
  };
}

/** Reads until the project is known, no further than `maxBytes`. Throws DiskError. */
export function projectOf(session: SessionFile, options: { maxBytes?: number } = {}): Project {
  const entries = readEntriesOf(session.file, { to: options.maxBytes, chunkBytes: CHUNK_BYTES });
  return projectOfEntries(entries, session.slug);
}

/** Where the first lines do not tell it, the folder's name has to do. */
const FIRST_BYTES = 256 << 10;
const FEW_BYTES = 8 << 10;

/** The `cwd` that gives the folder its name, if the first lines have it. Throws DiskError. */
export function namingCwd(file: string, slug: string): string | undefined {
  return cwdAtOnce(file, slug) ?? cwdInLines(file, slug);
}

/** It is asked of every session of a project, and mostly stands in the first line: no line is taken apart for it. */
function cwdAtOnce(file: string, slug: string): string | undefined {
  const source = fileSource(file);
  try {
    const text = Buffer.from(source.read(0, FEW_BYTES)).toString('utf8');
    for (const [, json = ''] of text.matchAll(/"cwd":("(?:[^"\\]|\\.)*")/g)) {
      const cwd = asString(parseJson(json));
      if (cwd !== undefined && projectSlug(cwd) === slug) return cwd;
    }
    return undefined;
  } finally {
    source.close();
  }
}

function cwdInLines(file: string, slug: string): string | undefined {
  for (const { head } of readEntriesOf(file, { to: FIRST_BYTES, chunkBytes: CHUNK_BYTES }))
    if (head.cwd !== undefined && projectSlug(head.cwd) === slug) return head.cwd;
  return undefined;
}

export interface ProjectSessions extends Project {
  readonly sessions: readonly SessionFile[];
}

/**
 * Sessions by project, in the order of the paths. Two projects whose slugs collide stay two; one seen under two roots is
 * one. A session that cannot be read is reported and kept under its slug.
 */
export function groupByProject(
  sessions: Iterable<SessionFile>,
  report: Report = () => {},
  toProject: (session: SessionFile) => Project = projectOf,
): ProjectSessions[] {
  const groups = new Map<string, Project & { sessions: SessionFile[] }>();
  for (const session of sessions) {
    const known = attempt(() => toProject(session), session.file, report);
    const project: Project = known ?? { path: session.slug, from: 'slug' };
    const key = `${project.from} ${project.path}`;
    const group = groups.get(key) ?? { ...project, sessions: [] };
    group.sessions.push(session);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => compareText(a.path, b.path) || compareText(a.from, b.from));
}
