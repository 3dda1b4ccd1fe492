/** The words of the permission engine. */
import type { JsonObject } from '../../format/json.ts';
import type { Tool } from '../tools/tool.ts';

export const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
export type Mode = (typeof MODES)[number];

export type Behaviour = 'allow' | 'ask' | 'deny';

/** Where a rule stands. */
export interface RuleSource {
  /** In the client's words: userSettings, projectSettings, localSettings, policySettings, flagSettings, cliArg, session. */
  readonly name: string;
  /** For people: a file with its line, a flag … */
  readonly where?: string;
  /** Where its `/path` starts. */
  readonly root: string;
}

export interface Rule {
  readonly text: string;
  readonly behaviour: Behaviour;
  readonly source: RuleSource;
  /** A glob of names in deny and ask rules. */
  readonly tool: string;
  /** What stands in the brackets; without it every call of the tool is meant. */
  readonly spec?: string;
  /** What is wrong with it. Then it never allows, and denies or asks for the whole tool. */
  readonly problem?: string;
}

/** What is looked up outside: handed in, so that a decision can be made anywhere. */
export interface World {
  /** Where relative paths of the call start. */
  readonly cwd: string;
  /** Where the session began: relative paths of rules start there. */
  readonly root: string;
  readonly home: string;
  /** The folders of the work, as they really lie. */
  readonly folders: readonly string[];
  /** Folders that may be read though they lie elsewhere: what the session itself keeps. */
  readonly readable?: readonly string[];
  /** Where a path really leads, links followed, also of what does not exist yet; undefined where a link leads nowhere. */
  resolve(path: string): string | undefined;
}

/** One call, as far as permissions are concerned. */
export interface Call {
  readonly tool: Pick<Tool, 'name' | 'acts' | 'path'>;
  readonly input: JsonObject;
}

export type Reason =
  | { readonly kind: 'rule'; readonly rule: Rule; readonly part?: string }
  /** A rule might be about it, and nobody can tell before it runs. */
  | { readonly kind: 'maybe'; readonly rule: Rule; readonly part?: string }
  | { readonly kind: 'mode'; readonly mode: Mode }
  /** Looks only, at what lies in the folders of the work. */
  | { readonly kind: 'harmless' }
  | { readonly kind: 'protected'; readonly path: string }
  | { readonly kind: 'outside'; readonly path: string; readonly writes: boolean }
  | { readonly kind: 'writes'; readonly path: string }
  | { readonly kind: 'critical'; readonly path: string }
  | { readonly kind: 'unclear'; readonly what: string; readonly part?: string }
  /** No rule says anything. */
  | { readonly kind: 'unsaid'; readonly part?: string };

export interface Verdict {
  readonly behaviour: Behaviour;
  readonly reason: Reason;
  /** What a person should know though it is allowed. */
  readonly note?: string;
}

export interface Policy {
  readonly mode: Mode;
  readonly rules: readonly Rule[];
  readonly world: World;
}

const STRICTNESS: Record<Behaviour, number> = { allow: 0, ask: 1, deny: 2 };

/** The strictest; the first of equals. */
export function strictest(verdicts: readonly Verdict[]): Verdict | undefined {
  let found: Verdict | undefined;
  for (const each of verdicts) {
    if (found === undefined || STRICTNESS[each.behaviour] > STRICTNESS[found.behaviour]) found = each;
  }
  return found;
}
