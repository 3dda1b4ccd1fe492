/** `/mcp`: the servers of the session, looked at and turned on and off by a person. */
import { counted } from '../../views/counted.ts';
import { safeText } from '../../views/safe.ts';
import { wordsOf } from '../commands/expand.ts';
import type { AgentMcp, McpState } from './types.ts';

export interface McpAnswer {
  readonly text: string;
  readonly failed?: boolean;
}

const USES = '/mcp, /mcp reconnect NAME, /mcp enable NAME, /mcp disable NAME, /mcp approve NAME, /mcp reject NAME';

export async function mcpCommand(args: string, mcp: AgentMcp): Promise<McpAnswer> {
  const [what, name] = wordsOf(args);
  if (what === undefined) return { text: listed(mcp.servers) };
  const server = mcp.servers.find((each) => each.name === name);
  if (!/^(?:reconnect|enable|disable|approve|reject)$/.test(what)) return { text: `There are: ${USES}.`, failed: true };
  if (server === undefined) {
    const names = mcp.servers.map((each) => each.name).join(', ');
    const there = names === '' ? 'None is configured.' : `There are: ${names}.`;
    return {
      text:
        name === undefined
          ? `Name a server: /mcp ${what} NAME. ${there}`
          : `There is no MCP server named ${name}. ${there}`,
      failed: true,
    };
  }
  if (what === 'approve' || what === 'reject') return mcp.approve(server.name, what === 'approve');
  const state =
    what === 'reconnect' ? await mcp.reconnect(server.name) : await mcp.toggle(server.name, what === 'enable');
  return state === undefined
    ? { text: listed(mcp.servers) }
    : { text: lineOf(state), failed: state.status === 'failed' };
}

/** Remembers it for the project and does it now. */
export async function approve(mcp: AgentMcp, cwd: string, name: string, isYes: boolean): Promise<McpAnswer> {
  const server = mcp.servers.find((each) => each.name === name);
  if (server?.scope !== 'project') {
    return { text: `"${name}" is no server of the project's .mcp.json: others need no approval.`, failed: true };
  }
  let where: string;
  try {
    const { rememberApproval } = await import('./remember.ts');
    where = rememberApproval(cwd, name, isYes);
  } catch (error) {
    where = `It could not be remembered: ${error instanceof Error ? error.message : String(error)}`;
  }
  const state = await mcp.toggle(name, isYes);
  return {
    text: `${state === undefined ? name : lineOf(state)}\n${where}`,
    failed: isYes && state?.status !== 'connected',
  };
}

function listed(servers: readonly McpState[]): string {
  if (servers.length === 0) return 'No MCP server is configured. docs/mcp-client.md says how.';
  return [...servers.map(lineOf), '', `Also: ${USES.replace('/mcp, ', '')}`].join('\n');
}

function lineOf({ name, status, scope, error, tools }: McpState): string {
  const has = tools === undefined ? '' : `, ${counted(tools.length, 'tool')}`;
  return `${name}: ${status} (${scope}${has})${error === undefined ? '' : `: ${safeText(error)}`}`;
}
