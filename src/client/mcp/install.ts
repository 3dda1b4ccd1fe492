/** Our entry in the client's own configuration: added beside what is there, nothing else is changed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { DiskError, toDiskError } from '../../disk/errors.ts';
import { asObject, isObject, type JsonObject, parseJson } from '../../format/json.ts';

export const SERVER_NAME = 'skein';

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
}

export interface ConfigQuery {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** For all projects of this user: in HOME, or in the config folder when one is set. */
export function userConfig({ env, home }: ConfigQuery): string {
  return join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
}

/** For everyone who works on a project: in its folder, kept with its sources. */
export function projectConfig(folder: string): string {
  return join(folder, '.mcp.json');
}

export interface Change {
  readonly file: string;
  readonly changed: boolean;
  /** Where the file as it was is kept. */
  readonly backup: string | undefined;
}

export interface ChangeOptions {
  readonly dryRun: boolean;
}

export function addServer(file: string, { command, args }: StdioServer, options: ChangeOptions): Change {
  return change(file, options, (servers) => ({
    ...servers,
    [SERVER_NAME]: { ...asObject(servers[SERVER_NAME]), type: 'stdio', command, args: [...args] },
  }));
}

export function removeServer(file: string, options: ChangeOptions): Change {
  return change(file, options, (servers) => {
    const { [SERVER_NAME]: ours, ...others } = servers;
    return ours === undefined ? servers : others;
  });
}

/** Throws DiskError; the file is then as it was. */
function change(file: string, { dryRun }: ChangeOptions, edit: (servers: JsonObject) => JsonObject): Change {
  const before = existsSync(file) ? read(file) : undefined;
  const config = before === undefined ? {} : parsed(file, before);
  const servers = config.mcpServers === undefined ? {} : asObject(config.mcpServers);
  if (servers === undefined) throw unlike(file, '"mcpServers" is not an object');
  const edited = edit(servers);
  if (JSON.stringify(edited) === JSON.stringify(servers)) return { file, changed: false, backup: undefined };
  const backup = before === undefined ? undefined : `${file}.before-skein`;
  if (!dryRun) {
    if (backup !== undefined && before !== undefined) writeFileAtomic(backup, Buffer.from(before), { mode: 0o600 });
    const text = JSON.stringify({ ...config, mcpServers: edited }, null, indentOf(before));
    writeFileAtomic(file, Buffer.from(before === undefined || before.endsWith('\n') ? `${text}\n` : text));
  }
  return { file, changed: true, backup };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw toDiskError(error, 'cannot read', file);
  }
}

/** Only what comes out of JSON.stringify as it went in is written again: 1.0 or an id too large for a number would not. */
function parsed(file: string, text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw unlike(file, 'it is not a JSON object');
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
  if (JSON.stringify(value) !== compact) throw unlike(file, 'writing it again would change more than our entry');
  return value;
}

function unlike(file: string, why: string): DiskError {
  const next = 'It was not touched. Add the server by hand: claude mcp add --scope user skein -- skein mcp';
  return new DiskError({ what: `cannot change the configuration: ${why}`, where: file, next });
}

function indentOf(text: string | undefined): string | number {
  return /^\{\r?\n([ \t]+)"/.exec(text ?? '')?.[1] ?? (text?.startsWith('{"') ? 0 : 2);
}
