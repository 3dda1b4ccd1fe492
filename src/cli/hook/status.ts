/** `skein hook status`: where it is installed, and how it went. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { type LogLine, readLog } from '../../client/hook/log.ts';
import { hookPlaces } from '../../client/hook/place.ts';
import { unfinished } from '../../client/hook/sessions.ts';
import { hooksIn, settingsRead } from '../../client/hook/settings.ts';
import { whatIn } from '../../client/hook/settingstree.ts';
import { withoutAddressKeys } from '../../export/otlp/secrets.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { writeJson } from './install.ts';
import { lineText } from './log.ts';
import { refuseOthers } from './options.ts';

export interface Installed {
  readonly file: string;
  readonly events: readonly string[];
  readonly commands: readonly string[];
  /** Why the file could not be looked into. */
  readonly problem: string | null;
}

/** In all settings that the client reads here. */
export function installedIn(context: Context): Installed[] {
  return settingsRead(context, context.cwd).map((file) => {
    try {
      const hooks = hooksIn(file);
      const commands = [...new Set(hooks.map(({ command }) => command))];
      return { file, events: hooks.map(({ event }) => event), commands, problem: null };
    } catch (error) {
      return { file, events: [], commands: [], problem: whatIn(error) };
    }
  });
}

export interface Runs {
  readonly last: LogLine | null;
  readonly lastError: LogLine | null;
}

export function runsIn(lines: readonly LogLine[]): Runs {
  return { last: lines.at(-1) ?? null, lastError: lines.findLast(({ level }) => level === 'error') ?? null };
}

/** Exit code 1 when it is installed nowhere. */
export function status(context: Context, args: Arguments): number {
  refuseOthers(args, 'status', []);
  const places = hookPlaces(resolve(context.cwd, archiveFolder(context)));
  // What an older version let into the settings is not shown again.
  const installed = installedIn(context).map((each) => ({ ...each, commands: each.commands.map(withoutAddressKeys) }));
  const { last, lastError } = runsIn(readLog(places));
  const waiting = unfinished(places, context.now().getTime());
  const isInstalled = installed.some(({ events }) => events.length > 0);
  if (args.flag('json')) {
    writeJson(context, { installed, last, lastError, waiting });
    return isInstalled ? 0 : 1;
  }
  const { out } = context;
  const { dim, bad } = out.style;
  for (const { file, events, commands, problem } of installed) {
    if (problem !== null) out.write(`${bad(problem)} ${dim(file)}\n`);
    else if (events.length > 0) out.write(`installed: ${file}\n${commands.map((each) => `  ${dim(each)}\n`).join('')}`);
  }
  if (!isInstalled) out.write(`Not installed. ${dim('Run: skein hook install --archive')}\n`);
  out.write(last === null ? 'It has not run yet.\n' : `last run: ${lineText(last, context)}\n`);
  if (lastError !== null) out.write(`last error: ${lineText(lastError, context)}\n`);
  if (waiting.length > 0)
    out.write(`${waiting.length} sessions have something left to send; the next run goes on with them.\n`);
  return isInstalled ? 0 : 1;
}
