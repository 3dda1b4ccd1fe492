/** The options that every rewriting verb takes. */
import { type Option, READING_OPTIONS } from '../command.ts';
import { REVEAL_OPTION } from '../mask.ts';

export const EDIT_OPTIONS = {
  'dry-run': { type: 'boolean', help: 'Show what would be done and write nothing' },
  ...REVEAL_OPTION,
  ...READING_OPTIONS,
} as const satisfies Record<string, Option>;

export const IN_PLACE_OPTION = {
  'in-place': {
    type: 'boolean',
    help: 'Change the session itself instead of writing a new one: with a backup (skein undo), and only if nobody wrote to it meanwhile',
  },
} as const satisfies Record<string, Option>;
