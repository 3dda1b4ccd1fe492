/** What the archive keeps of the places looked at: files that are gone from disk, and what it knows of those that are not. */
import { resolve, sep } from 'node:path';
import { ArchiveError } from '../archive/errors.ts';
import { openForReading, type ReadableArchive } from '../archive/mount.ts';
import { toSessionFile } from '../archive/mountfiles.ts';
import { type KeptFile, keptFiles, placeAt } from '../archive/mountplaces.ts';
import { archiveFolder } from '../archive/place.ts';
import type { KeptUsage } from '../archive/usagekept.ts';
import type { SessionFile } from '../disk/find.ts';
import { isFileAt, isOnDisk, mountFile } from '../disk/mounts.ts';
import type { Root } from '../disk/roots.ts';
import type { FileUsage } from '../disk/usage.ts';
import type { Outline } from '../graph/outline.ts';
import type { Fact } from '../views/usage/facts.ts';
import type { Context } from './context.ts';

export interface Kept {
  readonly archive: ReadableArchive;
  readonly files: ReadonlyMap<string, KeptFile>;
}

export interface LookedAt {
  readonly places: readonly string[];
  /** No place was named. */
  readonly everywhere: boolean;
}

/** undefined without an archive, and with one that cannot be opened: that is told, and the disk read without it. */
export function keptAt(context: Context, { places, everywhere }: LookedAt): Kept | undefined {
  try {
    const archive = openOnce(resolve(context.cwd, archiveFolder(context)));
    if (archive === undefined) return undefined;
    const query = { own: archive.id, places: places.map(placeAt), elsewhere: everywhere };
    const files = keptFiles(archive.states(), query);
    return { archive, files: new Map(files.map((file) => [file.path, file])) };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    warnOnce(context, error);
    return undefined;
  }
}

const open = new Map<string, ReadableArchive | undefined>();

function openOnce(folder: string): ReadableArchive | undefined {
  const archive = open.get(folder) ?? openForReading(folder);
  open.set(folder, archive);
  return archive;
}

const warned = new Set<string>();

function warnOnce({ err }: Context, { message, where, next }: ArchiveError): void {
  if (warned.has(where)) return;
  warned.add(where);
  err.write(`${err.style.warn('warning:')} read without the archive: ${message}: ${where} ${err.style.dim(next)}\n`);
}

/** Makes what is gone readable at its path. The transcripts among it, as if they had been found. */
export function mountKept(
  { archive, files }: Kept,
  found: readonly SessionFile[],
  roots: readonly Root[],
): SessionFile[] {
  const there = new Set(found.map(({ file }) => file));
  const gone = [...files.values()].filter(({ path }) => !there.has(path));
  for (const file of gone) mountFile(file.path, archive.mount(file));
  const rootOf = (path: string) => roots.find((root) => path === root.path || path.startsWith(root.path + sep))?.path;
  return gone.flatMap((file) => {
    const session = toSessionFile(file, { rootOf, isThere: isFileAt });
    return session === undefined || isOnDisk(session.file) ? [] : [session];
  });
}

/** What the archive knows of a session: nothing when the file is not as the archive last saw it. */
export interface Known {
  outlineOf(file: SessionFile): Outline | undefined;
  /** When something was last said. */
  updatedOf(file: SessionFile): number | undefined;
  /** The usage of its messages. */
  usageOf(file: SessionFile): FileUsage[] | undefined;
  /** All usage added up, where the archive holds these files as they are, and no others. */
  usageCells(files: readonly SessionFile[]): Fact[] | undefined;
}

export function knownBy(kept: Kept): Known {
  const stateOf = (file: SessionFile) => {
    const state = kept.files.get(file.file)?.state;
    if (state === undefined || file.source === 'archive') return state;
    return state.sourceSize === file.bytes && state.mtimeMs === file.mtimeMs ? state : undefined;
  };
  let usage: KeptUsage | undefined;
  const keptUsage = () => {
    usage ??= kept.archive.usage();
    return usage;
  };
  return {
    usageOf(file) {
      const state = stateOf(file);
      return state && keptUsage()?.find(state.digest, file.file);
    },
    usageCells(files) {
      const transcripts = files.filter(({ source }) => source !== 'history');
      const paths = new Map(transcripts.map((file) => [String(stateOf(file)?.id), file.file]));
      return paths.has('undefined') ? undefined : keptUsage()?.cells(paths);
    },
    outlineOf(file) {
      const state = stateOf(file);
      return state && kept.archive.outlineOf(state);
    },
    updatedOf(file) {
      const state = stateOf(file);
      const time = Date.parse((state && kept.archive.updatedOf(state)) ?? '');
      return Number.isNaN(time) ? undefined : time;
    },
  };
}
