/** Writes archived files back, byte for byte, with their mtime. What is there and differs is left alone. */
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../disk/durable.ts';
import { projectSlug } from '../format/slug.ts';
import { createDigest } from './digest.ts';
import { ArchiveError } from './errors.ts';
import { type ArchivedFile, type Version, versionOf, versionsOf } from './files.ts';
import { chunksOf, openInput } from './input.ts';
import { checkedBytes } from './read.ts';
import { pathOf } from './sources.ts';
import type { Database } from './sqlite.ts';
import { type Archive, guarded } from './store.ts';

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

/** same: already there · kept: something else is there and was not replaced · missing: no such version · damaged: nothing was written. */
export type Restored = 'restored' | 'same' | 'kept' | 'missing' | 'damaged';

export interface RestoredFile {
  readonly file: ArchivedFile;
  readonly path: string;
  readonly bytes: number;
  readonly outcome: Restored;
}

export function restore(
  { db, path }: Archive,
  files: readonly ArchivedFile[],
  options: RestoreOptions = {},
): RestoredFile[] {
  const folderOf = foldersOf(files, options.to);
  const results: RestoredFile[] = [];
  for (const file of files) {
    if (options.signal?.aborted) break;
    const target = pathOf(file, folderOf(file));
    const version = chosenVersion(db, file, options.version);
    const outcome =
      version === undefined
        ? 'missing'
        : guarded('cannot restore', path, () => restoreOne(db, version, target, options.force === true));
    const bytes = version?.size ?? 0;
    results.push({ file, path: target, bytes, outcome });
    options.onFile?.({ bytes });
  }
  return results;
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

function restoreOne(db: Database, version: Version, path: string, force: boolean): Restored {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) {
    if (there.isFile() && there.size === version.size && digestOf(path).equals(version.digest)) return 'same';
    if (!force || !there.isFile()) return 'kept';
  }
  try {
    writeFileAtomic(path, checkedBytes(db, version));
  } catch (error) {
    if (error instanceof ArchiveError) return 'damaged';
    throw error;
  }
  utimesSync(path, version.mtimeMs / 1000, version.mtimeMs / 1000);
  return 'restored';
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
