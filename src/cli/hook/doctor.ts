/** `skein hook doctor`. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { type Check, callIn, checkHook } from '../../client/hook/checks.ts';
import { hookPlaces } from '../../client/hook/place.ts';
import { settingsRead } from '../../client/hook/settings.ts';
import { safeLine } from '../../views/safe.ts';
import { parseArguments } from '../arguments.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { version } from '../mcp/version.ts';
import { writeJson } from './install.ts';
import { choiceOf, refuseOthers } from './options.ts';
import { installedIn } from './status.ts';

/** Exit code 1 when something is in the way. */
export async function doctor(context: Context, args: Arguments): Promise<number> {
  refuseOthers(args, 'doctor', []);
  const checks = await checkHook({
    settings: settingsRead(context, context.cwd),
    places: hookPlaces(resolve(context.cwd, archiveFolder(context))),
    env: context.env,
    now: context.now().getTime(),
    version: version(),
  });
  checks.push(...(await optionChecks(context)), ...(await teamChecks(context)));
  const isFine = checks.every(({ state }) => state !== 'bad');
  if (args.flag('json')) writeJson(context, { ok: isFine, checks });
  else {
    const { good, warn, bad, dim } = context.out.style;
    const marks = { ok: good('ok  '), warning: warn('hint'), bad: bad('BAD ') };
    for (const { about, state, what, next } of checks) {
      context.out.write(`${marks[state]} ${about}: ${safeLine(what)}\n`);
      if (next !== undefined) context.out.write(`     ${dim('next:')} ${safeLine(next)}\n`);
    }
  }
  return isFine ? 0 : 1;
}

/** A call with an option that there is not does nothing, and the client tells nobody why. */
async function optionChecks(context: Context): Promise<Check[]> {
  const { hook } = await import('../commands/hook.ts');
  const commands = new Set(installedIn(context).flatMap((each) => each.commands));
  return [...commands].flatMap((command): Check[] => {
    const { options } = callIn(command);
    // What stands in a variable only the shell knows.
    if (options.some((word) => /[$`]/.test(word))) return [];
    try {
      choiceOf(parseArguments(hook, ['run', ...options]));
      return [];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const what = `the hook cannot run as it is called: ${error.message}`;
      return [
        { about: 'command', state: 'bad', what, next: 'Mend it in the settings, or run skein hook install again.' },
      ];
    }
  });
}

/** Of each team that an installed hook pushes to. */
async function teamChecks(context: Context): Promise<Check[]> {
  const commands = installedIn(context).flatMap((each) => each.commands.map((command) => callIn(command).options));
  const teams = new Set(commands.filter((words) => words.includes('--team')).map(teamIn));
  if (teams.size === 0) return [];
  const [{ checkTeam, troubleOf }, { resolveTarget }, { policyOf }] = await Promise.all([
    import('../../client/hook/team.ts'),
    import('../../team/target.ts'),
    import('../team/policied.ts'),
  ]);
  const checks: Check[] = [];
  for (const team of teams) {
    try {
      const target = resolveTarget(context, team);
      checks.push(await checkTeam(target));
      policyOf(context);
    } catch (error) {
      checks.push(troubleOf(error));
    }
  }
  return checks;
}

function teamIn(words: readonly string[]): string {
  return words[words.indexOf('--team') + 1] ?? '';
}
