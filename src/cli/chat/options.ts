/** The options of `skein chat`, and what they come to. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentOptions } from '../../agent/agenttypes.ts';
import type { Mode } from '../../agent/gate.ts';
import { readMode } from '../../agent/permissions/modes.ts';
import { parseRule, splitRules } from '../../agent/permissions/rules.ts';
import type { Rule } from '../../agent/permissions/types.ts';
import { wholeNumber } from '../arguments.ts';
import type { Arguments, Option } from '../command.ts';
import { SETTINGS_OPTIONS } from '../config/place.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { PROGRAM_OPTIONS, programChoice, thinkingOption } from './control/options.ts';
import { MCP_OPTIONS } from './mcp.ts';

export const CHAT_OPTIONS = {
  print: { type: 'boolean', short: 'p', help: 'Answer once and end, without asking anything' },
  'output-format': {
    type: 'string',
    value: 'FORMAT',
    choices: ['text', 'json', 'stream-json'],
    help: 'With -p: text (default), json (one result) or stream-json (a message a line as they come)',
  },
  'input-format': {
    type: 'string',
    value: 'FORMAT',
    choices: ['text', 'stream-json'],
    help: 'With -p: text (default) or stream-json (a message a line on standard input, each a turn)',
  },
  'include-partial-messages': { type: 'boolean', help: 'With stream-json: also the events of the model as they come' },
  'replay-user-messages': { type: 'boolean', help: 'With stream-json: prompts are printed, too' },
  plain: { type: 'boolean', help: 'Line by line, without a screen: for screen readers and simple terminals' },
  demo: { type: 'boolean', help: 'Try it without a key: a scripted model on this machine, in a throwaway folder' },
  continue: { type: 'boolean', short: 'c', help: 'Go on with the newest session of this folder' },
  resume: { type: 'string', short: 'r', value: 'SEL', help: 'Go on with this session' },
  'fork-session': { type: 'boolean', help: 'With --continue or --resume: go on in a copy' },
  'session-id': { type: 'string', value: 'UUID', help: 'The id of the new session' },
  name: { type: 'string', value: 'TITLE', help: 'The title of the session' },
  model: { type: 'string', value: 'MODEL', help: 'A model or opus, sonnet, haiku (default: $ANTHROPIC_MODEL)' },
  'fallback-model': { type: 'string', value: 'MODEL', help: 'Asked when the model is overloaded' },
  thinking: { type: 'string', value: 'N', help: 'Tokens to think for; 0 is none (default: $MAX_THINKING_TOKENS)' },
  'max-turns': { type: 'string', value: 'N', help: 'Stop after so many answers of the model' },
  'max-budget-usd': { type: 'string', value: 'USD', help: 'Stop when it has cost so much' },
  'system-prompt': { type: 'string', value: 'TEXT', help: 'Instead of our instructions to the model' },
  'system-prompt-file': { type: 'string', value: 'FILE', help: 'The same, from a file' },
  'append-system-prompt': { type: 'string', value: 'TEXT', help: 'Added to the instructions' },
  'append-system-prompt-file': { type: 'string', value: 'FILE', help: 'The same, from a file' },
  'add-dir': { type: 'string', multiple: true, value: 'DIR', help: 'A further folder of the work (repeatable)' },
  tools: { type: 'string', value: 'NAMES', help: 'Only these tools: "Bash,Edit,Read"; "" is none, default all' },
  allowedTools: {
    type: 'string',
    multiple: true,
    value: 'RULES',
    help: 'Run without asking, e.g. "Edit Bash(git log:*)" (repeatable)',
  },
  disallowedTools: { type: 'string', multiple: true, value: 'RULES', help: 'Never run (repeatable)' },
  'permission-mode': {
    type: 'string',
    value: 'MODE',
    help: 'default asks before anything is changed, run or fetched; acceptEdits edits files of the work unasked; plan only looks; dontAsk denies; bypassPermissions never asks',
  },
  'permission-prompt-tool': {
    type: 'string',
    value: 'TOOL',
    help: 'Who is asked before a tool is used: mcp__SERVER__TOOL, or stdio (with stream-json both ways: the program)',
  },
  sandbox: {
    type: 'boolean',
    help: 'Shut commands in with bubblewrap: only the folders of the work can be written, no network',
  },
  'dangerously-skip-permissions': { type: 'boolean', help: 'The same as --permission-mode bypassPermissions' },
  ...MCP_OPTIONS,
  ...PROGRAM_OPTIONS,
  ...SETTINGS_OPTIONS,
  root: { type: 'string', value: 'DIR', help: 'The config folder, instead of $CLAUDE_CONFIG_DIR or ~/.claude' },
} as const satisfies Record<string, Option>;

/** What of them is the agent's. */
type Chosen = Pick<
  AgentOptions,
  | 'model'
  | 'fallbackModel'
  | 'thinking'
  | 'maxTurns'
  | 'maxBudgetUSD'
  | 'systemPrompt'
  | 'appendSystemPrompt'
  | 'folders'
  | 'tools'
  | 'rules'
  | 'mode'
  | 'schema'
  | 'agents'
>;

/** What the options say, checked. */
export interface Choice extends Chosen {
  readonly print: boolean;
  readonly output: 'text' | 'json' | 'stream-json';
  readonly input: 'text' | 'stream-json';
  readonly partial: boolean;
  /** The program that drives it is asked before a tool is used. */
  readonly asksProgram?: boolean;
  /** Or a tool of an MCP server is. */
  readonly permissionTool?: string;
  readonly replay: boolean;
}

export function choiceOf(context: Context, args: Arguments): Choice {
  const print = args.flag('print');
  const output = (['json', 'stream-json'] as const).find((each) => each === args.value('output-format')) ?? 'text';
  const input = args.value('input-format') === 'stream-json' ? 'stream-json' : 'text';
  for (const name of ['output-format', 'input-format', 'include-partial-messages', 'replay-user-messages'] as const) {
    const isGiven = args.flag(name) || args.value(name) !== undefined;
    if (isGiven && !print) throw wrong(`--${name} goes with --print.`, `--${name}`, 'Add -p, or leave it out.');
  }
  if (input === 'stream-json' && output !== 'stream-json') {
    throw wrong(
      '--input-format stream-json needs --output-format stream-json.',
      '--input-format stream-json',
      'Give both, or neither.',
    );
  }
  for (const name of ['include-partial-messages', 'replay-user-messages'] as const) {
    if (args.flag(name) && output !== 'stream-json') {
      throw wrong(`--${name} goes with --output-format stream-json.`, `--${name}`, 'Leave it out, or give both.');
    }
  }
  const asked = takesPromptTool(
    args.value('permission-prompt-tool'),
    print,
    input === 'stream-json' && output === 'stream-json',
  );
  const tools = args.value('tools');
  return {
    print,
    output,
    input,
    partial: args.flag('include-partial-messages'),
    replay: args.flag('replay-user-messages'),
    ...programChoice(args),
    ...asked,
    ...given({
      model: args.value('model') || undefined,
      fallbackModel: args.value('fallback-model') || undefined,
      thinking: thinkingOf(context, args),
      maxTurns: wholeNumber(args, 'max-turns', 1),
      maxBudgetUSD: budgetOf(args),
      systemPrompt: textOf(context, args, 'system-prompt'),
      appendSystemPrompt: textOf(context, args, 'append-system-prompt'),
      tools:
        tools === undefined || tools === 'default' ? undefined : tools.split(/[\s,]+/).filter((name) => name !== ''),
    }),
    folders: args.values('add-dir').map((folder) => resolve(context.cwd, folder)),
    rules: [...rulesOf(context, args, 'allowedTools'), ...rulesOf(context, args, 'disallowedTools')],
    mode: modeOf(args),
  };
}

/** Without the fields that were not given. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (isGiven(value)) kept[key] = value;
  }
  return kept;
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}

function modeOf(args: Arguments): Mode {
  if (args.flag('dangerously-skip-permissions')) return 'bypassPermissions';
  return readMode(args.value('permission-mode') ?? 'default').mode;
}

/** Whoever gives it counts on being asked: to go on without would not be the same. */
function takesPromptTool(
  tool: string | undefined,
  print: boolean,
  isStream: boolean,
): Pick<Choice, 'asksProgram' | 'permissionTool'> {
  if (tool === undefined) return {};
  if (tool === 'stdio' && isStream) return { asksProgram: true };
  if (/^mcp__.+__./.test(tool)) {
    if (print) return { permissionTool: tool };
    throw wrong(
      '--permission-prompt-tool goes with --print.',
      tool,
      'Add -p, or leave it out: you are asked yourself.',
    );
  }
  if (tool !== 'stdio') {
    throw wrong(
      `--permission-prompt-tool takes a tool of an MCP server, or stdio; not "${tool}".`,
      '--permission-prompt-tool',
      'Name it as the model would: mcp__SERVER__TOOL.',
    );
  }
  throw wrong(
    '--permission-prompt-tool stdio asks over stream-json, in and out.',
    '--permission-prompt-tool',
    'Add --input-format stream-json --output-format stream-json.',
  );
}

function thinkingOf({ env }: Context, args: Arguments): number | undefined {
  const told = thinkingOption(args);
  if (told !== undefined) return told;
  const set = env.MAX_THINKING_TOKENS;
  return set !== undefined && /^\d{1,9}$/.test(set) ? Number(set) : undefined;
}

function budgetOf(args: Arguments): number | undefined {
  const text = args.value('max-budget-usd');
  if (text === undefined) return undefined;
  const budget = Number(text);
  if (text.trim() === '' || !Number.isFinite(budget) || budget <= 0) {
    throw wrong(
      `--max-budget-usd takes an amount over 0; not "${text}".`,
      '--max-budget-usd',
      'Give dollars, e.g. 0.5.',
    );
  }
  return budget;
}

function textOf(context: Context, args: Arguments, name: 'system-prompt' | 'append-system-prompt'): string | undefined {
  const file = args.value(`${name}-file`);
  const text = args.value(name);
  if (file === undefined) return text;
  if (text !== undefined) throw wrong(`--${name} and --${name}-file exclude each other.`, file, 'Give one of them.');
  const path = resolve(context.cwd, file);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrong(`The file of --${name}-file cannot be read: ${why}`, path, 'Name a text file.');
  }
}

function rulesOf(context: Context, args: Arguments, name: 'allowedTools' | 'disallowedTools'): readonly Rule[] {
  const behaviour = name === 'allowedTools' ? 'allow' : 'deny';
  const source = { name: 'cliArg', where: `--${name}`, root: context.cwd };
  const rules = splitRules(args.values(name)).map((text) => parseRule(text, behaviour, source));
  const bad = rules.find(({ problem }) => problem !== undefined);
  if (bad === undefined) return rules;
  throw wrong(
    `--${name} cannot make anything of "${bad.text}": ${bad.problem}.`,
    `--${name}`,
    'A rule is the name of a tool, or says what it is about: Bash(npm test), Bash(git log:*), Edit(src/**), WebFetch(domain:example.com).',
  );
}

function wrong(what: string, where: string, next: string): UsageError {
  return new UsageError(what, where, next);
}
