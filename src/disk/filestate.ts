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

/** Its size, and the seconds and nanoseconds of its time: nothing of it is rounded. */
export type ExactState = readonly [size: number, seconds: number, nanoseconds: number];

/** undefined where it cannot be asked for. */
export function exactState(path: string): ExactState | undefined {
  try {
    if (numbersOf === undefined) checkedState(path);
    const found = typeof numbersOf === 'function' ? numbersOf(path, false, undefined, false) : undefined;
    if (found instanceof Float64Array) return [found[8] ?? 0, found[12] ?? 0, found[13] ?? 0];
    const { size, mtimeNs } = statSync(path, { bigint: true });
    const nanoseconds = ((mtimeNs % SECOND) + SECOND) % SECOND;
    return [Number(size), Number((mtimeNs - nanoseconds) / SECOND), Number(nanoseconds)];
  } catch {
    return undefined;
  }
}

const SECOND = 1_000_000_000n;

/** Parts of a millisecond in which times can be told as whole numbers: from 2004 to 2039 each that a number of milliseconds can tell. */
export const PARTS_OF_MS = 4096;

export function partsOf([, seconds, nanoseconds]: ExactState): number {
  return Math.trunc((seconds * 1000 + nanoseconds / 1e6) * PARTS_OF_MS);
}

/** Of the three numbers of a state. */
const WORDS = 6;

/**
 * Those of some files that are not as is known, three numbers for each from a row on, or cannot be asked for. `prefix`: what their
 * paths begin with. Of thousands nearly all are as they were: nothing is called or made for these but what asks the system, nor
 * any number: halves of them are compared.
 */
export function filesUnlike(prefix: string, names: readonly string[], known: Float64Array, firstRow: number): string[] {
  const unlike: string[] = [];
  const wanted = new Int32Array(known.buffer, known.byteOffset, known.length * 2);
  const now = numbers && new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
  for (let place = 0; place < names.length; place += 1) {
    const name = names[place] ?? '';
    const at = (firstRow + place) * WORDS;
    let isLike = false;
    try {
      isLike =
        now !== undefined &&
        typeof numbersOf === 'function' &&
        numbersOf(prefix + name, false, undefined, false) === numbers
          ? now[16] === wanted[at] &&
            now[17] === wanted[at + 1] &&
            now[24] === wanted[at + 2] &&
            now[25] === wanted[at + 3] &&
            now[26] === wanted[at + 4] &&
            now[27] === wanted[at + 5]
          : isExactly(exactState(prefix + name), known, (firstRow + place) * 3);
    } catch {
      // What is wrong with it is told of where it is read.
    }
    if (!isLike) unlike.push(name);
  }
  return unlike;
}

function isExactly(state: ExactState | undefined, known: Float64Array, at: number): boolean {
  return state?.every((each, place) => each === known[at + place]) === true;
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
