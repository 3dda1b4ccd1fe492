/** What the hook keeps, all below the folder of the archive. */
import { join } from 'node:path';

export interface HookPlaces {
  readonly folder: string;
  readonly log: string;
  /** The log before this one. */
  readonly oldLog: string;
  /** A file for each session that has something to send. */
  readonly sessions: string;
  /** Made by the first run: what was last written to before it is left to `skein export`. */
  readonly since: string;
  /** There, with the name of an endpoint, while sending does not work. */
  readonly trouble: string;
  /** Prices that were looked up. */
  readonly rates: string;
  /** Keys, where they are not in the environment. */
  readonly keys: string;
}

export function hookPlaces(folder: string): HookPlaces {
  return {
    folder,
    log: join(folder, 'hook.log'),
    oldLog: join(folder, 'hook.log.1'),
    sessions: join(folder, 'hook', 'sessions'),
    since: join(folder, 'hook', 'since'),
    trouble: join(folder, 'hook', 'trouble'),
    rates: join(folder, 'hook', 'rates.json'),
    keys: join(folder, 'export.json'),
  };
}
