/** Whether a server that a project brings along may be started: its own word for that counts for nothing. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { asArray, asObject, asString, parseJson } from '../../format/json.ts';
import { encode } from '../../format/text.ts';
import { gitTop } from '../prompt/environment.ts';
import { isProjects } from '../settings/load.ts';
import { isTrusted } from '../settings/trust.ts';
import type { Settings, SettingsFile } from '../settings/types.ts';

export interface ApprovalPlace {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly settings: Settings;
}

/** Why such a server is off. */
export const NOT_APPROVED = 'it was not approved';

export type Approval = 'yes' | 'no' | 'unsaid';

export function approvalOf(place: ApprovalPlace): (name: string) => Approval {
  let trusted: boolean | undefined;
  const counts = (file: SettingsFile): boolean => {
    if (!isProjects(file)) return true;
    trusted ??= isTrusted(place);
    return trusted;
  };
  const { files } = place.settings;
  return (name) => {
    if (files.some(({ value }) => names(value.disabledMcpjsonServers).includes(name))) return 'no';
    const saying = files.filter(
      ({ value }) => value.enableAllProjectMcpServers === true || names(value.enabledMcpjsonServers).includes(name),
    );
    return saying.some(counts) ? 'yes' : 'unsaid';
  };
}

function names(value: SettingsFile['value'][string] | undefined): string[] {
  return (asArray(value) ?? []).flatMap((name) => asString(name) ?? []);
}

/** Remembers it as the client does, in the local settings of the project. Throws DiskError; a file that is no JSON is left alone. */
export function rememberApproval(cwd: string, name: string, isYes: boolean): string {
  const file = join(gitTop(cwd) ?? cwd, '.claude', 'settings.local.json');
  let text: string | undefined;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    text = undefined;
  }
  const value = text === undefined || text.trim() === '' ? {} : asObject(parseJson(text));
  if (value === undefined) return `${file} is no JSON object: it was left as it is, and this will be asked again.`;
  const [add, take] = isYes
    ? (['enabledMcpjsonServers', 'disabledMcpjsonServers'] as const)
    : (['disabledMcpjsonServers', 'enabledMcpjsonServers'] as const);
  const others = names(value[take]).filter((each) => each !== name);
  const next = { ...value, [add]: [...new Set([...names(value[add]), name])] };
  if (value[take] !== undefined) next[take] = others;
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomic(file, encode(`${JSON.stringify(next, null, 2)}\n`));
  return `Remembered in ${file}.`;
}
