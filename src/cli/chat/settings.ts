/** What the settings of the published client add to the options of `skein chat`: an option wins over them. */
import type { McpOptions } from '../../agent/mcp/types.ts';
import { readMode } from '../../agent/permissions/modes.ts';
import { parseRule, problemsOf } from '../../agent/permissions/rules.ts';
import type { Mode, Rule } from '../../agent/permissions/types.ts';
import { loadSettings } from '../../agent/settings/load.ts';
import { problemLines } from '../../agent/settings/problems.ts';
import type { HookSetting, Settings } from '../../agent/settings/types.ts';
import type { Sandbox } from '../../agent/tools/shell/types.ts';
import type { Arguments } from '../command.ts';
import { settingsPlace } from '../config/place.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { mcpOf } from './mcp.ts';
import type { Choice } from './options.ts';
import type { Place } from './session.ts';

export interface Settled {
  readonly rules: readonly Rule[];
  readonly mode: Mode;
  readonly folders: readonly string[];
  readonly env: Context['env'];
  readonly hooks: readonly HookSetting[];
  readonly mcp: McpOptions;
  readonly settingsModel?: string;
  readonly sandbox?: Sandbox;
  /** `--setting-sources` */
  readonly sources?: readonly string[];
  /** It may be turned to in mid-session. */
  readonly mayBypass: boolean;
}

export async function withSettings(
  context: Context,
  args: Arguments,
  choice: Choice,
  place: Place,
  notice: (words: string) => void,
): Promise<Settled> {
  const where = settingsPlace(args, place);
  const settings = await loadSettings({ ...where, print: choice.print });
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
  const folders = [...new Set([...choice.folders, ...settings.folders])];
  const shut = await sandboxOf(settings, args, { cwd: place.cwd, folders, path: context.env.PATH ?? '' }, notice);
  const mode = modeOf(settings, args, choice, notice);
  const isAllowed = mode === 'bypassPermissions' || args.flag('allow-dangerously-skip-permissions');
  return {
    rules: [...choice.rules, ...rules],
    mode,
    mayBypass: isAllowed && !settings.bypassDisabled,
    ...(where.sources && { sources: where.sources }),
    folders,
    ...shut,
    env: { ...context.env, ...settings.env },
    hooks: settings.hooks,
    mcp: await mcpOf(context, args, choice, place, settings, notice),
    ...(settings.model !== undefined && { settingsModel: settings.model }),
  };
}

async function sandboxOf(
  settings: Settings,
  args: Arguments,
  { cwd, folders, path }: { cwd: string; folders: readonly string[]; path: string },
  notice: (words: string) => void,
): Promise<{ readonly sandbox?: Sandbox }> {
  const isAsked = args.flag('sandbox');
  if (!isAsked && settings.sandbox.enabled !== true) return {};
  const { chooseSandbox } = await import('../../agent/sandbox/choose.ts');
  const wish = { isAsked, settings: settings.sandbox, folders: [cwd, ...folders], path, notice };
  const chosen = await chooseSandbox(wish);
  if (!('refused' in chosen)) return chosen;
  const where = isAsked ? '--sandbox' : 'sandbox of the settings';
  throw new CommandError(
    chosen.refused,
    where,
    'Install bubblewrap (apt install bubblewrap), or do without the sandbox.',
  );
}

function modeOf(settings: Settings, args: Arguments, choice: Choice, notice: (words: string) => void): Mode {
  const flag = args.flag('dangerously-skip-permissions') ? 'bypassPermissions' : args.value('permission-mode');
  const { mode, note } = readMode(flag ?? settings.mode ?? choice.mode);
  if (note !== undefined) notice(note);
  if (mode !== 'bypassPermissions' || !settings.bypassDisabled) return mode;
  notice('bypassPermissions is turned off by the settings (disableBypassPermissionsMode); default holds.');
  return 'default';
}
