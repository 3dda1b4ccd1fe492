/** `skein config`: the settings that hold here, and where each of them comes from. */

import { type Command, READING_OPTIONS } from '../command.ts';
import { SETTINGS_OPTIONS } from '../config/place.ts';
import { REVEAL_OPTION } from '../mask.ts';

export const config: Command = {
  name: 'config',
  usage: '[KEY]',
  summary: 'the settings that hold in this folder, and where each comes from',
  details: [
    'skein chat goes by the settings of Claude Code: those of the user ($CLAUDE_CONFIG_DIR or ~/.claude, settings.json), of the project (.claude/settings.json), your own for the project (.claude/settings.local.json), what --settings gives, and what whoever manages the machine says (managed-settings.json in /etc/claude-code, on macOS in /Library/Application Support/ClaudeCode). Later ones win; lists such as permissions and hooks are joined. Each value is shown with its file and line, what it overrides, and whether it counts here.',
    'With KEY only that value and what lies below it, e.g. permissions or permissions.allow; exit code 1 when nothing says it. A file that is not JSON, or holds a value of the wrong kind, is left out as Claude Code does, but what it forbids holds.',
  ],
  options: {
    ...SETTINGS_OPTIONS,
    root: { type: 'string', value: 'DIR', help: 'The config folder, instead of $CLAUDE_CONFIG_DIR or ~/.claude' },
    json: READING_OPTIONS.json,
    ...REVEAL_OPTION,
  },
  examples: [
    ['skein config', 'all that is set'],
    ['skein config permissions', 'the rules and the mode, with their files'],
    ['skein config model', 'which model, and why'],
    ["skein config --json | jq '.problems'", 'what is wrong in the files'],
  ],
  takes: 1,
  run: async (context, args) => (await import('../config/run.ts')).run(context, args),
};
