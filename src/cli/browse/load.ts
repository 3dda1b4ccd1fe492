/** The chats, as `skein list` has them, and what is needed beside. */
import { DiskError } from '../../disk/errors.ts';
import { safeLine } from '../../views/safe.ts';
import { type ListedChat, listChats } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { type Library, openLibrary } from '../library.ts';
import type { Size } from './state.ts';

export interface Loaded {
  readonly library: Library;
  readonly chats: readonly ListedChat[];
}

export function load(context: Context, args: Arguments): Loaded {
  const library = openLibrary(context, args);
  return { library, chats: listChats(context, library) };
}

/** While the screen is shown nothing is written beside it. */
export function quietly({ env, home, cwd, now, out, err }: Context): Context {
  const silent = { ...err, isTerminal: false, write: () => {} };
  return { env, home, cwd, now, out, err: silent, signal: new AbortController().signal };
}

export function sizeNow(): Size {
  const { columns, rows } = process.stdout;
  return { columns: Math.max(1, columns || 80), rows: Math.max(1, rows || 24) };
}

const MOST_REMEMBERED = 20_000;
const LONGEST_REMEMBERED = 1000;

/** Rows are made again with every frame; what is in them is looked into once. */
export function remembered(mask: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const masked = mask(text);
    if (known.size > MOST_REMEMBERED) known.clear();
    if (text.length < LONGEST_REMEMBERED) known.set(text, masked);
    return masked;
  };
}

/** What cannot be read says why, in its place. */
export function orWhy(make: () => string[]): string[] {
  try {
    return make();
  } catch (error) {
    if (error instanceof DiskError || (error instanceof Error && 'next' in error)) return [safeLine(error.message)];
    throw error;
  }
}
