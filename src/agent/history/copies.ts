/** Copies of files under `file-history/<session>/`, named as the client names them. */
import { createHash } from 'node:crypto';
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { copyFile } from '../../disk/copy.ts';
import { closeFile, openFile, readAt } from '../../disk/io.ts';
import type { FileBackup } from '../../format/typed.ts';

export function copiesFolder(config: string, sessionId: string): string {
  return join(config, 'file-history', sessionId);
}

/** The first 16 digits of the SHA-256 of the path, and which copy of the file it is. */
export function copyName(path: string, version: number): string {
  return `${createHash('sha256').update(path).digest('hex').slice(0, 16)}@v${version}`;
}

/** A path as it is tracked: relative below the place where the session began. */
export function trackedPath(root: string, path: string): string {
  const below = relative(root, path);
  const outside = below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below);
  return outside ? path : below;
}

/** Where a tracked file lies: `root` is where its session began. */
export function placeOf(root: string, { path, realParentDir }: FileBackup): string {
  if (isAbsolute(path)) return path;
  return realParentDir === undefined ? resolve(root, path) : join(realParentDir, basename(path));
}

/** Where a path leads; itself when nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** undefined when nothing is there. */
export function fileAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/**
 * The copy has the mode of the file: whoever brings it back takes the mode from there. The folder is the owner's alone.
 * Names that are taken, as by a client that ended before it wrote its line, are passed over. Throws DiskError.
 */
export function keepCopy(
  folder: string,
  path: string,
  version: number,
  mode: number,
): { name: string; version: number } {
  for (let number = version; ; number += 1) {
    const name = copyName(path, number);
    if (fileAt(join(folder, name)) !== undefined) continue;
    copyFile(path, join(folder, name), { mode: mode & 0o777 });
    return { name, version: number };
  }
}

/** The copies of a session for one that was forked from it; those that are there already stay. Throws DiskError. */
export function bringCopies(config: string, from: string, to: string): number {
  const [source, target] = [copiesFolder(config, from), copiesFolder(config, to)];
  if (from === to || fileAt(source) === undefined) return 0;
  const names = readdirSync(source).filter((name) => /@v\d+$/.test(name) && fileAt(join(target, name)) === undefined);
  for (const name of names) {
    copyFile(join(source, name), join(target, name), { mode: (fileAt(join(source, name))?.mode ?? 0o600) & 0o777 });
  }
  return names.length;
}

const CHUNK_BYTES = 256 << 10;

/** By their bytes; false when one of them cannot be read. */
export function isSameContent(a: string, b: string): boolean {
  const [left, right] = [fileAt(a), fileAt(b)];
  if (!left?.isFile() || !right?.isFile() || left.size !== right.size) return false;
  const fds: number[] = [];
  try {
    for (const path of [a, b]) fds.push(openFile(path));
    const [one, two] = fds;
    return one !== undefined && two !== undefined && isSameTo(one, two);
  } catch {
    return false;
  } finally {
    for (const fd of fds) closeFile(fd);
  }
}

function isSameTo(a: number, b: number): boolean {
  const [left, right] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  for (let at = 0; ; ) {
    const got = readAt(a, left, at);
    if (got !== readAt(b, right, at) || left.compare(right, 0, got, 0, got) !== 0) return false;
    if (got === 0) return true;
    at += got;
  }
}
