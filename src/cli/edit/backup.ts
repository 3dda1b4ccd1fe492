/**
 * Backups of files that Skein changes or removes, under `$SKEIN_HOME/backups`: one folder for each change, with the files as
 * they were and a manifest that says what became of them. Only the owner can read them.
 */
import { readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { type CopiedFile, copyFile, digestOf } from '../../disk/copy.ts';
import { syncFolder, writeFileAtomic } from '../../disk/durable.ts';
import { codeOf, toDiskError } from '../../disk/errors.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import { readJsonObject } from '../../disk/sidecars.ts';
import { asArray, asNumber, asObject, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { encode } from '../../format/text.ts';
import type { Context } from '../context.ts';

/** A file that is about to change. */
export interface Change {
  readonly path: string;
  /** A file with the bytes it will have; undefined when it will be gone. */
  readonly after?: string;
  /** The change itself made it: taking it back removes it. */
  readonly made?: boolean;
}

interface Before extends CopiedFile {
  /** The name of its copy in the backup's folder. */
  readonly name: string;
  readonly mode: number;
}

export interface SavedFile {
  readonly path: string;
  /** undefined: it was not there. */
  readonly before?: Before;
  /** undefined: it is not there any more. */
  readonly after?: CopiedFile;
}

export interface Backup {
  readonly folder: string;
  readonly verb: string;
  readonly time: string;
  readonly files: readonly SavedFile[];
}

const MANIFEST = 'manifest.json';

export function backupsFolder(context: Context): string {
  return join(resolve(context.cwd, archiveFolder(context)), 'backups');
}

/** Before the change is made: the manifest comes last, so that a folder without one is not a backup. Throws DiskError. */
export function saveBackup(
  context: Context,
  { verb, changes }: { readonly verb: string; readonly changes: readonly Change[] },
): string {
  const time = context.now().toISOString();
  const folder = join(backupsFolder(context), nextName(context, time));
  const files = changes.map(({ path, after, made }, index): SavedFile => {
    const name = `${index + 1}${extname(path)}`;
    const stat = !made && isOnDisk(path) ? statSync(path) : undefined;
    return {
      path,
      ...(stat && { before: { name, mode: stat.mode & 0o777, ...copyFile(path, join(folder, name)) } }),
      ...(after !== undefined && { after: digestOf(after) }),
    };
  });
  const manifest = { format: 1, verb, time, files };
  writeFileAtomic(join(folder, MANIFEST), encode(`${JSON.stringify(manifest, null, 2)}\n`));
  return folder;
}

/** In the order of time, also within the same moment. */
function nextName(context: Context, time: string): string {
  const stamp = time.replace(/[:.]/g, '-');
  const taken = namesIn(backupsFolder(context)).filter((name) => name.startsWith(stamp)).length;
  return `${stamp}-${String(taken + 1).padStart(4, '0')}`;
}

/** Oldest first. */
export function listBackups(context: Context): Backup[] {
  const folder = backupsFolder(context);
  return namesIn(folder).flatMap((name) => readBackup(join(folder, name)) ?? []);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function readBackup(folder: string): Backup | undefined {
  const path = join(folder, MANIFEST);
  const manifest = isOnDisk(path) ? readJsonObject(path) : undefined;
  if (manifest === undefined) return undefined;
  const files = (asArray(manifest.files) ?? []).filter(isObject).flatMap(readSaved);
  return { folder, verb: asString(manifest.verb) ?? '', time: asString(manifest.time) ?? '', files };
}

function readSaved(saved: JsonObject): SavedFile[] {
  const path = asString(saved.path);
  if (path === undefined) return [];
  const [before, after] = [asObject(saved.before), asObject(saved.after)];
  const name = asString(before?.name);
  const mode = asNumber(before?.mode) ?? 0o600;
  return [
    {
      path,
      ...(before && name !== undefined && { before: { name, mode, ...readDigest(before) } }),
      ...(after && { after: readDigest(after) }),
    },
  ];
}

function readDigest(value: Json): CopiedFile {
  const { bytes, sha256 } = asObject(value) ?? {};
  return { bytes: asNumber(bytes) ?? 0, sha256: asString(sha256) ?? '' };
}

/** Whether a file is as the change left it: then nothing is lost by taking the change back. */
export function isAsLeft({ path, after }: SavedFile): boolean {
  if (!isOnDisk(path)) return after === undefined;
  return after !== undefined && digestOf(path).sha256 === after.sha256;
}

/** Whether the copy that was kept is still whole. */
export function isWhole({ folder }: Backup, { before }: SavedFile): boolean {
  return before === undefined || digestOf(join(folder, before.name)).sha256 === before.sha256;
}

/** Puts a file back as it was. Throws DiskError. */
export function restoreFile({ folder }: Backup, { path, before }: SavedFile): void {
  if (before !== undefined) copyFile(join(folder, before.name), path, { mode: before.mode, replace: true });
  else if (isOnDisk(path)) removeFile(path);
}

/** With the folders of the client that nothing is left in, but never the folder of all projects. Throws DiskError. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
    for (let folder = dirname(path); OF_CLIENT.test(basename(folder)); folder = dirname(folder)) {
      syncFolder(folder);
      if (readdirSync(folder).length > 0) return;
      rmdirSync(folder);
    }
  } catch (error) {
    throw toDiskError(error, 'cannot remove', path);
  }
}

/** A project (L2), a session's folder, and what is in it. Other folders are the person's: a rewind changes files there. */
const OF_CLIENT = /^(?:-|[A-Za-z]--|[0-9a-f]{8}-[0-9a-f]{4}-|(?:subagents|tool-results)$)/;

/** What taking a backup back does to its files. */
export function takingBack({ folder, files }: Backup): Change[] {
  return files.map(({ path, before }) => ({ path, ...(before && { after: join(folder, before.name) }) }));
}
