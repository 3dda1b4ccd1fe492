/** How others start this command. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Context } from './context.ts';

/** By its name where that is what would run; else by path, with this Node. */
export function ownCommand({ env, cwd }: Pick<Context, 'env' | 'cwd'>): string[] {
  const own = process.argv[1] === undefined ? undefined : realpathSync(process.argv[1]);
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(resolve(cwd, folder), 'skein'))
    .find((path) => existsSync(path));
  if (own === undefined || (onPath !== undefined && realpathSync(onPath) === own)) return ['skein'];
  return [process.execPath, own];
}
