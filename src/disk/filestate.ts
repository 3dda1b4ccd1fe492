/** Size, time and kind of a file, as a walk asks for them of thousands. */
import { constants, type Stats, statSync } from 'node:fs';
import { type Answers, nodeFs } from './nodefs.ts';

export type FileState = Pick<Stats, 'size' | 'mtimeMs' | 'mode'>;

export function isFile({ mode }: FileState): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFREG;
}

export function isFolder({ mode }: FileState): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFDIR;
}

/** Node's own defaults, made once instead of for each of thousands of files. */
const FOUND = { bigint: false, throwIfNoEntry: true } as const;

/** Follows links; throws where there is nothing. */
export function fileState(path: string): FileState {
  if (numbersOf === undefined || numbersOf === 'unlike') return checkedState(path);
  return quickState(numbersOf, path) ?? statSync(path, FOUND);
}

/** The numbers of a file in a list that the next answer overwrites; `statSync` makes an object with twenty fields of them. */
let numbersOf: Answers | 'unlike' | undefined;
/** That list. */
let numbers: Float64Array | undefined;

function quickState(of: Answers, path: string): FileState | undefined {
  try {
    const found = of(path, false, undefined, false);
    if (!(found instanceof Float64Array)) return undefined;
    return { mode: found[1] ?? 0, size: found[8] ?? 0, mtimeMs: mtimeIn(found) };
  } catch {
    return undefined;
  }
}

function mtimeIn(found: Float64Array): number {
  return (found[12] ?? 0) * 1000 + (found[13] ?? 0) / 1e6;
}

function isStamp([device, inode, seconds, nanoseconds]: FolderStamp, { dev, ino, ctimeMs }: Stats): boolean {
  return device === dev && inode === ino && seconds * 1000 + nanoseconds / 1e6 === ctimeMs;
}

/** Which folder it is, and when anything was last made, renamed or removed in it: its device and number, seconds and parts of one. */
export type FolderStamp = readonly [device: number, inode: number, seconds: number, nanoseconds: number];

/** undefined where there is nothing, or only `statSync` is asked, which does not tell the time as exactly. */
export function folderStamp(path: string): FolderStamp | undefined {
  try {
    if (numbersOf === undefined) checkedState(path);
    const found = typeof numbersOf === 'function' ? numbersOf(path, false, undefined, false) : undefined;
    if (!(found instanceof Float64Array)) return undefined;
    return [found[0] ?? 0, found[7] ?? 0, found[14] ?? 0, found[15] ?? 0];
  } catch {
    return undefined;
  }
}

/** What is known of files by their rows: how large each was, and its time in parts of a millisecond. */
export interface KnownStates {
  readonly sizes: readonly unknown[];
  readonly times: readonly unknown[];
}

/** Times are whole numbers of these parts: from 2004 to 2039 there is one for each time that a number of milliseconds can tell. */
export const PARTS_OF_MS = 4096;

/** Those of some files that are not as is known from a row on, or cannot be asked for. `prefix`: what their paths begin with. */
export function filesUnlike(
  prefix: string,
  names: readonly string[],
  { sizes, times }: KnownStates,
  firstRow: number,
): string[] {
  const unlike: string[] = [];
  // Of thousands of files nearly all are as they were: nothing is called or made for these but what asks the system.
  for (let place = 0; place < names.length; place += 1) {
    const name = names[place] ?? '';
    const row = firstRow + place;
    let isLike = false;
    try {
      if (typeof numbersOf === 'function' && numbersOf(prefix + name, false, undefined, false) === numbers) {
        const ms = (numbers?.[12] ?? 0) * 1000 + (numbers?.[13] ?? 0) / 1e6;
        isLike = numbers?.[8] === sizes[row] && Math.trunc(ms * PARTS_OF_MS) === times[row];
      } else {
        const { size, mtimeMs } = fileState(prefix + name);
        isLike = size === sizes[row] && Math.trunc(mtimeMs * PARTS_OF_MS) === times[row];
      }
    } catch {
      // What is wrong with it is told of where it is read.
    }
    if (!isLike) unlike.push(name);
  }
  return unlike;
}

function checkedState(path: string): FileState {
  const stat = statSync(path, FOUND);
  if (numbersOf !== 'unlike') {
    const found = nodeFs('stat');
    const state = found && quickState(found, path);
    const isSame = state?.mode === stat.mode && state.size === stat.size && state.mtimeMs === stat.mtimeMs;
    const list = found && isSame ? listOf(found, path) : undefined;
    const isLike = list !== undefined && isStamp([list[0] ?? 0, list[7] ?? 0, list[14] ?? 0, list[15] ?? 0], stat);
    numbersOf = isLike ? found : 'unlike';
    numbers = isLike ? list : undefined;
  }
  return stat;
}

function listOf(of: Answers, path: string): Float64Array | undefined {
  const list = of(path, false, undefined, false);
  return list instanceof Float64Array ? list : undefined;
}
