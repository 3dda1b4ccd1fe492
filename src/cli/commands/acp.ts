/** `skein acp`: the agent inside an editor. */
import { ACP_OPTIONS } from '../acp/options.ts';
import type { Command } from '../command.ts';

export const acp: Command = {
  name: 'acp',
  usage: '[--model MODEL] [--permission-mode MODE]',
  summary: 'Run the agent in an editor: the Agent Client Protocol on standard input and output',
  details: [
    'What an editor starts (Zed, Neovim, Emacs, JetBrains …). It is the agent of `skein chat`, with the same settings, tools and transcripts: a session begun in the editor goes on with skein chat --resume ID or claude --resume ID, and the editor can open those begun elsewhere. Several sessions run side by side.',
    'Zed, in settings.json: "agent_servers": {"Skein": {"type": "custom", "command": "skein", "args": ["acp"], "env": {"ANTHROPIC_API_KEY": "…"}}}. Standard output carries nothing but the protocol; what else is to be said goes to standard error. See docs/acp.md.',
  ],
  options: ACP_OPTIONS,
  examples: [
    ['skein acp', 'what the editor runs'],
    ['skein acp --model sonnet --permission-mode acceptEdits', 'edits files of the project unasked'],
  ],
  takes: 0,
  run: async (context, args) => (await import('../acp/run.ts')).run(context, args),
};
