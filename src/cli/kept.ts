/** What the archive keeps of the places looked at: files that are gone from disk, and what it knows of those that are not. */
import { basename, resolve, sep } from 'node:path';
import { ArchiveError } from '../archive/errors.ts';
import { quietly } from '../archive/index/derived.ts';
import type { KeptUsage } from '../archive/index/usagekept.ts';
import { openForReading, type ReadableArchive } from '../archive/mount/mount.ts';
import { toSessionFile } from '../archive/mount/mountfiles.ts';
import { type KeptFile, keptFiles, placeAt } from '../archive/mount/mountplaces.ts';
import { archiveFolder } from '../archive/place.ts';
import { chatOfSession } from '../archive/search/knownchats.ts';
import { beginsWith } from '../disk/beginning.ts';
import type { SessionFile } from '../disk/find.ts';
import { isFileAt, isOnDisk, mountFile } from '../disk/mounts.ts';
import type { Root } from '../disk/roots.ts';
import { fileSource } from '../disk/source.ts';
import { parseTimestamp } from '../format/time.ts';
import type { EarlierState, Known, OnDisk, Store } from '../store/store.ts';
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

function mountKept({ archive, files }: Kept, found: readonly SessionFile[], roots: readonly Root[]): SessionFile[] {
  const there = new Set(found.map(({ file }) => file));
  const isCovered = coveredBy(found, archive);
  const gone = [...files.values()].filter((file) => !there.has(file.path) && !isCovered(file));
  for (const file of gone) mountFile(file.path, archive.mount(file));
  const rootOf = rootIn(roots);
  return gone.flatMap((file) => {
    const session = toSessionFile(file, { rootOf, isThere: isFileAt });
    return session === undefined || isOnDisk(session.file) ? [] : [session];
  });
}

/** The newest first. */
function earlierStates({ archive, files }: Kept, { files: found, roots }: OnDisk): EarlierState[] {
  const onDisk = new Map(found.map((file) => [file.file, file]));
  const changed = new Map(
    [...files.values()].flatMap((kept) => changedSince(archive, kept, onDisk.get(kept.path)) ?? []),
  );
  const states = archive.otherStates((file) => !changed.has(file));
  return [...files.values()].flatMap((kept) =>
    (states.get(kept.state.id) ?? []).flatMap(({ version, size, number }): EarlierState[] => {
      const path = `${kept.path}@${number}`;
      const state = { ...kept.state, version, size };
      const wholeLines = version !== kept.state.version || (changed.get(kept.state.id) ?? 0) >= size;
      mountFile(path, archive.mount({ path, state }, { wholeLines }));
      const session = toSessionFile({ path: kept.path, state }, { rootOf: rootIn(roots), isThere: isFileAt });
      return session === undefined ? [] : [{ session: { ...session, file: path }, file: kept.path, version: number }];
    }),
  );
}

/** With its size now. What only grew is no other state: a prompt that waited in its queue may have been handed over since (E9). */
function changedSince(
  archive: ReadableArchive,
  kept: KeptFile,
  file: SessionFile | undefined,
): [[number, number]] | undefined {
  const { id, sourceSize, mtimeMs } = kept.state;
  const isAsKept = file === undefined || (file.bytes === sourceSize && file.mtimeMs === mtimeMs);
  return isAsKept || goesOn(archive, kept, file) ? undefined : [[id, file.bytes]];
}

/** Whether a file begins with all that was archived of it. */
function goesOn(archive: ReadableArchive, kept: KeptFile, { file, bytes }: SessionFile): boolean {
  const { size } = kept.state;
  if (bytes < size) return false;
  return quietly(() => beginsWith(file, { size, read: archive.mount(kept).open().read })) === true;
}

function rootIn(roots: readonly Root[]): (path: string) => string | undefined {
  return (path) => roots.find((root) => path === root.path || path.startsWith(root.path + sep))?.path;
}

const TAIL_BYTES = 4096;

/** A project's folder may have been renamed or moved: what lies elsewhere on disk with the same name and the same bytes is not gone. */
function coveredBy(found: readonly SessionFile[], archive: ReadableArchive): (file: KeptFile) => boolean {
  const byName = Map.groupBy(found, ({ file }) => basename(file));
  return (kept) => {
    const { kind, size } = kept.state;
    if (kind !== 'session' && kind !== 'agent') return false;
    const others = (byName.get(basename(kept.path)) ?? []).filter(({ bytes }) => bytes >= size);
    if (others.length === 0) return false;
    const from = Math.max(0, size - TAIL_BYTES);
    const end = quietly(() => archive.mount(kept).open().read(from, size));
    return (
      end !== undefined && others.some(({ file }) => quietly(() => isSame(end, rangeOf(file, from, size))) === true)
    );
  };
}

function rangeOf(file: string, from: number, to: number): Uint8Array {
  const source = fileSource(file);
  try {
    return source.read(from, to);
  } finally {
    source.close();
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** The archive as a store. */
export function archiveStore(context: Context, kept: Kept, given: readonly string[]): Store {
  return {
    source: 'archive',
    name: 'the archive',
    mount: ({ files, roots }) => mountKept(kept, files, roots),
    earlier(disk) {
      try {
        return earlierStates(kept, disk);
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        warnOnce(context, error);
        return [];
      }
    },
    known: knownBy(kept),
    search: async (request) => (await import('./search/archive.ts')).searchArchive(context, given, request),
    // It stays open as long as the process: what was mounted is read from it.
    close: async () => {},
  };
}

function knownBy(kept: Kept): Known {
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
      return paths.has('undefined') ? undefined : keptUsage()?.cells(paths.size, (id) => paths.get(id) ?? id);
    },
    outlineOf(file) {
      const state = stateOf(file);
      return state && kept.archive.outlineOf(state);
    },
    chatOf(session) {
      const index = keptUsage()?.index;
      return index && quietly(() => chatOfSession(index, session));
    },
    updatedOf(file) {
      const state = stateOf(file);
      const time = parseTimestamp((state && kept.archive.updatedOf(state)) ?? '');
      return Number.isNaN(time) ? undefined : time;
    },
  };
}
