/** `skein chat`: the agent. */
import { CHAT_OPTIONS } from '../chat/options.ts';
import type { Command } from '../command.ts';

export const chat: Command = {
  name: 'chat',
  usage: '[PROMPT] [-p] [--continue | --resume SEL]',
  summary: 'Work with a model in this folder; sessions go on in Claude Code and the other way round',
  details: [
    'A coding agent that keeps its sessions in the transcripts of Claude Code: a session begun in one of the two can be gone on with in the other, as often as you like. It needs a key: ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN; ANTHROPIC_BASE_URL names another server.',
    'In a terminal it is a console (docs/console.md), with --plain line by line. With -p it answers one prompt and ends; what is piped in is added to the prompt. Reading files needs no permission; before it changes, runs or fetches anything it asks, and with -p, where nobody can be asked, it does not do it unless --allowedTools or --permission-mode say so. See docs/chat.md.',
    'Exit codes: 0 fine; 1 the turn failed, was refused or came to a limit; 2 wrong usage; 130 interrupted.',
  ],
  options: CHAT_OPTIONS,
  examples: [
    ['skein chat', 'work in this folder'],
    ['skein chat --demo', 'try it without a key'],
    ['skein chat --continue', 'go on with the newest session of this folder'],
    ['skein chat -p "What does this project do?"', 'one answer'],
    ['git diff | skein chat -p "Review this"', 'with what is piped in'],
    [
      'skein chat -p "Fix the failing test" --permission-mode acceptEdits --allowedTools "Bash(npm test:*)"',
      'let it edit and test',
    ],
    ['skein chat -p "Go on" --resume 4f0c --output-format json', 'a result for a program'],
  ],
  run: async (context, args) => (await import('../chat/run.ts')).run(context, args),
};
