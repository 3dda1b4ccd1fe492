/** What the program can ask about MCP servers. */
import { parseServers } from '../../../agent/mcp/parse.ts';
import type { AgentMcp, McpState } from '../../../agent/mcp/types.ts';
import { asObject, asString, type Json, type JsonObject } from '../../../format/json.ts';
import type { Handler } from './handlers.ts';
import { Refusal } from './refusal.ts';

export const mcpHandlers: readonly (readonly [string, Handler])[] = [
  ['mcp_status', (_request, { agent }) => ({ mcpServers: agent.mcp.servers.map(stateOf) })],
  [
    'mcp_reconnect',
    async ({ serverName }, { agent }) => {
      const state = await agent.mcp.reconnect(known(serverName, agent.mcp));
      if (state?.status !== 'connected') throw new Refusal(state?.error ?? 'The server did not connect.');
      return undefined;
    },
  ],
  [
    'mcp_toggle',
    async ({ serverName, enabled }, { agent }) => {
      await agent.mcp.toggle(known(serverName, agent.mcp), enabled === true);
      return undefined;
    },
  ],
  [
    'mcp_set_servers',
    async ({ servers }, { agent }) => {
      const all = asObject(servers);
      if (all === undefined) throw new Refusal('mcp_set_servers: servers must be an object');
      const parsed = parseServers(all, 'dynamic', 'mcp_set_servers');
      const { added, removed, errors } = await agent.mcp.setServers(parsed.servers);
      const unread = Object.keys(all).filter((name) => !parsed.servers.has(name));
      const wrong = unread.map((name) => [name, parsed.problems.find((words) => words.includes(`"${name}"`)) ?? '']);
      return { added: [...added], removed: [...removed], errors: { ...errors, ...Object.fromEntries(wrong) } };
    },
  ],
];

function known(name: Json | undefined, { servers }: AgentMcp): string {
  const wanted = asString(name) ?? '';
  if (!servers.some((server) => server.name === wanted)) throw new Refusal(`Server not found: ${wanted}`);
  return wanted;
}

/** Without what may be secret: variables and headers. */
function stateOf({ name, status, scope, config, error, serverInfo, tools }: McpState): JsonObject {
  const { type } = config;
  const where: JsonObject =
    config.type === 'stdio'
      ? { command: config.command, args: [...(config.args ?? [])] }
      : config.type === 'sdk'
        ? { name: config.name }
        : { url: config.url };
  return {
    name,
    status,
    config: { type, ...where },
    scope,
    ...(error !== undefined && { error }),
    ...(serverInfo && { serverInfo: { ...serverInfo } }),
    ...(tools && { tools: tools.map((tool) => ({ ...tool, annotations: { ...tool.annotations } })) }),
  };
}
