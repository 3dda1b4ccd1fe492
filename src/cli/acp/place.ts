/** Where a session works and with what, as the editor says it. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { McpServer as Named } from '@agentclientprotocol/sdk';
import type { McpServer } from '../../agent/mcp/types.ts';
import type { Place } from '../chat/session.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';

/** The folder may be reached by a link; the client names it by where it really is (L2). */
export function placeFor({ cwd, home, env }: Context, args: Arguments, folder: string): Place {
  const config = args.value('root') ?? (env.CLAUDE_CONFIG_DIR || join(home, '.claude'));
  return { cwd: realFolder(folder, 'cwd'), home, config: resolve(cwd, config) };
}

export function foldersOf(folders: readonly string[]): string[] {
  return folders.map((folder) => realFolder(folder, 'additionalDirectories'));
}

function realFolder(folder: string, field: string): string {
  if (!isAbsolute(folder)) {
    throw new UsageError(`${field} is an absolute path.`, folder, 'Give the whole path of the folder.');
  }
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) {
    throw new UsageError('There is no such folder.', folder, `Name one that is there as ${field}.`);
  }
  return realpathSync(folder);
}

export function serversOf(servers: readonly Named[]): Map<string, McpServer> {
  return new Map(servers.map((server) => [server.name, serverOf(server)]));
}

function serverOf(server: Named): McpServer {
  const from = { scope: 'acp', where: 'the editor' } as const;
  if ('command' in server) {
    const { command, args, env } = server;
    return { type: 'stdio', command, args, env: pairs(env), ...from };
  }
  return { type: server.type, url: server.url, headers: pairs(server.headers), ...from };
}

function pairs(list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}
