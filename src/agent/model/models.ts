/** What is known of models by their names: what short names stand for, how much fits in, how much comes out, how they think. */

export interface ModelFacts {
  /** Tokens of prompt and answer together. */
  readonly window: number;
  /** The most an answer may have. */
  readonly maxOutput: number;
  /** `adaptive`: it decides itself how long, and refuses a budget; `budget`: it is told how many tokens. */
  readonly thinking: 'adaptive' | 'budget';
}

export const DEFAULT_MODEL = 'claude-opus-5-5';

const ALIASES: Readonly<Record<string, string>> = {
  default: DEFAULT_MODEL,
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  fable: 'claude-fable-5-1',
};

/** The id that is asked for: short names become ids, `[1m]` (a wish of other clients for a larger window) falls away. */
export function modelId(name: string): string {
  const plain = name.trim().replace(/\[1m\]$/i, '');
  return ALIASES[plain.toLowerCase()] ?? plain;
}

const LARGE: ModelFacts = { window: 1_000_000, maxOutput: 128_000, thinking: 'adaptive' };
/** Also for names nobody knows: what every model since 2025 can do. */
const USUAL: ModelFacts = { window: 200_000, maxOutput: 32_000, thinking: 'budget' };

/** Newest first; the first whose version is not newer than the model's counts. */
const FAMILIES: Readonly<Record<string, readonly (readonly [version: number, facts: ModelFacts])[]>> = {
  opus: [
    [4.6, LARGE],
    [4.5, { ...USUAL, maxOutput: 64_000 }],
    [4, USUAL],
    [0, { ...USUAL, maxOutput: 4096 }],
  ],
  sonnet: [
    [5, LARGE],
    [4.6, { ...LARGE, maxOutput: 64_000 }],
    [3.7, { ...USUAL, maxOutput: 64_000 }],
    [3.5, { ...USUAL, maxOutput: 8192 }],
    [0, { ...USUAL, maxOutput: 4096 }],
  ],
  haiku: [
    [5, LARGE],
    [4.5, { ...USUAL, maxOutput: 64_000 }],
    [3.5, { ...USUAL, maxOutput: 8192 }],
    [0, { ...USUAL, maxOutput: 4096 }],
  ],
  fable: [[0, LARGE]],
  mythos: [[0, LARGE]],
};

/** By the family and version in the name, wherever a cloud puts them: `us.anthropic.claude-opus-4-6-v1:0`, `claude-3-5-haiku@20241022`. */
export function factsOf(model: string): ModelFacts {
  const name = modelId(model).toLowerCase();
  const family = /opus|sonnet|haiku|fable|mythos/.exec(name)?.[0] ?? '';
  const version = versionIn(name, family);
  const known = FAMILIES[family]?.find(([since]) => version !== undefined && since <= version);
  return known?.[1] ?? USUAL;
}

/** `opus-4-6` and `3-5-haiku` alike; a date is no version. */
function versionIn(name: string, family: string): number | undefined {
  const after = new RegExp(`${family}-(\\d)(?:[-.](\\d)(?!\\d))?(?!\\d)`).exec(name);
  const found = after ?? new RegExp(`(?:^|\\D)(\\d)(?:[-.](\\d))?-${family}`).exec(name);
  return found ? Number(`${found[1]}.${found[2] ?? 0}`) : family === 'fable' || family === 'mythos' ? 0 : undefined;
}
