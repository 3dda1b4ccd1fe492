/** Where restored files go. Archives come from elsewhere too: nothing they say leads to another place. */
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { withSlash } from '../../disk/folder.ts';
import { projectSlug } from '../../format/slug.ts';
import type { ArchivedFile } from '../files.ts';
import type { Database } from '../sqlite.ts';
import { archiveId } from '../store.ts';
import { wasOnlyImported } from '../sync/identity.ts';

/** Below `to`; files of several machines or config folders must not fall on each other. */
export function foldersOf(files: readonly ArchivedFile[], to: string | undefined): (file: ArchivedFile) => string {
  if (to === undefined) return (file) => file.root;
  const places = new Set(files.map(({ origin, root }) => `${origin}\0${root}`));
  if (places.size <= 1) return () => to;
  const machines = new Set(files.map(({ origin }) => origin));
  return ({ origin, label, root }) => {
    const machine = machines.size > 1 ? [machineName(label ?? '', origin)] : [];
    return join(to, ...machine, projectSlug(root));
  };
}

const LONGEST_LABEL = 60;

function machineName(label: string, origin: string): string {
  const plain = label.replace(/[^\w.-]/g, '-').slice(0, LONGEST_LABEL);
  return `${plain || 'machine'}-${projectSlug(origin.slice(0, 8))}`;
}

/** Whether a file lay on this machine: only then its own place is a place here. */
export function ownFiles(db: Database): (file: ArchivedFile) => boolean {
  const own = archiveId(db);
  return ({ id, origin }) => origin === own && !wasOnlyImported(db, id);
}

/** Whether a name stays below its folder. */
export function isInside(name: string): boolean {
  const parts = name.split(sep === '/' ? '/' : /[/\\]/);
  return !name.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether a link below the folder leads out of it on the way to a path. */
export function leadsOut(path: string, folder: string): boolean {
  if (!isThere(folder)) return false;
  let at = path;
  while (at !== folder && !isThere(at)) at = dirname(at);
  const [real, top] = [realOf(at), realpathSync(folder)];
  return real === undefined || (real !== top && !real.startsWith(withSlash(top)));
}

/** Whether a path is a link to a file outside the folder: what is written to the path would go there. */
export function isElsewhere(path: string, folder: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && leadsOut(path, folder);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** undefined for a link to nothing. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
