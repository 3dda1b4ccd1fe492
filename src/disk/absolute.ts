/** An absolute path without `..` and the like. */
import { resolve, sep } from 'node:path';

/** What `resolve` would give: it looks at each character, and most paths need nothing. */
export function absolutePath(path: string, cwd = process.cwd()): string {
  return sep === '/' && isPlain(path) ? path : resolve(cwd, path);
}

/** As the system writes it. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !/\/(?:\/|\.|$)/.test(path);
}
