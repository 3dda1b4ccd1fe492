/** Commands that we answer ourselves, without a model. */
import { asNumber, asObject, type JsonObject } from '../../format/json.ts';
import { wordsOf } from './expand.ts';
import type { Command } from './find.ts';

/** What they look at and change. */
export interface LocalHost {
  readonly model: string;
  setModel(name: string): string;
  rename(title: string): void;
  /** The last `cost-state`. */
  readonly costState: JsonObject | undefined;
  /** Tokens of the conversation as it was last sent, and what fits. */
  readonly tokens: { readonly used: number; readonly isGuess: boolean; readonly window: number };
  readonly commands: readonly Command[];
}

export interface LocalAnswer {
  /** As the client names the command in its record. */
  readonly name: string;
  readonly text: string;
  readonly failed?: boolean;
}

type Local = (args: string, host: LocalHost) => Omit<LocalAnswer, 'name'>;

const LOCAL: Readonly<Record<string, Local>> = {
  usage: (_args, host) => ({ text: costText(host.costState) }),
  context: (_args, { model, tokens }) => ({ text: contextText(model, tokens) }),
  model: (args, host) => {
    const [name] = wordsOf(args);
    if (name === undefined)
      return { text: `Current model: ${host.model}\nAnother one: /model NAME, e.g. opus, sonnet, haiku or a full id.` };
    return { text: `Set model to ${host.setModel(name)} for this session only` };
  },
  rename: (args, host) => {
    if (args === '') return { text: 'Give the new title: /rename TITLE', failed: true };
    host.rename(args);
    return { text: `Session renamed to: ${args}` };
  },
  help: (_args, host) => ({ text: helpText(host.commands) }),
  clear: () => ({
    text: 'Nothing to clear: without --continue or --resume each run begins a new session.',
    failed: true,
  }),
  resume: () => ({
    text: 'Name the session when you start: skein chat --resume ID (skein list shows them).',
    failed: true,
  }),
};

const ALIASES: Readonly<Record<string, string>> = { cost: 'usage', stats: 'usage' };

/** Undefined when there is no such command. */
export function runLocal(name: string, args: string, host: LocalHost): LocalAnswer | undefined {
  const known = ALIASES[name] ?? name;
  const local = Object.hasOwn(LOCAL, known) ? LOCAL[known] : undefined;
  return local && { name: known, ...local(args, host) };
}

/** Those worth telling of. */
export const LOCAL_INFO: readonly Pick<Command, 'name' | 'hint' | 'description'>[] = [
  { name: 'cost', description: 'what the session used and cost' },
  { name: 'compact', hint: '[WISHES]', description: 'what was said becomes a summary, to go on from' },
  { name: 'context', description: 'how full the context is' },
  { name: 'model', hint: '[NAME]', description: 'the model' },
  { name: 'rename', hint: 'TITLE', description: 'the title of the session' },
  { name: 'mcp', hint: '[reconnect|enable|disable|approve|reject NAME]', description: 'the MCP servers' },
];

export const LOCAL_NAMES: readonly string[] = [...Object.keys(LOCAL), 'cost', 'compact', 'mcp'];

function costText(state: JsonObject | undefined): string {
  const number = (key: string, of: JsonObject | undefined = state) => asNumber(of?.[key]) ?? 0;
  const models = Object.entries(asObject(state?.modelUsage) ?? {}).map(([model, value]) => {
    const used = asObject(value);
    const count = (key: string) => number(key, used).toLocaleString('en');
    const cost = number('costUSD', used).toFixed(4);
    return `     ${model}:  ${count('inputTokens')} input, ${count('outputTokens')} output, ${count('cacheReadInputTokens')} cache read, ${count('cacheCreationInputTokens')} cache write ($${cost})`;
  });
  return [
    `Total cost:            $${number('totalCostUSD').toFixed(4)}${state?.hasUnknownModelCost === true ? ' (of some models the price is not known)' : ''}`,
    `Total duration (API):  ${Math.round(number('totalAPIDuration') / 1000)}s`,
    `Total duration (wall): ${Math.round(number('totalDuration') / 1000)}s`,
    ...(models.length > 0 ? ['Usage by model:', ...models] : []),
  ].join('\n');
}

function contextText(model: string, { used, isGuess, window }: LocalHost['tokens']): string {
  const share = window === 0 ? 0 : Math.round((100 * used) / window);
  return `Model: ${model}\nTokens: ${used.toLocaleString('en')} of ${window.toLocaleString('en')} (${share}%), ${isGuess ? 'guessed from the length of the messages' : 'as counted at the last answer'}`;
}

function helpText(commands: readonly Command[]): string {
  const own = commands.filter(({ isForModel }) => !isForModel);
  const lines = own.map(({ name, hint, description }) => `  /${name}${hint ? ` ${hint}` : ''}  ${description}`);
  return [
    'Commands:',
    ...LOCAL_INFO.map(({ name, hint, description }) => `  /${name}${hint ? ` ${hint}` : ''}  ${description}`),
    ...(lines.length > 0 ? ['Your own:', ...lines] : []),
  ].join('\n');
}
