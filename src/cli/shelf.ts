/** The code that reads the archive, loaded only where there is one: the library then asks for it without waiting. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ARCHIVE_NAME, archiveFolder } from '../archive/place.ts';
import type { Context } from './context.ts';
import type * as Kept from './kept.ts';

let loaded: typeof Kept | undefined;

/** Before a verb that opens the library. */
export async function loadArchiveReader(context: Context): Promise<void> {
  const path = join(resolve(context.cwd, archiveFolder(context)), ARCHIVE_NAME);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) loaded = await import('./kept.ts');
}

export function archiveReader(): typeof Kept | undefined {
  return loaded;
}
