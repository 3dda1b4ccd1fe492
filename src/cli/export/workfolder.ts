/** A folder for the redacted copies, gone when the work is done. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'skein-share-';
/** No export takes that long. */
const OLD_MS = 24 * 3600 * 1000;

export async function withWorkFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  sweep();
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Who is killed leaves his behind: the next one takes it away. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > OLD_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's, or gone already.
    }
  }
}
