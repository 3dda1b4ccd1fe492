/** Options that programs give, as the Agent SDK does. */
import type { AgentOptions } from '../../../agent/agenttypes.ts';
import { asObject, type JsonObject, parseJson } from '../../../format/json.ts';
import { wholeNumber } from '../../arguments.ts';
import type { Arguments, Option } from '../../command.ts';
import { UsageError } from '../../errors.ts';
import { agentsIn } from './agents.ts';

export const PROGRAM_OPTIONS = {
  'json-schema': {
    type: 'string',
    value: 'JSON',
    help: 'With -p: the answer in this form, a JSON schema (structured_output of the result)',
  },
  agents: {
    type: 'string',
    value: 'JSON',
    help: 'Further kinds of agents: {"NAME":{"description":"…","prompt":"…","tools":["Read"]}}',
  },
  'max-thinking-tokens': { type: 'string', value: 'N', help: 'The same as --thinking' },
  'allow-dangerously-skip-permissions': {
    type: 'boolean',
    help: 'A program may turn to bypassPermissions later on',
  },
  effort: { type: 'string', value: 'LEVEL', help: 'Taken from programs that give it, and not used' },
  betas: { type: 'string', multiple: true, value: 'NAMES', help: 'Taken, and not used' },
  debug: { type: 'boolean', help: 'Taken, and not used' },
  'debug-file': { type: 'string', value: 'FILE', help: 'Taken, and not used' },
} as const satisfies Record<string, Option>;

const UNUSED = ['effort', 'betas', 'debug', 'debug-file'] as const;

/** Those that were given and change nothing, in words. */
export function unusedWords(args: Arguments): string[] {
  const given = UNUSED.filter((name) => args.flag(name) || args.values(name).length > 0);
  return given.map((name) => `--${name} is not used here.`);
}

export function programChoice(args: Arguments): Pick<AgentOptions, 'schema' | 'agents'> {
  const schema = jsonOf(args, 'json-schema', 'a JSON schema');
  const agents = jsonOf(args, 'agents', 'agents by their names');
  return { ...(schema && { schema }), ...(agents && { agents: agentsIn(agents) }) };
}

/** `--thinking` also takes the words that programs use; undefined where nothing is said. */
export function thinkingOption(args: Arguments): number | undefined {
  const said = args.value('thinking');
  if (said === 'disabled') return 0;
  if (said !== undefined && said !== 'adaptive') return wholeNumber(args, 'thinking');
  return wholeNumber(args, 'max-thinking-tokens');
}

function jsonOf(args: Arguments, name: 'json-schema' | 'agents', what: string): JsonObject | undefined {
  const text = args.value(name);
  if (text === undefined) return undefined;
  const value = asObject(parseJson(text));
  if (value !== undefined) return value;
  throw new UsageError(`--${name} takes ${what}, as a JSON object.`, `--${name}`, 'Give JSON, in quotes.');
}
