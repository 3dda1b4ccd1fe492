/** What the settings of the published client add to the options of `skein chat`: an option wins over them. */
import { parseRule, problemsOf } from '../../agent/permissions/rules.ts';
import { MODES, type Mode, type Rule } from '../../agent/permissions/types.ts';
import { loadSettings } from '../../agent/settings/load.ts';
import { problemLines } from '../../agent/settings/problems.ts';
import type { HookSetting, Settings } from '../../agent/settings/types.ts';
import type { Arguments } from '../command.ts';
import { settingsPlace } from '../config/place.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import type { Choice } from './options.ts';
import type { Place } from './session.ts';

export interface Settled {
  readonly rules: readonly Rule[];
  readonly mode: Mode;
  readonly folders: readonly string[];
  readonly env: Context['env'];
  readonly hooks: readonly HookSetting[];
  readonly settingsModel?: string;
}

export async function withSettings(
  context: Context,
  args: Arguments,
  choice: Choice,
  place: Place,
  notice: (words: string) => void,
): Promise<Settled> {
  const settings = await loadSettings({ ...settingsPlace(args, place), print: choice.print });
  const lines = await problemLines(settings);
  const unread = settings.problems.findIndex(({ source, at }) => source === 'flag' && typeof at === 'number');
  if (unread >= 0) {
    const next = 'Give a JSON file, or the settings themselves: --settings \'{"model":"opus"}\'.';
    throw new CommandError('The settings of --settings cannot be used.', lines[unread]?.text ?? '', next);
  }
  for (const { text, quiet } of lines) if (!quiet) notice(text);
  for (const words of settings.notices) notice(words);
  const rules = settings.rules.map(({ text, behaviour, source }) => parseRule(text, behaviour, source));
  for (const words of problemsOf(rules)) notice(words);
  return {
    rules: [...choice.rules, ...rules],
    mode: modeOf(settings, args, choice, notice),
    folders: [...new Set([...choice.folders, ...settings.folders])],
    env: { ...context.env, ...settings.env },
    hooks: settings.hooks,
    ...(settings.model !== undefined && { settingsModel: settings.model }),
  };
}

function modeOf(settings: Settings, args: Arguments, choice: Choice, notice: (words: string) => void): Mode {
  const isGiven = args.flag('dangerously-skip-permissions') || args.value('permission-mode') !== undefined;
  const told = isGiven ? choice.mode : (settings.mode ?? choice.mode);
  const mode = MODES.find((each) => each === told);
  if (mode === undefined) notice(`The mode ${told} of the settings is not known here; default holds.`);
  if (mode !== 'bypassPermissions' || !settings.bypassDisabled) return mode ?? 'default';
  notice('bypassPermissions is turned off by the settings (disableBypassPermissionsMode); default holds.');
  return 'default';
}
