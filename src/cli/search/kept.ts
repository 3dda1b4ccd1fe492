/** The archive as a search needs it: opened to read, and told of when it cannot be. */
import { ArchiveError } from '../../archive/errors.ts';
import { type Archive, openIfMade } from '../../archive/store.ts';
import type { Context } from '../context.ts';

/** undefined when there is none yet, or it cannot be opened: then the files are searched. */
export async function openKept(context: Context, folder: string): Promise<Archive | undefined> {
  try {
    return openIfMade(folder);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    // Before anything is said: where it is not in this bundle, another one begins anew.
    await import('../library.ts');
    const { err } = context;
    const { message, where, next } = error;
    err.write(
      `${err.style.warn('warning:')} searching without the archive: ${message}: ${where} ${err.style.dim(next)}\n`,
    );
    return undefined;
  }
}
