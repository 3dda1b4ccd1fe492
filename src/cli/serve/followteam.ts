/** A team is asked now and then whether something was pushed: only then its list is read again. */
import type { Catalog } from './catalog.ts';
import type { Following } from './follow.ts';
import type { TeamState } from './teamstate.ts';

/** In milliseconds; tests and those in a hurry say otherwise. */
const POLL_MS = Number(process.env.SKEIN_TEAM_POLL_MS) || 30_000;

/** Until the signal, also while an answer is on its way. */
export async function followTeam(
  catalog: Pick<Catalog, 'look' | 'setTrouble'>,
  team: Pick<TeamState, 'state'>,
  { signal, onLooked, onFault }: Following,
): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
  });
  let seen: string | undefined;
  while (!signal.aborted) {
    try {
      const state = await Promise.race([team.state(), stopped]);
      if (signal.aborted) return;
      if (state !== seen) {
        await catalog.look();
        onLooked();
      } else catalog.setTrouble(undefined);
      seen = state;
    } catch (error) {
      if (signal.aborted) return;
      // The next time it may be there; until then pages say why it is not.
      catalog.setTrouble(error);
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
