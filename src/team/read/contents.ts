/** The bytes of a team's files, as what the readers of files expect. Fetched when first opened, and again when they had to make room. */
import { createHash, hash } from 'node:crypto';
import { closeSync, readSync, unlinkSync } from 'node:fs';
import { DiskError } from '../../disk/errors.ts';
import type { MountedBytes, MountedFile } from '../../disk/mounts.ts';
import type { Bridge } from './bridge.ts';
import type { TeamFile } from './files.ts';
import type { Asked, Piece } from './thread.ts';

/** What is held of all files together. */
const MOST_HELD = 64 << 20;
/** Those in files of their own that stay open: each takes a descriptor, and room in the temporary folder. */
const MOST_OPEN = 8;

interface Content extends MountedBytes {
  readonly size: number;
  /** Bytes in memory; none of one that lies in a file. */
  readonly held: number;
  /** Gives its file back. Not to be read any more. */
  readonly close?: () => void;
  /** Of its beginning, to tell whether that is the same when it is fetched again. */
  markOf(size: number): string;
}

export interface Contents {
  /** `files` by their paths, in the order they are likely to be read. */
  mount(files: ReadonlyMap<string, TeamFile>): Map<string, MountedFile>;
}

export function createContents(bridge: Pick<Bridge, 'lines'>): Contents {
  /** Last in the map is the one that was asked for last. */
  const held = new Map<MountedFile, Content>();
  const byPath = new Map<string, MountedFile>();
  let total = 0;
  let open = 0;

  function take(file: MountedFile): Content | undefined {
    const content = held.get(file);
    total -= content?.held ?? 0;
    open -= content?.close === undefined ? 0 : 1;
    held.delete(file);
    return content;
  }

  function drop(file: MountedFile): void {
    take(file)?.close?.();
  }

  function keep(file: MountedFile, content: Content): void {
    const before = take(file);
    if (before !== content) before?.close?.();
    held.set(file, content);
    total += content.held;
    open += content.close === undefined ? 0 : 1;
    for (const [other, each] of held) {
      if (total <= MOST_HELD && open <= MOST_OPEN) break;
      const isTooMuch = each.close === undefined ? total > MOST_HELD : open > MOST_OPEN;
      if (isTooMuch && other !== file) drop(other);
    }
  }

  function mountOne(path: string, fetch: () => Content): MountedFile {
    let known: { readonly size: number; readonly mark: string } | undefined;
    const content = (): Content => {
      const atHand = held.get(mounted);
      const found = atHand ?? fetch();
      // It may have grown meanwhile; what was read of it must not have changed.
      if (known !== undefined && atHand === undefined && found.markOf(known.size) !== known.mark) {
        const next = 'Nothing is lost; run it again.';
        throw new DiskError({ what: 'it was pushed again while it was read', where: path, next });
      }
      known ??= { size: found.size, mark: found.markOf(found.size) };
      keep(mounted, found);
      return found;
    };
    /** Its file may be given back while it is read here and there: then it is fetched again. */
    const reading = (): MountedBytes => ({
      fill(buffer, position) {
        const found = content();
        return found.fill(buffer.subarray(0, Math.max(0, mounted.bytes - position)), position);
      },
      read: (start, end) => content().read(start, Math.min(end, mounted.bytes)),
    });
    const mounted: MountedFile = {
      get bytes() {
        return known?.size ?? content().size;
      },
      open() {
        const found = content();
        return found.close === undefined ? found : reading();
      },
    };
    return mounted;
  }

  return {
    mount(files) {
      const aheadOf = createAhead([...files].map(([path, { bytes }]) => ({ path, bytes })));
      const mounts = new Map<string, MountedFile>();
      const isHeld = (path: string) => {
        const mounted = mounts.get(path);
        return mounted !== undefined && held.has(mounted);
      };
      const fetch = (path: string): Content => {
        const wanted = [path, ...aheadOf(path).filter((other) => !isHeld(other))];
        const pieces = bridge.lines(wanted.flatMap((each) => askFor(files.get(each))));
        const [first, ...others] = pieces.map((piece, place) => toContent(piece, wanted[place] ?? path));
        if (first === undefined) {
          throw new DiskError({ what: 'nothing came of it', where: path, next: 'Run it again.' });
        }
        for (const [place, content] of others.entries()) {
          const mounted = mounts.get(wanted[place + 1] ?? '');
          if (mounted !== undefined) keep(mounted, content);
        }
        return first;
      };
      for (const path of files.keys()) {
        const mounted = mountOne(path, () => fetch(path));
        const before = byPath.get(path);
        if (before !== undefined) drop(before);
        byPath.set(path, mounted);
        mounts.set(path, mounted);
      }
      return mounts;
    },
  };
}

function askFor(file: TeamFile | undefined): Asked[] {
  return file === undefined
    ? []
    : [{ session: file.session, name: file.name, trim: file.isFull ? file.bytes : undefined }];
}

/** Those that follow a file are fetched with it, the more the more were asked for. */
const MOST_AHEAD = 256;
const GROWS = 2;
const LARGEST_AHEAD = 1 << 20;
const BYTES_AHEAD = 8 << 20;

function createAhead(files: readonly { readonly path: string; readonly bytes: number }[]): (path: string) => string[] {
  const places = new Map(files.map(({ path }, place) => [path, place]));
  let count = 1;
  return (path) => {
    const place = places.get(path) ?? files.length;
    const ahead: string[] = [];
    let bytes = 0;
    for (const file of files.slice(place + 1, place + count)) {
      bytes += file.bytes;
      if (file.bytes > LARGEST_AHEAD || bytes > BYTES_AHEAD) break;
      ahead.push(file.path);
    }
    count = Math.min(MOST_AHEAD, count * GROWS);
    return ahead;
  };
}

function toContent(piece: Piece, path: string): Content {
  return piece.kind === 'bytes' ? inMemory(piece.bytes) : inFile(piece, path);
}

function inMemory(all: Uint8Array): Content {
  return {
    size: all.length,
    held: all.length,
    markOf: (size) => hash('sha1', all.subarray(0, size)),
    fill(buffer, position) {
      const part = all.subarray(position, position + buffer.length);
      buffer.set(part);
      return part.length;
    },
    read: (start, end) => all.slice(start, end),
  };
}

/** What was fetched and never kept is closed when nobody reads it any more. */
const forgotten = new FinalizationRegistry<number>((fd) => closeSync(fd));
const named = new Set<string>();
let isRemoving = false;

function inFile({ fd, size, path }: { fd: number; size: number; path: string | undefined }, file: string): Content {
  if (path !== undefined) removeAtExit(path);
  const fill = (buffer: Uint8Array, position: number): number => {
    const length = Math.max(0, Math.min(buffer.length, size - position));
    return length === 0 ? 0 : readSync(fd, buffer, 0, length, position);
  };
  const content: Content = {
    size,
    held: 0,
    close() {
      forgotten.unregister(content);
      closeSync(fd);
      if (path !== undefined && removed(path)) named.delete(path);
    },
    markOf: (most) => hashOfFile(fd, Math.min(most, size)),
    fill,
    read(start, end) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - start));
      for (let done = 0; done < bytes.length; ) {
        const got = fill(bytes.subarray(done), start + done);
        if (got === 0) throw new DiskError({ what: 'its copy ends early', where: file, next: 'Run it again.' });
        done += got;
      }
      return bytes;
    },
  };
  forgotten.register(content, fd, content);
  return content;
}

function hashOfFile(fd: number, size: number): string {
  const made = createHash('sha1');
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let at = 0; at < size; ) {
    const got = readSync(fd, buffer, 0, Math.min(buffer.length, size - at), at);
    if (got === 0) break;
    made.update(buffer.subarray(0, got));
    at += got;
  }
  return made.digest('hex');
}

/** Only where an open file keeps its name. */
function removeAtExit(path: string): void {
  if (!isRemoving) {
    isRemoving = true;
    process.once('exit', () => {
      for (const each of named) removed(each);
    });
  }
  named.add(path);
}

function removed(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    // Gone already, or still open: the system's own cleaning takes it.
    return false;
  }
}
