/** Servers that settings forbid: those that deniedMcpServers names, and where there is an allowedMcpServers those that it does not. */
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';
import { glob } from '../permissions/wildcard.ts';
import type { Settings, SettingsFile } from '../settings/types.ts';
import type { McpServer } from './types.ts';

/** Why a server may not be used. */
export type Policy = (name: string, server: McpServer) => string | undefined;

export function policyOf({ files }: Settings): Policy {
  const denied = files.flatMap((file) => entriesOf(file, 'deniedMcpServers') ?? []);
  const managed = files.filter(({ source }) => source === 'managed');
  const managedOnly = managed.some(({ value }) => value.allowManagedMcpServersOnly === true);
  const isProjects = ({ source }: SettingsFile) => source === 'project' || source === 'local';
  // What a project allows narrows what others do; it adds nothing.
  const groups = [
    listed(managedOnly ? managed : files.filter((file) => !isProjects(file))),
    listed(files.filter(isProjects)),
  ];
  return (name, server) => {
    if (denied.some((entry) => isNamed(entry, name) || isLike(entry, server))) {
      return 'deniedMcpServers of the settings names it';
    }
    const isAllowed = groups.every((entries) => entries === undefined || allows(entries, name, server));
    return isAllowed ? undefined : 'allowedMcpServers of the settings does not name it';
  };
}

/** Undefined where no file has such a list. */
function listed(files: readonly SettingsFile[]): JsonObject[] | undefined {
  const lists = files.map((file) => entriesOf(file, 'allowedMcpServers')).filter((list) => list !== undefined);
  return lists.length === 0 ? undefined : lists.flat();
}

/** Where a list says what is run or asked, a name alone is not enough. */
function allows(entries: readonly JsonObject[], name: string, server: McpServer): boolean {
  if (entries.some((entry) => isLike(entry, server))) return true;
  const key = server.type === 'stdio' ? 'serverCommand' : server.type === 'sdk' ? undefined : 'serverUrl';
  const isStrict = key !== undefined && entries.some((entry) => entry[key] !== undefined);
  return !isStrict && entries.some((entry) => isNamed(entry, name));
}

function entriesOf({ value }: SettingsFile, key: string): JsonObject[] | undefined {
  return asArray(value[key])?.filter(isObject);
}

function isNamed(entry: JsonObject, name: string): boolean {
  return asString(entry.serverName) === name;
}

function isLike(entry: JsonObject, server: McpServer): boolean {
  const byUrl = asString(entry.serverUrl);
  if (byUrl !== undefined && 'url' in server && glob(byUrl).test(server.url)) return true;
  const command = asArray(entry.serverCommand);
  if (command === undefined || server.type !== 'stdio') return false;
  return JSON.stringify(command) === JSON.stringify([server.command, ...(server.args ?? [])]);
}
