/** The push that a run of the hook starts, in a process of its own. Nobody sees what it prints: how it went stands in the hook's log. */
import type { Check } from '../../client/hook/checks.ts';
import { checkTeam, troubleOf } from '../../client/hook/team.ts';
import { lockTarget } from '../../team/push/lock.ts';
import { fileRecords, hasRows } from '../../team/push/records.ts';
import { resolveTarget, type TeamTarget } from '../../team/target.ts';
import { counted } from '../../views/counted.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { stateOf } from '../team/policied.ts';
import { run as push } from '../team/push.ts';

export async function pushQuietly(
  context: Context,
  team: string,
  report: (level: 'info' | 'error', what: string) => void,
): Promise<void> {
  let password = '';
  try {
    const target = resolveTarget(context, team);
    password = target.password;
    await push(context, quietArguments(team));
    const trouble = await leftBehind(context, target);
    if (trouble === undefined) report('info', 'done');
    else report('error', textOf(trouble));
  } catch (error) {
    report('error', textOf(troubleOf(error, password)));
  }
}

/** As those of `skein team push --quiet --team NAME`, whose verb the hook's own bundle does not have. */
function quietArguments(team: string): Arguments {
  return {
    positionals: [],
    flag: (name) => name === 'quiet',
    value: (name) => (name === 'team' ? team : undefined),
    values: () => [],
  };
}

function textOf({ what, next }: Check): string {
  return `not pushed: ${what}${next === undefined ? '' : `; next: ${next}`}`;
}

/** A quiet push says nothing of a server that is away, but what it could not send is put down as on its way. */
async function leftBehind(context: Context, target: TeamTarget): Promise<Check | undefined> {
  const state = stateOf(context, target);
  try {
    const files = fileRecords(state.db).filter(({ digest, id }) => digest === undefined && hasRows(state.db, id));
    if (files.length === 0) return undefined;
    const unlock = await lockTarget(state.path, { waitMs: 0, signal: context.signal });
    // Another one is at it.
    if (unlock === undefined) return undefined;
    unlock();
    const sessions = new Set(files.map(({ session }) => session)).size;
    const left = `${counted(sessions, 'session')} ${sessions === 1 ? 'waits' : 'wait'} for the next push`;
    const { state: found, what, next } = await checkTeam(target);
    if (found === 'bad') return { about: 'team', state: 'bad', what: `${what}; ${left}`, ...(next && { next }) };
    return { about: 'team', state: 'bad', what: `${target.name} did not take all; ${left}`, next: 'skein team push' };
  } finally {
    state.close();
  }
}
