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

/** By its place among the names: size and time. */
export type IsLike = (place: number, size: number, mtimeMs: number) => boolean;

/** Those of a folder's files that are not like that, or cannot be asked for. `folder` ends with a slash. */
export function filesUnlike(folder: string, names: readonly string[], isLike: IsLike): string[] {
  const unlike: string[] = [];
  for (let place = 0; place < names.length; place += 1) {
    const name = names[place] ?? '';
    if (!isFileLike(folder + name, place, isLike)) unlike.push(name);
  }
  return unlike;
}

function isFileLike(path: string, place: number, isLike: IsLike): boolean {
  let isQuick = false;
  let state: FileState | undefined;
  try {
    isQuick = typeof numbersOf === 'function' && numbersOf(path, false, undefined, false) === numbers;
    if (!isQuick) state = fileState(path);
  } catch {
    // What is wrong with it is told of where it is read.
    return false;
  }
  if (isQuick && numbers !== undefined) return isLike(place, numbers[8] ?? 0, mtimeIn(numbers));
  return state !== undefined && isLike(place, state.size, state.mtimeMs);
}

function checkedState(path: string): FileState {
  const stat = statSync(path, FOUND);
  if (numbersOf !== 'unlike') {
    const found = nodeFs('stat');
    const state = found && quickState(found, path);
    const isSame = state?.mode === stat.mode && state.size === stat.size && state.mtimeMs === stat.mtimeMs;
    numbersOf = found && isSame ? found : 'unlike';
    numbers = found && isSame ? listOf(found, path) : undefined;
  }
  return stat;
}

function listOf(of: Answers, path: string): Float64Array | undefined {
  const list = of(path, false, undefined, false);
  return list instanceof Float64Array ? list : undefined;
}
