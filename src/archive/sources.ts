/** What there is to archive: sessions, sub-agents and everything around them (L3, L4), by names alone. */
import { dirname, join, relative, sep } from 'node:path';
import type { Problem } from '../disk/errors.ts';
import { findSessions } from '../disk/find.ts';
import { attempt } from '../disk/folder.ts';
import { folderFs } from '../disk/io.ts';
import { parentSessionOf } from '../disk/parent.ts';
import type { Root } from '../disk/roots.ts';
import { findSidecars } from '../disk/sidecars.ts';

export interface SourceFile {
  readonly path: string;
  /** The config folder it lies in, without links, so that it has one name however it is reached. */
  readonly root: string;
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** Whose it is. Older agents say so only in their lines, which are read then (L3). */
  session(): string | undefined;
}

export interface Sources {
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
}

export function findSources(roots: readonly Root[]): Sources {
  const found = findSessions(roots);
  const sidecars = findSidecars(roots, found);
  const problems: Problem[] = [...found.problems, ...sidecars.problems];
  const place = placesOf(roots, (problem) => problems.push(problem));
  const sessions = found.files.map((file): SourceFile => {
    const agentOf = () => file.parentSessionId ?? parentSessionOf(file.file);
    return { ...rest(file), session: file.kind === 'agent' ? agentOf : () => file.sessionId };
  });
  const others = sidecars.files.map((file): SourceFile => ({ ...rest(file), session: () => file.sessionId }));

  function rest({ file, kind, bytes, mtimeMs }: { file: string; kind: string; bytes: number; mtimeMs: number }) {
    return { path: file, ...place(file), kind, bytes, mtimeMs };
  }

  return { files: [...sessions, ...others], problems };
}

type Place = Pick<SourceFile, 'root' | 'name'>;

function placesOf(roots: readonly Root[], report: (problem: Problem) => void): (file: string) => Place {
  const bases = roots.map(({ kind, path, config }) => {
    const base = config ?? (kind === 'session' ? dirname(path) : path);
    return { base, real: attempt(() => folderFs.realPath(base), base, report) ?? base };
  });
  return (file) => {
    const at = bases.find(({ base }) => file.startsWith(`${base}${sep}`));
    const { base, real } = at ?? { base: dirname(file), real: dirname(file) };
    return { root: real, name: relative(base, file).split(sep).join('/') };
  };
}

export function pathOf(file: { readonly root: string; readonly name: string }, folder = file.root): string {
  return join(folder, ...file.name.split('/'));
}
