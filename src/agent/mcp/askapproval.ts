/** A person is asked, once, about servers that a project brings along and nobody has said anything about. */
import { asObject, asString, type JsonObject } from '../../format/json.ts';
import type { AgentOptions } from '../agenttypes.ts';
import { askUserQuestion } from '../tools/askuserquestion.ts';
import { NOT_APPROVED } from './approve.ts';
import type { AgentMcp, McpServer } from './types.ts';

const [YES, LATER, NEVER] = ['Yes, here always', 'Not now', 'Never'];

export async function askApprovals(
  mcp: AgentMcp,
  { ask, notice }: Pick<AgentOptions, 'ask' | 'notice'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, config, error } of mcp.servers) {
    if (ask === undefined || error !== NOT_APPROVED || signal.aborted) continue;
    const question = `The project wants to start the MCP server "${name}" (${whatOf(config)}; ${config.where ?? '.mcp.json'}). May it?`;
    const input: JsonObject = {
      questions: [{ question, header: 'MCP server', multiSelect: false, options: OPTIONS }],
    };
    const consent = await ask({ id: `mcp-${name}`, tool: askUserQuestion, input, signal }, '');
    const said =
      typeof consent === 'object' && 'input' in consent ? asObject(consent.input.answers)?.[question] : undefined;
    const answer = asString(said);
    if (answer !== YES && answer !== NEVER) continue;
    notice((await mcp.approve(name, answer === YES)).text);
  }
}

const OPTIONS: JsonObject[] = [
  { label: YES, description: 'It is started, and remembered in .claude/settings.local.json' },
  { label: LATER, description: 'You are asked again the next time' },
  { label: NEVER, description: 'Remembered, too' },
];

/** What would run, word for word. */
function whatOf(server: McpServer): string {
  if (server.type === 'stdio') return [server.command, ...(server.args ?? [])].join(' ');
  return server.type === 'sdk' ? server.name : server.url;
}
