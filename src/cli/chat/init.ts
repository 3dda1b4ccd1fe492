/** The message that begins a turn of stream-json: where it runs and with what. What we do not have is empty, what we cannot know is left out. */
import { randomUUID } from 'node:crypto';
import type { Agent } from '../../agent/agenttypes.ts';
import type { JsonObject } from '../../format/json.ts';

/** The client's names. */
const SOURCES: Readonly<Record<string, string>> = { flag: 'dynamic', acp: 'dynamic', managed: 'enterprise' };

export function initMessage(agent: Agent): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: agent.cwd,
    session_id: agent.sessionId,
    tools: [...agent.tools],
    mcp_servers: agent.mcp.servers.map(({ name, status, scope }) => ({
      name,
      status,
      source: SOURCES[scope] ?? scope,
    })),
    model: agent.model,
    permissionMode: agent.mode,
    slash_commands: [...agent.commands],
    apiKeySource: agent.keySource,
    output_style: 'default',
    agents: [...agent.agents],
    skills: [...agent.skills],
    plugins: [],
    additional_directories: [...agent.folders],
    client: { name: 'skein', version: agent.version },
    uuid: randomUUID(),
  };
}
