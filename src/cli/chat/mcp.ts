/** The MCP servers of `skein chat`: those of files and options, beside those that a program or an editor names. */
import type { McpOptions } from '../../agent/mcp/types.ts';
import type { Settings } from '../../agent/settings/types.ts';
import { safeText } from '../../views/safe.ts';
import type { Arguments, Option } from '../command.ts';
import { settingsPlace } from '../config/place.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Choice } from './options.ts';
import type { Place } from './session.ts';

export const MCP_OPTIONS = {
  'mcp-config': {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'Further MCP servers: a file like .mcp.json, or the JSON itself (repeatable)',
  },
  'strict-mcp-config': { type: 'boolean', help: 'Only the MCP servers of --mcp-config' },
  'mcp-debug': { type: 'boolean', help: 'What is said by and to MCP servers, on standard error' },
} as const satisfies Record<string, Option>;

export async function mcpOf(
  context: Context,
  args: Arguments,
  choice: Choice,
  place: Place,
  settings: Settings,
  notice: (words: string) => void,
): Promise<McpOptions> {
  const { findServers, managedFolder } = await import('../../agent/mcp/find.ts');
  const found = findServers({
    ...settingsPlace(args, place),
    env: context.env,
    settings,
    flags: args.values('mcp-config'),
    strict: args.flag('strict-mcp-config'),
    managed: managedFolder(),
  });
  if (found.refused !== undefined) {
    const next = 'Give a file like .mcp.json, or the JSON: {"mcpServers":{"NAME":{"command":"…"}}}.';
    throw new UsageError(`--mcp-config cannot be used. ${found.refused}`, '--mcp-config', next);
  }
  // An editor or a pipe is not asked what to start.
  const asks = !choice.print && process.stdin.isTTY === true;
  for (const words of [...found.notices, ...(asks ? [] : found.unapproved)]) notice(words);
  return {
    servers: found.servers,
    forbidden: found.forbidden,
    ...(choice.print && { waits: true }),
    ...(asks && { asks }),
    ...(choice.permissionTool !== undefined && { permissionTool: choice.permissionTool }),
    ...(args.flag('mcp-debug') && { debug: (words: string) => void context.err.write(`mcp: ${safeText(words)}\n`) }),
  };
}

/** Those that were named for this run win. */
export function withNamed(
  mcp: McpOptions,
  named: McpOptions['servers'] | undefined,
  sdk: McpOptions['sdk'],
  notice: (words: string) => void,
): McpOptions {
  const allowed = [...(named ?? [])].filter(([name, server]) => {
    const why = mcp.forbidden?.(name, server);
    if (why !== undefined) notice(`The MCP server "${name}" of ${server.where ?? server.scope} is not used: ${why}.`);
    return why === undefined;
  });
  return { ...mcp, servers: new Map([...mcp.servers, ...allowed]), ...(sdk && { sdk }) };
}
