/** What a verb is: everything help, docs, completion and parsing need to know of it stands here once. */
import type { Context } from './context.ts';

export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What the value is called in help, e.g. DIR. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly help: string;
}

export interface Command {
  readonly name: string;
  /** The arguments as shown after the name, e.g. `SEL [--lines A-B]`. */
  readonly usage: string;
  readonly summary: string;
  /** Paragraphs for `skein VERB --help` and docs/cli.md. */
  readonly details: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** What its arguments are, for completion. */
  readonly completes?: 'selector' | 'shell';
  /** Words may begin with a minus (`-draft`): what is no option is one. */
  readonly minusWords?: boolean;
  /** What is no option but stands among the words, as `after:7d` does. */
  readonly filters?: readonly string[];
  /** It mostly answers without the library, and loads what reads the archive itself where it must (`loadReader`). */
  readonly opensLate?: boolean;
  /** How many arguments it takes at most; any number without it. */
  readonly takes?: number;
  run(context: Context, args: Arguments): Promise<number> | number;
}

export interface Arguments {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

/** Options every reading verb takes. */
export const READING_OPTIONS = {
  root: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'Look here instead of $CLAUDE_CONFIG_DIR or ~/.claude (repeatable): a config folder, a projects folder, a project or one file',
  },
  json: { type: 'boolean', help: 'Print JSON, stable and documented in docs/json.md' },
} as const satisfies Record<string, Option>;

/** Options of the verbs that can read a team's sessions. Others work on files of this machine. */
export const TEAM_OPTIONS = {
  team: {
    type: 'string',
    value: 'TEAM',
    help: "Read a team's sessions instead (docs/team.md): the URL of its ClickHouse server, or a profile of team.json",
  },
  insecure: { type: 'boolean', help: '--team: also by plain http to another machine' },
} as const satisfies Record<string, Option>;

/** Options every verb takes. */
export const COMMON_OPTIONS = {
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
  color: {
    type: 'string',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    help: 'Colours: auto (default), always or never; NO_COLOR is honoured',
  },
  verbose: { type: 'boolean', help: 'Show where an error came from' },
} as const satisfies Record<string, Option>;

/** `archive` and `team` have the same options, but work on what is on disk. */
export function opensLibrary({ name, options }: Command): boolean {
  return options.root === READING_OPTIONS.root && name !== 'archive' && name !== 'team';
}
