/** `skein serve`: the viewer in a browser. */
import { wholeNumber } from '../arguments.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';

export const serve: Command = {
  name: 'serve',
  usage: '[--port N] [--no-open]',
  summary: 'browse, search and read all chats in a browser',
  details: [
    'Starts a server for this machine alone and opens the page. The printed address holds a token; whoever has it sees everything, so do not pass it on. Ctrl-C stops it.',
    'Reads what the client keeps and what the archive kept, takes new sessions into the archive beside it, and shows sessions as they are written. It changes no transcript, and nothing leaves the machine. Secrets are masked until a click reveals them.',
    'With --json one line {"url"} says where, once it answers.',
  ],
  options: {
    port: { type: 'string', value: 'N', help: 'Listen there, or fail; without it the first free one from 4747 on' },
    'no-open': { type: 'boolean', help: 'Do not open a browser' },
    'no-sync': { type: 'boolean', help: 'Leave the archive as it is' },
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein serve', 'open the viewer'],
    ['skein serve --no-open --port 8080', 'only say where it is'],
    ['skein serve --root /backup/.claude', 'the sessions of a backup'],
    ['skein serve --team acme', 'those of a team'],
  ],
  takes: 0,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const port = wholeNumber(args, 'port');
  return (await import('../serve/run.ts')).runServer(context, args, port);
}
