/** What the hook keeps, all below the folder of the archive. */
import { sep } from 'node:path';

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

/** `folder`: as `resolve` gives it; there is nothing in these to make simpler, which `join` would look for. */
export function hookPlaces(folder: string): HookPlaces {
  const own = `${folder}${sep}hook`;
  return {
    folder,
    log: `${own}.log`,
    oldLog: `${own}.log.1`,
    sessions: `${own}${sep}sessions`,
    since: `${own}${sep}since`,
    trouble: `${own}${sep}trouble`,
    rates: `${own}${sep}rates.json`,
    keys: `${folder}${sep}export.json`,
  };
}
