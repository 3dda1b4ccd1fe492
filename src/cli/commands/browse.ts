/** `skein` without a verb, in a terminal: all chats on one screen. */
import { type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import { REVEAL_OPTION } from '../mask.ts';

/** No verb: what `skein` is without one. */
export const browse: Command = {
  name: '',
  usage: '[--project NAME] [--root DIR]',
  summary: 'all chats on one screen',
  details: [],
  options: {
    project: { type: 'string', value: 'NAME', help: 'Only this project: its path, or the end of it' },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    root: READING_OPTIONS.root,
  },
  examples: [],
  takes: 0,
  run: async (context, args) => (await import('../browse/run.ts')).browse(context, args),
};
