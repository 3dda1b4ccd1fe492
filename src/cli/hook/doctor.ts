/** `skein hook doctor`. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { checkHook } from '../../client/hook/checks.ts';
import { hookPlaces } from '../../client/hook/place.ts';
import { projectSettings, userSettings } from '../../client/hook/settings.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { version } from '../mcp/version.ts';
import { writeJson } from './install.ts';

/** Exit code 1 when something is in the way. */
export async function doctor(context: Context, args: Arguments): Promise<number> {
  const checks = await checkHook({
    settings: [userSettings(context), projectSettings(context.cwd)],
    places: hookPlaces(resolve(context.cwd, archiveFolder(context))),
    env: context.env,
    now: context.now().getTime(),
    version: version(),
  });
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
