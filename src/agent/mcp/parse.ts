/** The configuration of servers as it stands in files, flags and messages. */
import { asArray, asNumber, asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import type { McpScope, McpServer } from './types.ts';

export interface Parsed {
  readonly servers: ReadonlyMap<string, McpServer>;
  /** One for each server that cannot be used, with its name. */
  readonly problems: readonly string[];
}

/** `value`: what stands under `mcpServers`. */
export function parseServers(value: Json | undefined, scope: McpScope, where: string): Parsed {
  const servers = new Map<string, McpServer>();
  const problems: string[] = [];
  const all = asObject(value);
  if (all === undefined) return { servers, problems: [`${where}: mcpServers is no object; no server of it is used.`] };
  for (const [name, config] of Object.entries(all)) {
    const parsed = parseServer(config, scope, where);
    if (typeof parsed === 'string') problems.push(`${where}: the MCP server "${name}" is left out: ${parsed}.`);
    else servers.set(name, parsed);
  }
  return { servers, problems };
}

/** What is wrong with it, where it cannot be used. */
export function parseServer(config: Json | undefined, scope: McpScope, where?: string): McpServer | string {
  const value = asObject(config);
  if (value === undefined) return 'it is no object';
  const timeout = asNumber(value.timeout);
  const about = { scope, ...(where !== undefined && { where }), ...(timeout && timeout > 0 && { timeout }) };
  const type = value.type === undefined ? 'stdio' : asString(value.type);
  if (type === 'stdio') {
    const made = processOf(value);
    return typeof made === 'string' ? made : { ...made, ...about };
  }
  if (type === 'sdk') {
    const name = asString(value.name);
    return name === undefined ? 'it has no name' : { type, name, ...about };
  }
  if (type !== 'http' && type !== 'sse' && type !== 'streamable-http') {
    return `its type is ${JSON.stringify(value.type)}, and stdio, http and sse are known`;
  }
  const url = asString(value.url) ?? '';
  // A variable may stand for the whole of it.
  if (!/^https?:\/\//i.test(url) && !url.includes('${')) return 'its url is no http or https address';
  const headers = value.headers === undefined ? {} : textsOf(value.headers);
  if (headers === undefined) return 'its headers are no object of texts';
  return { type: type === 'sse' ? 'sse' : 'http', url, ...(Object.keys(headers).length > 0 && { headers }), ...about };
}

function processOf(value: JsonObject) {
  const command = asString(value.command) ?? '';
  if (command === '')
    return value.url === undefined ? 'it has no command' : 'it has a url and no type; add "type": "http"';
  const args = value.args === undefined ? [] : asArray(value.args);
  const texts = args?.flatMap((arg) => asString(arg) ?? []);
  if (texts === undefined || texts.length !== args?.length) return 'its args are no list of texts';
  const env = value.env === undefined ? {} : textsOf(value.env);
  if (env === undefined) return 'its env is no object of texts';
  return { type: 'stdio' as const, command, args: texts, env };
}

function textsOf(value: Json): Record<string, string> | undefined {
  const all = Object.entries(asObject(value) ?? {});
  if (asObject(value) === undefined || all.some(([, text]) => asString(text) === undefined)) return undefined;
  return Object.fromEntries(all.map(([key, text]) => [key, asString(text) ?? '']));
}
