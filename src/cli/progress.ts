/** Progress of long work on stderr, only when it is a terminal and only after a moment. */
import { humanBytes } from './bytes.ts';
import type { Context } from './context.ts';

export interface Progress<Item> {
  done(item: Item): void;
  clear(): void;
}

const QUIET_MS = 500;
const REDRAW_MS = 100;

/** What, how far, how long still; measured in bytes. */
export function progressOf<Item extends { readonly bytes: number }>(
  context: Context,
  what: string,
  items: readonly Item[],
): Progress<Item> {
  const { err } = context;
  if (!err.isTerminal) return { done: () => {}, clear: () => {} };
  const total = items.reduce((sum, item) => sum + item.bytes, 0);
  const began = context.now().getTime();
  let read = 0;
  let drawnAt = 0;
  return {
    done(item) {
      read += item.bytes;
      const now = context.now().getTime();
      if (now - began < QUIET_MS || now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      const left = read > 0 ? Math.ceil(((now - began) * (total - read)) / read / 1000) : 0;
      err.write(`\r\u001b[K${what} ${humanBytes(read)} of ${humanBytes(total)}, ${left} s left`);
    },
    clear() {
      if (drawnAt > 0) err.write('\r\u001b[K');
    },
  };
}

/** Says what is being done, where how far it is cannot be told. Returns what takes the words away again. */
export function notice({ err }: Context, what: string): () => void {
  if (!err.isTerminal) return () => {};
  err.write(`\r\u001b[K${what} …`);
  return () => err.write('\r\u001b[K');
}
