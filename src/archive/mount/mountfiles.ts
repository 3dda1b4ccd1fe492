/** Archived files as what the readers of files expect: bytes by range, and transcripts by their layout (L3). */
import { basename, dirname, join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import type { MountedFile } from '../../disk/mounts.ts';
import type { Source } from '../../format/entry.ts';
import { ArchiveError } from '../errors.ts';
import { type ArchivedState, type Version, versionOf } from '../files.ts';
import { createPieceReader } from '../pieces/packs.ts';
import { archivedInput, archivedSource } from '../pieces/read.ts';
import { isEntry } from '../search/lines.ts';
import { type Archive, guarded } from '../store.ts';
import type { KeptFile } from './mountplaces.ts';

/** Any part of a session of this many megabytes is at hand once it was read; larger ones are unpacked again here and there. */
const AT_HAND = 32;

/** `wholeLines`: without a torn one at the end. */
export type Mounter = (file: KeptFile, options?: { readonly wholeLines?: boolean }) => MountedFile;

/** One reader for all files that are read here and there: what is kept at hand stays bounded however many are open. */
export function createMounter(archive: Archive): Mounter {
  const { db } = archive;
  const reader = createPieceReader(db, { atHand: AT_HAND, releases: true });
  return ({ path, state }, { wholeLines = false } = {}) => {
    const call = <T>(read: () => T): T => asFile(path, () => guarded(READING, archive.path, read));
    // Where its lines begin is found once.
    let source: Source | undefined;
    return {
      bytes: state.size,
      open: () =>
        call(() => {
          const kept = versionOf(db, state.version);
          const version = wholeLines && !isEntry(kept.tail) ? withoutTail(kept) : kept;
          const input = archivedInput(db, version, createPieceReader(db, { atHand: 1, releases: true }));
          source ??= archivedSource(db, version, path, reader);
          const anywhere = source;
          return {
            fill: (buffer, position) => {
              const room = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
              return call(() => input.fill(room, position));
            },
            read: (start, end) => call(() => anywhere.read(start, end)),
          };
        }),
    };
  };
}

function withoutTail(version: Version): Version {
  return { ...version, size: version.size - version.tail.length, tail: Buffer.alloc(0) };
}

const READING = 'cannot read the archive';

/** Whoever reads files expects the disk's way of telling. */
function asFile<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    const { message, next } = error;
    throw new DiskError({ what: `cannot read the archived copy: ${message}`, where: path, next, cause: error });
  }
}

export interface SessionQuery {
  /** The root to be told for a path. */
  rootOf(path: string): string | undefined;
  /** Whether there is such a file, on disk or archived. */
  isThere(path: string): boolean;
}

/** undefined for what is no transcript. */
export function toSessionFile({ path, state }: KeptFile, query: SessionQuery): SessionFile | undefined {
  if (state.kind !== 'session' && state.kind !== 'agent') return undefined;
  const sessionId = basename(state.name, '.jsonl');
  const rest = {
    file: path,
    root: query.rootOf(path) ?? state.root,
    sessionId,
    bytes: state.size,
    mtimeMs: state.mtimeMs,
    source: 'archive' as const,
  };
  if (state.kind === 'session') return { ...rest, kind: 'session', slug: slugOf(state) };
  const meta = join(dirname(path), `${sessionId}.meta.json`);
  return {
    ...rest,
    kind: 'agent',
    slug: slugOf(state),
    agentId: agentIdOf(state),
    ...(state.session !== undefined && { parentSessionId: state.session }),
    ...(query.isThere(meta) && { metaFile: meta }),
  };
}

export function agentIdOf({ name }: ArchivedState): string {
  return basename(name, '.jsonl').replace(/^agent-/, '');
}

/** The project's folder. Where the place that was archived was no config folder, it may be that place itself. */
export function slugOf({ name, root, session }: Pick<ArchivedState, 'name' | 'root' | 'session'>): string {
  const parts = name.split('/');
  const isConfig = parts[0] === 'projects';
  const folders = parts.slice(isConfig ? 1 : 0, -1);
  const agents = folders.indexOf('subagents');
  if (agents >= 0) folders.splice(agents);
  // What lies beside a session is in a folder of its id.
  const isBeside = session !== undefined && parts.at(-1) !== `${session}.jsonl`;
  const own = isBeside ? folders.lastIndexOf(session) : -1;
  if (own >= 0) folders.splice(own);
  return folders.at(-1) ?? (isConfig ? '' : basename(root));
}
