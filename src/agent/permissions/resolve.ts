/** Where paths really lead, asked of the disk. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const MAX_LINKS = 40;

/** Of what does not exist yet the nearest folder that does counts; a link to nothing leads to where it says. Undefined for links in a circle. */
export function realPlace(path: string, links = MAX_LINKS): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    // Where the system forbids to look, nobody knows.
    if (!isMissing(error)) return undefined;
  }
  if (dirname(path) === path) return path;
  const parent = realPlace(dirname(path), links);
  if (parent === undefined) return undefined;
  const place = join(parent, basename(path));
  const target = linkAt(place);
  if (target === undefined) return place;
  return links === 0 ? undefined : realPlace(resolve(parent, target), links - 1);
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
