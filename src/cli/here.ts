/** The folder a command is run in, for what is written there. */
import type { Context } from './context.ts';
import { CommandError } from './errors.ts';

/** Where it was deleted, commands make do with `/`: nothing must be written there by mistake. */
export function folderHere({ cwd, env }: Context): string {
  try {
    process.cwd();
    return cwd;
  } catch {
    throw new CommandError('This folder is gone.', env.PWD || cwd, 'Change into one that is there.');
  }
}
