/** What the parts of `skein team` share. */
import { openTeam, type Team, type TeamTarget } from '../../team/connect.ts';
import { resolveTarget } from '../../team/target.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';

/** The server that --team names, else the default. */
export function targetOf(context: Context, args: Arguments): TeamTarget {
  return resolveTarget(context, args.value('team'), { insecure: args.flag('insecure') });
}

/** Closed when the work is done, whatever comes of it. */
export async function withTeam<T>(target: TeamTarget, call: (team: Team) => Promise<T>): Promise<T> {
  const team = await openTeam(target);
  try {
    return await call(team);
  } finally {
    await team.close();
  }
}
