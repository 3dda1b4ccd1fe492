/** `skein mcp install` and `uninstall`. */
import { resolve } from 'node:path';
import {
  addServer,
  projectConfig,
  removeServer,
  SERVER_NAME,
  type StdioServer,
  userConfig,
} from '../../client/mcp/install.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { folderHere } from '../here.ts';
import { jsonText } from '../jsontext.ts';
import { ownCommand } from '../owncommand.ts';
import { quoted } from '../quoted.ts';

export function install(context: Context, args: Arguments, action: 'install' | 'uninstall'): number {
  const { out } = context;
  const file = args.flag('project') ? projectConfig(folderHere(context)) : userConfig(context);
  const dryRun = args.flag('dry-run');
  const server = action === 'install' ? serverCommand(context, args) : undefined;
  const options = { dryRun, byHand: byHand(server, args.flag('project') ? 'project' : 'user') };
  const change = server ? addServer(file, server, options) : removeServer(file, options);
  if (args.flag('json')) {
    const { changed, backup = null } = change;
    out.write(`${jsonText({ file, changed, dryRun, backup, ...(server && { server }) })}\n`);
    return 0;
  }
  if (!change.changed) {
    out.write(`Nothing to do: ${action === 'install' ? 'it is there' : 'it is not there'}. ${out.style.dim(file)}\n`);
    return 0;
  }
  const done = action === 'install' ? 'added' : 'taken out';
  out.write(`${dryRun ? `Would be ${done}` : `The server was ${done}`}: ${file}\n`);
  if (server) out.write(`  ${out.style.dim([server.command, ...server.args].join(' '))}\n`);
  if (change.backup !== undefined && !dryRun) out.write(`  ${out.style.dim(`as it was: ${change.backup}`)}\n`);
  if (action === 'install' && !dryRun) out.write(`${out.style.dim('Restart the client; /mcp shows it.')}\n`);
  return 0;
}

/** The client's own commands do the same. */
function byHand(server: StdioServer | undefined, scope: string): string {
  if (server === undefined) return `Take it out by hand: claude mcp remove --scope ${scope} ${SERVER_NAME}`;
  const command = quoted(server.command, ...server.args);
  return `Add the server by hand: claude mcp add --scope ${scope} ${SERVER_NAME} -- ${command}`;
}

function serverCommand(context: Context, args: Arguments): StdioServer {
  const [command = 'skein', ...own] = ownCommand(context);
  const team = args.value('team');
  // What is written to a configuration may be shared.
  if (team !== undefined && holdsPassword(team)) {
    const next = 'Write it into a profile of team.json, and name that (docs/team.md).';
    throw new UsageError('The password would stand in the configuration.', '--team', next);
  }
  const insecure = args.flag('insecure') ? ['--insecure'] : [];
  const roots = args.values('root').flatMap((root) => ['--root', resolve(context.cwd, root)]);
  const places = team === undefined ? roots : ['--team', team, ...insecure];
  return { command, args: [...own, 'mcp', ...places, ...(args.flag('reveal') ? ['--reveal'] : [])] };
}

/** What is no address may be none because of a sign in the password. */
function holdsPassword(team: string): boolean {
  return URL.canParse(team) && team.includes('://') ? new URL(team).password !== '' : /:.*@/s.test(team);
}
