/** The file a tool is about, and what is wrong with it in words the model can act on. */
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, DiskError } from '../../../disk/errors.ts';
import { failed, type ToolHost, type ToolOutcome, type ToolSession } from '../tool.ts';

/** A refusal that the model should read; everything else that is thrown is told by its code. */
export class Refusal extends Error {}

/** No `~`: the gate looks at the same path as the tool. */
export function pathIn(session: ToolSession, path: string): string {
  return resolve(session.cwd, path);
}

/** Where a path really leads, also through a link to a file still to be made. Throws Refusal when links lead in a circle. */
export function realPlace(path: string): string {
  let place = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    try {
      return realpathSync(place);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    const target = linkAt(place);
    if (target === undefined) return place;
    place = resolve(dirname(place), target);
  }
  throw new Refusal(`The links at ${path} lead in a circle.`);
}

const MAX_LINKS = 40;

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** undefined when nothing is there. Throws Refusal for all but files: a pipe or a device might never answer. */
export function statFile(path: string): Stats | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile()) return stat;
  if (stat.isDirectory()) throw new Refusal(`${path} is a folder, not a file. List what is in it with Glob or ls.`);
  throw new Refusal(`${path} is a ${kindOf(stat)}, not a file: it is left alone.`);
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return 'named pipe';
  if (stat.isSocket()) return 'socket';
  return 'device';
}

/** Runs a tool's work; what the disk or a check refuses becomes an outcome. */
export async function tellTrouble(
  { session }: ToolHost,
  file: string,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    return failed(troubleWith(pathIn(session, file), session, error));
  }
}

export function missing(path: string, session: ToolSession): string {
  return `There is no file ${path}. The working directory is ${session.cwd}.`;
}

function troubleWith(path: string, session: ToolSession, error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof Error && error.name === 'AbortError') return `It was interrupted before it was done: ${path}`;
  const code = codeOf(error) ?? (error instanceof DiskError ? error.code : undefined);
  if (code === 'ENOENT') return missing(path, session);
  const why = WORDS.get(code ?? '');
  if (why !== undefined) return `${why}: ${path}`;
  return `${error instanceof Error ? error.message : String(error)} (${path})`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Permission denied'],
  ['EPERM', 'The system does not permit it'],
  ['EISDIR', 'It is a folder, not a file'],
  ['ENOTDIR', 'A part of the path is a file, not a folder'],
  ['ELOOP', 'Its symbolic links lead in a circle'],
  ['ENAMETOOLONG', 'The path is too long'],
  ['EROFS', 'The file system is read-only'],
  ['ENOSPC', 'The disk is full; nothing was changed'],
  ['EDQUOT', 'The disk quota is used up; nothing was changed'],
  ['EAGAIN', 'It gives nothing without waiting'],
]);
