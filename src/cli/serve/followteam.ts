/** A team is asked now and then whether something was pushed: only then its list is read again. */
import type { TeamStore } from '../../team/read/store.ts';
import type { Catalog } from './catalog.ts';
import type { Following } from './follow.ts';

/** In milliseconds; tests and those in a hurry say otherwise. */
const POLL_MS = Number(process.env.SKEIN_TEAM_POLL_MS) || 30_000;

/** Until the signal. */
export async function followTeam(
  catalog: Catalog,
  team: Pick<TeamStore, 'state'>,
  { signal, onLooked, onFault }: Following,
): Promise<void> {
  let seen: string | undefined;
  while (!signal.aborted) {
    try {
      const state = await team.state();
      if (state !== seen) {
        await catalog.look();
        onLooked();
      }
      seen = state;
    } catch (error) {
      // The next time it may be there.
      onFault(error);
    }
    await rest(signal);
  }
}

function rest(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, POLL_MS);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
