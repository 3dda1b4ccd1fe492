/** The settings that hold for a session, out of all the files that say something. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { asArray, asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import { valueAt } from './check.ts';
import { hooksOf } from './hooks.ts';
import { merged, strongest } from './merge.ts';
import { readSettings, type SettingsPlace } from './read.ts';
import { isTracked } from './tracked.ts';
import { isTrusted, stateFile } from './trust.ts';
import { CLIENT_NAMES, type HookSetting, type SettingRule, type Settings, type SettingsFile } from './types.ts';

export interface LoadOptions extends SettingsPlace {
  /** Nobody was asked whether the folder may be trusted, and nobody can be: as in the client its hooks run then. */
  readonly print: boolean;
}

export async function loadSettings(options: LoadOptions): Promise<Settings> {
  const { files, problems } = await readSettings(options);
  const isAsked = files.some(({ source }) => source === 'project' || source === 'local');
  const trusted = !isAsked || isTrusted(options);
  const notices: string[] = [];
  const all = merged(files);
  const mode = modeOf(files, notices);
  const model = asString(all.model);
  return {
    files,
    problems,
    rules: rulesOf(files, trusted, options, notices),
    hooks: runnable(files, trusted || options.print, notices),
    env: envOf(files, trusted, notices),
    ...(model !== undefined && model !== '' && { model }),
    ...(mode !== undefined && { mode }),
    bypassDisabled: valueAt(all, ['permissions', 'disableBypassPermissionsMode']) === 'disable',
    sandbox: sandboxOf(files, trusted),
    folders: foldersOf(all, options),
    notices,
    get: (path) => valueAt(all, path),
  };
}

/** A project may not let itself do everything: that is for the person and whoever manages the machine. */
function modeOf(files: readonly SettingsFile[], notices: string[]): string | undefined {
  const path = ['permissions', 'defaultMode'];
  const isOwn = ({ source, value }: SettingsFile) =>
    (source !== 'project' && source !== 'local') || valueAt(value, path) !== 'bypassPermissions';
  const refused = files.filter((file) => !isOwn(file));
  for (const { file } of refused)
    notices.push(`bypassPermissions as the mode of ${file} does not count; give it as --permission-mode.`);
  return asString(strongest(files.filter(isOwn), path)?.value);
}

function sandboxOf(files: readonly SettingsFile[], trusted: boolean): JsonObject {
  const own = files.filter((file) => trusted || !isProjects(file));
  const isWished = files.some(({ value }) => valueAt(value, ['sandbox', 'enabled']) === true);
  return { ...(isWished && { enabled: true }), ...asObject(merged(own).sandbox) };
}

const BEHAVIOURS = ['deny', 'ask', 'allow'] as const;

function rulesOf(
  files: readonly SettingsFile[],
  trusted: boolean,
  place: SettingsPlace,
  notices: string[],
): SettingRule[] {
  const managed = files.filter(({ source }) => source === 'managed');
  const managedOnly = managed.some(({ value }) => value.allowManagedPermissionRulesOnly === true);
  return files.flatMap((file) => {
    const { source: from, root } = file;
    const source = { name: CLIENT_NAMES[from], where: file.file, root };
    return BEHAVIOURS.flatMap((behaviour) => {
      const rules = (asArray(valueAt(file.value, ['permissions', behaviour])) ?? []).flatMap(
        (text) => asString(text) ?? [],
      );
      if (behaviour === 'allow' && managedOnly && from !== 'managed') return [];
      if (behaviour === 'allow' && !trusted && rules.length > 0 && isProjects(file)) {
        notices.push(untrusted(`${rules.length} permissions.allow of ${file.file}`, place));
        return [];
      }
      return rules.map((text) => ({ text, behaviour, from, source }));
    });
  });
}

/** A project brings its local settings along only by putting them into the repository. */
export function isProjects({ source, file }: SettingsFile): boolean {
  return source === 'project' || (source === 'local' && isTracked(file));
}

function untrusted(what: string, { cwd, home, config }: SettingsPlace): string {
  return `Not used: ${what}. This folder was not trusted yet; say so in Claude Code, or set projects["${cwd}"].hasTrustDialogAccepted to true in ${stateFile(home, config)}.`;
}

/** The weakest source first; those of whoever manages the machine cannot be turned off by others. */
function runnable(files: readonly SettingsFile[], trusted: boolean, notices: string[]): HookSetting[] {
  const managed = files.filter(({ source }) => source === 'managed');
  const off = strongest(files, ['disableAllHooks']);
  const managedOnly = managed.some(({ value }) => value.allowManagedHooksOnly === true);
  if (off?.value === true && off.file.source === 'managed') return [];
  const used = managedOnly || off?.value === true ? managed : files;
  return used.toReversed().flatMap((file) => {
    const hooks = hooksOf(file.value, file.source);
    const isStrange = !trusted && (file.source === 'project' || file.source === 'local');
    if (isStrange && hooks.length > 0)
      notices.push(`Not run: ${hooks.length} hooks of ${file.file}; this folder was not trusted yet.`);
    return isStrange ? [] : hooks;
  });
}

/** Names that decide where keys go or what programs run: not for a project that nobody trusted. */
const DELICATE =
  /^(?:ANTHROPIC_|CLAUDE_|SKEIN_|AWS_|GOOGLE_|NODE_|LD_|DYLD_|GIT_|SSH_|PYTHON|PERL|RUBY|.*_PROXY$|PATH$|SHELL$|HOME$|ENV$|BASH_|ZDOTDIR$|IFS$|PS4$|PAGER$|EDITOR$|VISUAL$)/i;

/** Without what a project says that nobody may have trusted. */
export function ownEnv(files: readonly SettingsFile[]): Record<string, string> {
  const own = files.filter(({ source }) => source !== 'project' && source !== 'local');
  return envOf(own, true, []);
}

function envOf(files: readonly SettingsFile[], trusted: boolean, notices: string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { source, file, value } of files.toReversed()) {
    const isStrange = !trusted && (source === 'project' || source === 'local');
    const refused: string[] = [];
    for (const [name, text] of Object.entries(asObject(value.env) ?? {})) {
      if (isStrange && DELICATE.test(name)) refused.push(name);
      else env[name] = asString(text) ?? '';
    }
    if (refused.length > 0) notices.push(`Not set: ${refused.join(', ')} of ${file}; this folder was not trusted yet.`);
  }
  return env;
}

function foldersOf(all: JsonObject, { cwd, home }: SettingsPlace): string[] {
  const list: readonly Json[] = asArray(valueAt(all, ['permissions', 'additionalDirectories'])) ?? [];
  return list.flatMap((folder) => asString(folder) ?? []).map((folder) => resolve(cwd, untilde(folder, home)));
}

function untilde(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home || homedir(), path.slice(1)) : path;
}
