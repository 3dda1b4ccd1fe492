/** Puts a file of the person's in place: at once where that is possible, with the mode, the owner and the links it had. */
import { chownSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../../disk/durable.ts';
import { codeOf, DiskError } from '../../../disk/errors.ts';
import { closeFile, openFile, writeOnce } from '../../../disk/io.ts';
import { Refusal } from './place.ts';

/** `before` is the file as it was looked at; undefined when nothing was there. Throws Refusal, or what the disk throws. */
export function saveFile(path: string, bytes: Uint8Array, before: Stats | undefined): Stats {
  makeFolder(dirname(path));
  refuseChanged(path, before);
  // A second name for the file would go on with the old bytes if it was replaced.
  if (before !== undefined && before.nlink > 1) writeInPlace(path, bytes);
  else replaceWhole(path, bytes, before);
  return statSync(path);
}

/** With the usual permissions: it is the person's. One by one, as Node's own way never ends below /proc. */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function replaceWhole(path: string, bytes: Uint8Array, before: Stats | undefined): void {
  const mode = before === undefined ? 0o666 & ~process.umask() : before.mode & 0o7777;
  const onReady = (temp: string) => {
    if (before !== undefined) keepOwner(temp, before);
    refuseChanged(path, before);
  };
  try {
    writeFileAtomic(path, bytes, { mode, onReady, exclusive: before === undefined });
  } catch (error) {
    if (before === undefined || !CANNOT_REPLACE.has(codeOfAny(error) ?? '')) throw error;
    refuseChanged(path, before);
    writeInPlace(path, bytes);
  }
}

/** The folder may not be written to, the file is somebody else's or a mount of its own: its bytes can be changed all the same. */
const CANNOT_REPLACE = new Set(['EACCES', 'EPERM', 'EXDEV', 'EBUSY']);

function keepOwner(temp: string, { uid, gid }: Stats): void {
  const made = statSync(temp);
  if (made.uid !== uid || made.gid !== gid) chownSync(temp, uid, gid);
}

function writeInPlace(path: string, bytes: Uint8Array): void {
  const fd = openFile(path, 'r+');
  try {
    if (!fstatSync(fd).isFile()) throw new Refusal(`${path} is not a file any more.`);
    for (let done = 0; done < bytes.length; ) done += writeOnce(fd, bytes.subarray(done));
    ftruncateSync(fd, bytes.length);
    fsyncSync(fd);
  } finally {
    closeFile(fd);
  }
}

function refuseChanged(path: string, before: Stats | undefined): void {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined && before === undefined) return;
  if (now?.mtimeMs === before?.mtimeMs && now?.size === before?.size && now?.ino === before?.ino) return;
  throw new Refusal(`${path} was changed while it was being written: nothing was written. Read it again first.`);
}

function codeOfAny(error: unknown): string | undefined {
  return error instanceof DiskError ? error.code : codeOf(error);
}
