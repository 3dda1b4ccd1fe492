/** Size, time and kind of a file, as a walk asks for them of thousands. */
import { constants, type Stats, statSync } from 'node:fs';

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

/** The numbers of a file in a list that the next answer overwrites. */
type NumbersOf = (path: string) => unknown;

/**
 * What `statSync` asks, which makes an object with twenty fields of each answer: that takes as long as the system does. It is no
 * public part of Node: it is used only where it says of the first file what `statSync` says, and what it does not answer is asked of that.
 */
let numbersOf: NumbersOf | 'unlike' | undefined;

function quickState(of: NumbersOf, path: string): FileState | undefined {
  try {
    const numbers = of(path);
    if (!(numbers instanceof Float64Array)) return undefined;
    const mtimeMs = (numbers[12] ?? 0) * 1000 + (numbers[13] ?? 0) / 1e6;
    return { mode: numbers[1] ?? 0, size: numbers[8] ?? 0, mtimeMs };
  } catch {
    return undefined;
  }
}

function checkedState(path: string): FileState {
  const stat = statSync(path, FOUND);
  if (numbersOf !== 'unlike') {
    const found = fromNode();
    const state = found && quickState(found, path);
    const isSame = state?.mode === stat.mode && state.size === stat.size && state.mtimeMs === stat.mtimeMs;
    numbersOf = found && isSame ? found : 'unlike';
  }
  return stat;
}

function fromNode(): NumbersOf | undefined {
  // Who asks to be warned of what may go one day would be.
  const { NODE_OPTIONS = '', NODE_PENDING_DEPRECATION } = process.env;
  const asked = `${process.execArgv} ${NODE_OPTIONS}`.includes('--pending-deprecation');
  if (asked || NODE_PENDING_DEPRECATION === '1') return undefined;
  try {
    const binding: unknown = Reflect.get(process, 'binding');
    const fs: unknown = typeof binding === 'function' ? binding.call(process, 'fs') : undefined;
    const stat: unknown = typeof fs === 'object' && fs !== null ? Reflect.get(fs, 'stat') : undefined;
    return typeof stat === 'function' ? (path) => stat.call(fs, path, false, undefined, false) : undefined;
  } catch {
    return undefined;
  }
}
