/** `skein mcp`: an MCP server on standard input and output, and its entry in the client's configuration. */
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { REVEAL_OPTION } from '../mask.ts';
import { placeArgs, teamStore } from '../shelf.ts';

export const mcp: Command = {
  name: 'mcp',
  usage: '[install|uninstall] [--project] [--dry-run] [--reveal]',
  summary: 'serve the history as MCP tools, so that an agent can recall what was done before',
  details: [
    'Without an argument it speaks MCP on standard input and output: tools to search, list and read chats and to see usage. Answers are short, paged and masked for secrets (not with --reveal); nothing is written and nothing leaves the machine.',
    'install adds it to the configuration of the client for all projects (.claude.json), with --project to .mcp.json of the folder it is run in. What else is there stays as it is; the file as it was is kept beside it. uninstall takes it out again. What --root, --reveal and --team say is written with it.',
  ],
  options: {
    project: { type: 'boolean', help: 'In .mcp.json of this folder instead of the configuration of the user' },
    'dry-run': { type: 'boolean', help: 'Only say what would be done' },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein mcp install', 'offer the history to the client in all projects'],
    ['skein mcp install --project --dry-run', 'what would be written to .mcp.json here'],
    ['skein mcp', 'what the client runs'],
  ],
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const [action] = args.positionals;
  if (action === 'install' || action === 'uninstall')
    return (await import('../mcp/install.ts')).install(context, args, action);
  if (action !== undefined) {
    throw new UsageError(
      `skein mcp takes install or uninstall; not "${action}".`,
      `skein mcp ${action}`,
      'Run: skein mcp --help',
    );
  }
  if (process.stdin.isTTY) {
    const what = [
      'Waiting for a client that speaks MCP here; Ctrl-C ends it.',
      'To add it to the client: skein mcp install',
    ];
    for (const line of what) context.err.write(`${context.err.style.dim(line)}\n`);
  }
  const [{ serveHistory }, { runVerbIn }, { version }] = await Promise.all([
    import('../../client/mcp/server.ts'),
    import('../mcp/runverb.ts'),
    import('../mcp/version.ts'),
  ]);
  try {
    const reveal = args.flag('reveal');
    const rest = [...placeArgs(args), ...(reveal ? ['--reveal'] : [])];
    await serveHistory(version(), runVerbIn(context, rest), { masked: !reveal });
  } finally {
    // What it still asks a team for, nobody waits for.
    await teamStore(args)?.close();
  }
  return 0;
}
