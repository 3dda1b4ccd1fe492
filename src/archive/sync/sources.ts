/** What there is to archive: sessions, sub-agents and everything around them (L3, L4), by names alone. */
import { basename, dirname, join, sep } from 'node:path';
import { isTemporary } from '../../disk/durable.ts';
import type { Problem } from '../../disk/errors.ts';
import { findSessions } from '../../disk/find.ts';
import { attempt, withSlash } from '../../disk/folder.ts';
import { type FolderFs, folderFs } from '../../disk/io.ts';
import { parentSessionOf } from '../../disk/parent.ts';
import type { Root } from '../../disk/roots.ts';
import { findSidecars } from '../../disk/sidecars.ts';

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

type OnDisk = Pick<SourceFile, 'kind' | 'bytes' | 'mtimeMs'> & { readonly file: string };

export function findSources(roots: readonly Root[]): Sources {
  const fs = remembering(folderFs);
  const found = findSessions(roots, { fs });
  const sidecars = findSidecars(roots, found, { fs });
  // What lies in both walks' way is told once.
  const told = new Set(found.problems.map(({ where }) => where));
  const problems: Problem[] = [...found.problems, ...sidecars.problems.filter(({ where }) => !told.has(where))];
  const place = placesOf(roots, (problem) => problems.push(problem));
  const sessions = found.files.map((file) =>
    toSource(file, () =>
      file.kind === 'agent' ? (file.parentSessionId ?? parentSessionOf(file.file)) : file.sessionId,
    ),
  );
  // What a killed restore was writing is no file of the client's.
  const theirs = sidecars.files.filter(({ file }) => !(file.endsWith('.tmp') && isTemporary(basename(file))));
  const others = theirs.map((file) => toSource(file, () => file.sessionId));

  function toSource({ file, kind, bytes, mtimeMs }: OnDisk, session: SourceFile['session']): SourceFile {
    const { root, name } = place(file);
    return { path: file, root, name, kind, bytes, mtimeMs, session };
  }

  const files = [...sessions, ...others];
  return { files: roots.length === 1 ? files : eachOnce(files), problems };
}

/** A root that is reached by two ways has its files once. */
function eachOnce(files: readonly SourceFile[]): SourceFile[] {
  const roots = new Map<string, Set<string>>();
  return files.filter(({ root, name }) => {
    const names = roots.get(root) ?? new Set<string>();
    roots.set(root, names);
    const before = names.size;
    return names.add(name).size > before;
  });
}

/** Two walks over the same folders: each is listed once, and both see the same. */
function remembering(fs: FolderFs): FolderFs {
  return { ...fs, realPath: once(fs.realPath), listed: new Map() };
}

function once<T>(call: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const value = known.get(path) ?? call(path);
    known.set(path, value);
    return value;
  };
}

type Place = Pick<SourceFile, 'root' | 'name'>;

export function placesOf(roots: readonly Root[], report: (problem: Problem) => void): (file: string) => Place {
  const bases = roots.map(({ kind, path, config }) => {
    const base = config ?? (kind === 'session' ? dirname(path) : path);
    const real = attempt(() => folderFs.realPath(base), base, report) ?? base;
    return { start: withSlash(base), real };
  });
  const baseOf = (file: string) => {
    for (const base of bases) if (file.startsWith(base.start)) return base;
    return undefined;
  };
  return (file) => {
    const at = baseOf(file);
    const name = at === undefined ? basename(file) : file.slice(at.start.length);
    return { root: at?.real ?? dirname(file), name: sep === '/' ? name : name.replaceAll(sep, '/') };
  };
}

export function pathOf(file: { readonly root: string; readonly name: string }, folder = file.root): string {
  // Names of a walk need no more: `join` would look at every character.
  if (sep === '/' && !/\/\/|\/\.|^\.|^\/|\/$/.test(file.name)) return withSlash(folder) + file.name;
  return join(folder, ...file.name.split('/'));
}
