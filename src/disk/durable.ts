/** Writing so that a crash leaves the old state or the new one, never half of each. */
import {
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, toDiskError } from './errors.ts';
import { closeFile, openFile, writeOnce } from './io.ts';

/** Only the owner may look into what we write. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Makes a folder and those above it; with `fsync` their names survive a crash. */
export function makeFolders(folder: string, fsync: boolean): void {
  if (existsSync(folder)) return;
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
  // One by one: where the system says of a folder that is there that it is not (/proc, an automounter), `recursive` never ends.
  for (const each of missing.reverse()) {
    makeFolder(each);
    if (fsync) syncFolder(dirname(each));
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process made it meanwhile.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** A new name in a folder is on the disk only when the folder itself is. Not every system can do this to a folder. */
export function syncFolder(folder: string): void {
  try {
    const fd = openFile(folder);
    try {
      fsyncSync(fd);
    } finally {
      closeFile(fd);
    }
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error) ?? '')) throw error;
  }
}

const CANNOT_SYNC = new Set(['EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'ENOTSUP']);

export interface WriteOptions {
  readonly mode?: number;
  /** Called when the new bytes are on the disk but not yet in place; whoever throws here leaves everything as it was. */
  readonly onReady?: (temp: string) => void;
  /** Something that is there already is not replaced: that fails with EEXIST. */
  readonly exclusive?: boolean;
}

/**
 * Puts a whole file in place at once. A link keeps pointing to the file it points to. The mode is the one given, else
 * that of the file replaced, else 0600. Throws DiskError; the old file is then as it was.
 */
export function writeFileAtomic(
  path: string,
  content: Uint8Array | Iterable<Uint8Array>,
  options: WriteOptions = {},
): void {
  for (const _ of writeInParts(path, content, options));
}

/** The same, step by step: whoever stops in between leaves the old file as it was. */
export function* writeInParts(
  path: string,
  content: Uint8Array | Iterable<Uint8Array>,
  options: WriteOptions = {},
): Generator<void> {
  try {
    makeFolders(dirname(path), true);
    const target = targetOf(path);
    const mode = options.mode ?? modeOf(target) ?? FILE_MODE;
    const temp = join(dirname(target), `${tempStart(target)}${process.pid}.${randomName()}.tmp`);
    let done = false;
    try {
      yield* writeNew(temp, content instanceof Uint8Array ? [content] : content, mode);
      options.onReady?.(temp);
      if (options.exclusive) linkInPlace(temp, target);
      else renameSync(temp, target);
      done = true;
    } finally {
      if (!done) removeIfThere(temp);
    }
    syncFolder(dirname(target));
  } catch (error) {
    throw codeOf(error) === undefined ? error : toDiskError(error, 'cannot write', path);
  }
}

const CHUNK_BYTES = 256 << 10;

/** Small pieces put together, so that a file of many lines takes few writes. */
export function* inChunks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

function* writeNew(path: string, content: Iterable<Uint8Array>, mode: number): Generator<void> {
  const fd = openFile(path, 'wx', FILE_MODE);
  try {
    for (const bytes of content) {
      for (let done = 0; done < bytes.length; ) done += writeOnce(fd, bytes.subarray(done));
      yield;
    }
    // Asked for after the content, and not by open: the umask does not apply.
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeFile(fd);
  }
}

/** A rename would replace what is there; a second name for the same file does not. */
function linkInPlace(temp: string, target: string): void {
  try {
    linkSync(temp, target);
    unlinkSync(temp);
  } catch (error) {
    if (!CANNOT_LINK.has(codeOf(error) ?? '')) throw error;
    // A file system without links: an empty file of that name is ours to replace.
    closeFile(openFile(target, 'wx', FILE_MODE));
    renameSync(temp, target);
  }
}

const CANNOT_LINK = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EOPNOTSUPP']);

function targetOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function modeOf(path: string): number | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && stat.mode & 0o777;
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The write's own failure is what is told.
  }
}

function randomName(): string {
  return Math.random().toString(36).slice(2, 10);
}

/** Systems limit the bytes of a name, not its letters. */
const TEMP_BYTES = 100;

function tempStart(path: string): string {
  const name = Buffer.from(basename(path));
  // A letter that was cut in two is left out.
  return `.${name.length <= TEMP_BYTES ? name : name.toString('utf8', 0, TEMP_BYTES).replace(/\uFFFD$/, '')}.`;
}

const TEMP = /^\..*\.(\d+)\.[0-9a-z]{1,8}\.tmp$/s;

/** Whether a name is one of those that are written before they are in place: a killed process leaves them behind. */
export function isTemporary(name: string): boolean {
  return TEMP.test(name);
}

/** The process that wrote this file under such a name, if one did. */
export function writerOf(path: string, name: string): number | undefined {
  const pid = name.startsWith(tempStart(path)) ? TEMP.exec(name)?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
}
