/** What the console is handed: it draws and takes keys, the rest of the command acts. */
import type { Agent } from '../../agent/agenttypes.ts';
import type { Consent } from '../../agent/gate.ts';
import type { Asked, LoopEvent } from '../../agent/ports.ts';
import type { Chosen } from '../chat/session.ts';
import type { Signals } from '../chat/signals.ts';

export interface ConsoleParts {
  watch(event: LoopEvent): void;
  ask(asked: Asked, why: string): Promise<Consent>;
  notice(words: string): void;
}

/** How a verb of ours ended, run in a process of its own. */
export interface VerbRan {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface ConsoleHost {
  readonly signals: Signals;
  readonly limits: { readonly maxTurns?: number; readonly maxBudgetUSD?: number };
  /** Said first. */
  readonly prompt: string;
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly version: string;
  readonly isColored: boolean;
  readonly now: () => number;
  /** The first session is one that was there already. */
  readonly goesOn: boolean;
  /** Opens a session: without `chosen` the one the options say, the first time. */
  open(parts: ConsoleParts, chosen?: Chosen): Promise<Agent>;
  /** Runs a verb: `list --json` … */
  verb(args: readonly string[], how?: { readonly columns: number; readonly signal: AbortSignal }): Promise<VerbRan>;
  /** Paths below the folder of the work, as far as nothing ignores them. */
  files(): Promise<readonly string[]>;
  /** Files of instructions that hold here. */
  memory(): readonly string[];
  gitBranch(): string;
  /** Prompts that were typed in this folder, the newest first. */
  typed(): readonly string[];
  /** Writes a rule into the project's own settings, so that it is not asked again. */
  keepRule(rule: string): Promise<void>;
}
