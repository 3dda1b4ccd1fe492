/** The servers that are configured for a folder, from all the places the published client looks at. What is wrong with one leaves the others alone. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../../disk/errors.ts';
import { gitTop } from '../../disk/gittop.ts';
import { readPlainFile } from '../../disk/plainfile.ts';
import { asObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { ownEnv } from '../settings/load.ts';
import { textsIn } from '../settings/texts.ts';
import { isTrusted, stateFile } from '../settings/trust.ts';
import type { Settings, Source } from '../settings/types.ts';
import { approvalOf, NOT_APPROVED } from './approve.ts';
import { expandServer } from './expand.ts';
import { type Parsed, parseServers } from './parse.ts';
import { type Policy, policyOf } from './policy.ts';
import type { McpScope, McpServer } from './types.ts';

export { managedFolder } from '../../disk/managed.ts';

export interface McpSources {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  /** Without that of settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  /** `--setting-sources`: which scopes are looked at. */
  readonly sources?: readonly Source[];
  /** `--mcp-config`: files, or the configuration itself. */
  readonly flags?: readonly string[];
  /** Only those of the flags. */
  readonly strict?: boolean;
  /** The folder of managed settings. */
  readonly managed?: string;
}

export interface FoundServers {
  readonly servers: ReadonlyMap<string, McpServer>;
  /** What a person should know, a line each. */
  readonly notices: readonly string[];
  /** The same of servers that wait for approval, where nobody is asked. */
  readonly unapproved: readonly string[];
  /** Why one that is named later may not be used. */
  readonly forbidden: Policy;
  /** A flag that cannot be made anything of: whoever gave it counts on it. */
  readonly refused?: string;
}

const ALL_MANAGED = 'managed-mcp.json says which there are';

/** The strongest wins, by name: flag, local, project, user. */
export function findServers(place: McpSources): FoundServers {
  const notices: string[] = [];
  const unapproved: string[] = [];
  const found = new Map<string, McpServer>();
  const add = ({ servers, problems }: Parsed) => {
    notices.push(...problems);
    for (const [name, server] of servers) found.set(name, server);
  };
  const flags = (place.flags ?? []).map((flag) => readFlag(flag, place.cwd));
  const refused = flags.find((each) => typeof each === 'string');
  const managed =
    place.managed === undefined ? undefined : readFile(join(place.managed, 'managed-mcp.json'), 'managed');
  if (managed !== undefined) add(managed);
  else if (!place.strict) for (const part of configured(place)) add(part);
  if (managed === undefined) for (const flag of flags) if (typeof flag !== 'string') add(flag);
  const forbidden = policyOf(place.settings);
  const servers = judge(found, place, forbidden, notices, unapproved);
  return {
    servers,
    notices,
    unapproved,
    forbidden: (name, server) => (managed && server.type !== 'sdk' ? ALL_MANAGED : forbidden(name, server)),
    ...(refused !== undefined && { refused }),
  };
}

/** The weakest first. */
function configured(place: McpSources): Parsed[] {
  const { cwd, home, config, sources = ['user', 'project', 'local'] } = place;
  const file = stateFile(home, config);
  const state = asObject(parseJson(textOf(file) ?? ''));
  const project = asObject(asObject(state?.projects)?.[projectKey(cwd)]);
  const part = (value: Json | undefined, scope: McpScope, where: string): Parsed[] =>
    value === undefined ? [] : [parseServers(value, scope, where)];
  return [
    ...(sources.includes('user') ? part(state?.mcpServers, 'user', file) : []),
    ...(sources.includes('project') ? above(cwd).flatMap((each) => readFile(each, 'project') ?? []) : []),
    ...(sources.includes('local') ? part(project?.mcpServers, 'local', `${file} (projects)`) : []),
  ];
}

/** As the client names a project in its state. */
function projectKey(cwd: string): string {
  return gitTop(cwd) ?? cwd;
}

/** Those of the folders above count too; the nearest comes last and wins. */
function above(cwd: string): string[] {
  const files: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    files.unshift(join(folder, '.mcp.json'));
    if (dirname(folder) === folder) return files;
  }
}

/** Undefined where there is none. */
function readFile(file: string, scope: McpScope): Parsed | undefined {
  const unused = (why: string) => ({
    servers: new Map(),
    problems: [`${file} ${why}; none of its MCP servers is used.`],
  });
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
    return isMissing ? undefined : unused(`cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  const value = asObject(parseJson(text.replace(/^\uFEFF/, '')));
  if (value === undefined) return unused('is no JSON object');
  return parseServers(value.mcpServers ?? {}, scope, file);
}

function readFlag(flag: string, cwd: string): Parsed | string {
  const isText = flag.trimStart().startsWith('{');
  const file = resolve(cwd, flag);
  const text = isText ? flag : textOf(file);
  if (text === undefined) return `There is no file ${file}.`;
  const where = isText ? '--mcp-config' : file;
  const value = asObject(parseJson(text.replace(/^\uFEFF/, '')));
  if (value === undefined) return `${isText ? 'What was given' : file} is no JSON object.`;
  if (asObject(value.mcpServers) === undefined) return `${isText ? 'What was given' : file} has no object mcpServers.`;
  return parseServers(value.mcpServers, 'flag', where);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Which of them may be started, and with what their variables stand for. */
function judge(
  found: ReadonlyMap<string, McpServer>,
  place: McpSources,
  forbidden: Policy,
  notices: string[],
  waiting: string[],
): Map<string, McpServer> {
  const judged = new Map<string, McpServer>();
  const approval = approvalOf(place);
  const turnedOff = found.size === 0 ? [] : offIn(place);
  // A stranger's project does not say where a person's own servers, with their keys, are.
  const { files, env: all } = place.settings;
  const own = found.size === 0 || isTrusted(place) ? all : ownEnv(files);
  const envFor = ({ scope }: McpServer) => ({ ...place.env, ...(scope === 'project' ? all : own) });
  for (const [name, configured] of found) {
    const { server, missing } = expandServer(configured, envFor(configured));
    const why = forbidden(name, server);
    if (why !== undefined) {
      notices.push(`The MCP server "${name}" of ${server.where ?? server.scope} is not used: ${why}.`);
      continue;
    }
    if (missing.length > 0) {
      const names = missing.join(', ');
      notices.push(`The MCP server "${name}" of ${server.where ?? server.scope} names what is not set: ${names}.`);
    }
    const said = server.scope === 'project' ? approval(name) : 'yes';
    if (said === 'no') continue;
    if (turnedOff.includes(name)) judged.set(name, { ...server, off: 'it is turned off for this project' });
    else if (said === 'yes') judged.set(name, server);
    else {
      judged.set(name, { ...server, off: NOT_APPROVED });
      waiting.push(unapproved(name, server));
    }
  }
  return judged;
}

function unapproved(name: string, { where = '.mcp.json' }: McpServer): string {
  return `The MCP server "${name}" of ${where} was not started: nobody approved it. Say /mcp approve ${name}, or name it in enabledMcpjsonServers of your settings.`;
}

function offIn({ cwd, home, config }: McpSources): string[] {
  const state: JsonObject = asObject(parseJson(textOf(stateFile(home, config)) ?? '')) ?? {};
  const project = asObject(asObject(state.projects)?.[projectKey(cwd)]);
  return textsIn(project?.disabledMcpServers);
}
