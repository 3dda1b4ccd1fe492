/** Settings files as they lie on disk. One that cannot be understood is left out and told of; what forbids still holds. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gitTop } from '../../disk/gittop.ts';
import { managedFiles } from '../../disk/managed.ts';
import { readPlainFile } from '../../disk/plainfile.ts';
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../format/json.ts';
import { checkSettings } from './check.ts';
import type { Problem, SettingsFile, Source } from './types.ts';

export interface SettingsPlace {
  /** Where the session begins. */
  readonly cwd: string;
  readonly home: string;
  /** The client's folder (L1). */
  readonly config: string;
  /** `--settings`: a file, or the settings themselves. */
  readonly flag?: string;
  /** `--setting-sources`; managed settings and the flag are read in any case. */
  readonly sources?: readonly Source[];
  /** The folder of managed settings; tests have their own. */
  readonly managed?: string;
}

export interface ReadSettings {
  readonly files: readonly SettingsFile[];
  readonly problems: readonly Problem[];
}

interface Named {
  readonly source: Source;
  readonly file: string;
  readonly root: string;
  /** Given as text. */
  readonly text?: string;
}

/** Where settings may lie, the strongest first. */
export function settingsFiles(place: SettingsPlace): Named[] {
  const { cwd, config, flag, sources = ['user', 'project', 'local'] } = place;
  const top = gitTop(cwd) ?? cwd;
  const locals = [...new Set([top, cwd])].map((root) => ({
    source: 'local' as const,
    file: join(root, '.claude', 'settings.local.json'),
    root,
  }));
  const own: readonly Named[] = [
    // That of the repository and that of the folder; the former wins, as in the client.
    ...locals,
    { source: 'project', file: join(cwd, '.claude', 'settings.json'), root: cwd },
    { source: 'user', file: join(config, 'settings.json'), root: config },
  ];
  return [
    ...managedFiles(place.managed).map((file) => ({ source: 'managed' as const, file, root: cwd })),
    ...(flag === undefined ? [] : [flagged(flag, cwd)]),
    // The home folder as a project: its settings are the user's own and count once.
    ...own.filter(({ source, file }) => sources.includes(source) && !(source === 'project' && isUsers(file, config))),
  ];
}

function isUsers(file: string, config: string): boolean {
  return resolve(file) === resolve(config, 'settings.json');
}

function flagged(flag: string, cwd: string): Named {
  const isText = flag.trimStart().startsWith('{');
  return { source: 'flag', root: cwd, ...(isText ? { file: '--settings', text: flag } : { file: resolve(cwd, flag) }) };
}

export async function readSettings(place: SettingsPlace): Promise<ReadSettings> {
  const files: SettingsFile[] = [];
  const problems: Problem[] = [];
  for (const named of settingsFiles(place)) {
    const read = await readOne(named);
    if (read === undefined) continue;
    problems.push(...read.problems);
    if (read.file !== undefined) files.push(read.file);
  }
  return { files, problems };
}

interface ReadOne {
  readonly file?: SettingsFile;
  readonly problems: readonly Problem[];
}

async function readOne(named: Named): Promise<ReadOne | undefined> {
  const { source, file, root } = named;
  const wrong = (what: string, at: Problem['at']): Problem => ({ source, file, what, at });
  let text: string;
  try {
    // What a person names may be a pipe of theirs.
    text = named.text ?? (source === 'flag' ? readFileSync(file, 'utf8') : readPlainFile(file));
  } catch (error) {
    // A file that was asked for by name is missed by whoever asked.
    if (isMissing(error) && source !== 'flag') return undefined;
    const why = error instanceof Error ? error.message : String(error);
    return { problems: [wrong(`It cannot be read: ${why}`, 0)] };
  }
  text = text.replace(/^\uFEFF/, '');
  if (text.trim() === '') return undefined;
  const value = asObject(parseJson(text));
  if (value === undefined) {
    const { brokenText } = await import('./text.ts');
    const broken = brokenText(text);
    const held = { source, file, text, root, value: forbidding(broken.value) };
    return { problems: [wrong(broken.what, broken.offset)], file: held };
  }
  const { kept, found } = checkSettings(value, source);
  const problems = found.map(({ what, at, quiet }) => ({ ...wrong(what, at), ...(quiet && { quiet }) }));
  return { problems, file: { source, file, text, root, value: kept ?? forbidding(value) } };
}

/** What a file that is left out forbids: losing that would allow what nobody allowed. */
export function forbidding(value: JsonObject): JsonObject {
  const { deny, ask, disableBypassPermissionsMode } = asObject(value.permissions) ?? {};
  const rules = (list: typeof deny) => (asArray(list) ?? []).filter((rule) => asString(rule) !== undefined);
  const permissions: JsonObject = {
    ...(asArray(deny) && { deny: rules(deny) }),
    ...(asArray(ask) && { ask: rules(ask) }),
    ...(disableBypassPermissionsMode === 'disable' && { disableBypassPermissionsMode }),
  };
  return Object.keys(permissions).length === 0 ? {} : { permissions };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
