/** Writes archived files back, byte for byte, with their mtime. What is there and differs is left alone. */
import { statSync, utimesSync } from 'node:fs';
import { join, sep } from 'node:path';
import { writeInParts } from '../disk/durable.ts';
import { projectSlug } from '../format/slug.ts';
import { createDigest } from './digest.ts';
import { ArchiveError, toArchiveError } from './errors.ts';
import { type ArchivedFile, type Version, versionOf, versionsOf } from './files.ts';
import { chunksOf, openInput } from './input.ts';
import { checkedBytes } from './read.ts';
import { scrubbedAt, sourceOf } from './scrubs.ts';
import { pathOf } from './sources.ts';
import type { Database } from './sqlite.ts';
import { type Archive, guarded } from './store.ts';
import { atOnce, inTurns, type Work } from './turns.ts';

export interface RestoreOptions {
  /** Below this folder instead of where the files came from. */
  readonly to?: string;
  /** Replace files that are newer or different. */
  readonly force?: boolean;
  /** 1 is the oldest; without it the one last seen. */
  readonly version?: number;
  readonly signal?: AbortSignal;
  readonly onFile?: (file: { readonly bytes: number }) => void;
}

/**
 * same: already there · kept: something else is there and was not replaced · missing: no such version · damaged: nothing was
 * written · refused: its name leads out of the folder.
 */
export type Restored = 'restored' | 'same' | 'kept' | 'missing' | 'damaged' | 'refused';

export interface RestoredFile {
  readonly file: ArchivedFile;
  readonly path: string;
  readonly bytes: number;
  readonly outcome: Restored;
  /** Its secrets are masked. */
  readonly scrubbed: boolean;
}

export function restore(
  archive: Archive,
  files: readonly ArchivedFile[],
  options: RestoreOptions = {},
): RestoredFile[] {
  return guarded('cannot restore', archive.path, () => atOnce(restoreAll(archive, files, options)));
}

/** The same, stopped by the signal at any moment: a file is there as a whole or not at all. */
export async function restoreInTurns(
  archive: Archive,
  files: readonly ArchivedFile[],
  options: RestoreOptions = {},
): Promise<RestoredFile[]> {
  try {
    return await inTurns(restoreAll(archive, files, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot restore', archive.path);
  }
}

function* restoreAll({ db }: Archive, files: readonly ArchivedFile[], options: RestoreOptions): Work<RestoredFile[]> {
  const folderOf = foldersOf(files, options.to);
  const results: RestoredFile[] = [];
  for (const file of files) {
    const path = pathOf(file, folderOf(file));
    const version = chosenVersion(db, file, options.version);
    const outcome =
      version === undefined
        ? 'missing'
        : isInside(file.name)
          ? yield* restoreOne(db, version, path, options)
          : 'refused';
    if (outcome === undefined) break;
    const bytes = version?.size ?? 0;
    const scrubbed = version !== undefined && scrubbedAt(db, version.id) !== undefined;
    results.push({ file, path, bytes, outcome, scrubbed });
    options.onFile?.({ bytes });
  }
  return results;
}

/** Archives come from elsewhere too: a name must not lead to another place. */
function isInside(name: string): boolean {
  const parts = name.split(sep === '/' ? '/' : /[/\\]/);
  return !name.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

function chosenVersion(db: Database, file: ArchivedFile, number: number | undefined): Version | undefined {
  if (number !== undefined) return versionsOf(db, file.id)[number - 1];
  return file.current === undefined ? undefined : versionOf(db, file.current);
}

/** Files of several machines or config folders must not fall on each other. */
function foldersOf(files: readonly ArchivedFile[], to: string | undefined): (file: ArchivedFile) => string {
  if (to === undefined) return (file) => file.root;
  const places = new Set(files.map(({ origin, root }) => `${origin}\0${root}`));
  if (places.size <= 1) return () => to;
  const machines = new Set(files.map(({ origin }) => origin));
  return ({ origin, label, root }) => {
    const machine = machines.size > 1 ? [`${label || 'machine'}-${origin.slice(0, 8)}`] : [];
    return join(to, ...machine, projectSlug(root));
  };
}

/** undefined when it was stopped. */
function* restoreOne(
  db: Database,
  version: Version,
  path: string,
  { force = false, signal }: RestoreOptions,
): Work<Restored | undefined> {
  if (signal?.aborted) return undefined;
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) {
    if (there.isFile() && isSame(db, version, path, there.size, force)) return 'same';
    if (!force || !there.isFile()) return 'kept';
  }
  try {
    for (const _ of writeInParts(path, checkedBytes(db, version))) {
      if (signal?.aborted) return undefined;
      yield;
    }
  } catch (error) {
    if (error instanceof ArchiveError) return 'damaged';
    throw error;
  }
  utimesSync(path, version.mtimeMs / 1000, version.mtimeMs / 1000);
  return 'restored';
}

/** What was scrubbed here and not there is the same file, unless a person wants the scrubbed one in its place. */
function isSame(db: Database, version: Version, path: string, size: number, force: boolean): boolean {
  const states = force ? [version] : [version, sourceOf(db, version)];
  const fitting = states.filter((state) => state.size === size);
  if (fitting.length === 0) return false;
  const digest = digestOf(path);
  return fitting.some((state) => state.digest.equals(digest));
}

function digestOf(path: string): Buffer {
  const input = openInput(path);
  try {
    const digest = createDigest();
    for (const chunk of chunksOf(input, 0, input.size)) digest.update(chunk);
    return digest.value();
  } finally {
    input.close();
  }
}
