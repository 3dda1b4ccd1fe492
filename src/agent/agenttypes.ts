/** What an agent is made of, and what can be asked of it. */
import type { JsonObject } from '../format/json.ts';
import type { Amendment, Consent, Mode } from './gate.ts';
import type { AgentMcp, McpOptions } from './mcp/types.ts';
import type { Rule } from './permissions/types.ts';
import type { Asked, LoopEvent, TurnEnd, TurnPrompt } from './ports.ts';
import type { Session } from './session.ts';
import type { HookSetting } from './settings/types.ts';
import type { AgentType } from './subagents/types.ts';
import type { Sandbox } from './tools/shell/types.ts';

type Content = TurnPrompt['content'];
type Env = Readonly<Record<string, string | undefined>>;

export interface AgentOptions {
  /** Opens the session; the agent closes it. `where` is where the work is, when `cd` moved it. */
  readonly open: (where: () => string) => Session;
  readonly cwd: string;
  readonly home: string;
  /** The config folder (L1). */
  readonly config: string;
  readonly env: Env;
  readonly version: string;
  /** Else ANTHROPIC_MODEL, else the one the session was last answered by, else that of the settings. */
  readonly model?: string;
  readonly settingsModel?: string;
  readonly fallbackModel?: string;
  /** Tokens; 0 is none. Models that decide themselves how long think unless told not to. */
  readonly thinking?: number;
  readonly maxTurns?: number;
  readonly maxBudgetUSD?: number;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly folders: readonly string[];
  /** Whose instructions, commands and agents count: user, project, local; everybody's without it. */
  readonly sources?: readonly string[];
  /** By name; all without it. */
  readonly tools?: readonly string[];
  /** Of flags and settings alike. */
  readonly rules: readonly Rule[];
  readonly mode: Mode;
  /** bypassPermissions may be turned to in mid-session. */
  readonly mayBypass?: boolean;
  /** Of the settings. */
  readonly hooks?: readonly HookSetting[];
  /** Servers whose tools it has beside its own. */
  readonly mcp?: McpOptions;
  /** Kinds of agents that were handed in. */
  readonly agents?: readonly AgentType[];
  /** The form of the answer, as a JSON schema: the turn ends with a call of StructuredOutput. */
  readonly schema?: JsonObject;
  /** It takes the place of another. */
  readonly isCleared?: boolean;
  /** What commands are run in. */
  readonly sandbox?: Sandbox | undefined;
  /** Ends what is waited for as it begins. */
  readonly signal?: AbortSignal;
  /** The title of the session. */
  readonly name?: string;
  readonly ask?: (asked: Asked, why: string) => Promise<Consent>;
  readonly emit: (event: LoopEvent) => void;
  /** Told what a person should know and the model need not. */
  readonly notice: (words: string) => void;
  readonly now: () => Date;
}

export interface Agent {
  /** Changes when another program writes to the session: it goes on in a fork. */
  readonly sessionId: string;
  readonly file: string;
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly model: string;
  readonly mode: string;
  readonly mayBypass: boolean;
  readonly tools: readonly string[];
  /** Commands that can be called, without the slash. */
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  /** The kinds of agents it can start. */
  readonly agents: readonly string[];
  readonly mcp: AgentMcp;
  readonly version: string;
  /** The variable the key comes from. */
  readonly keySource: string;
  /** Something was said in it. */
  readonly isBegun: boolean;
  turn(prompt: TurnPrompt, signal: AbortSignal): Promise<TurnEnd>;
  /** Runs what a person typed after `!`, unasked, and records it (E8). */
  shell(command: string, signal: AbortSignal): Promise<{ readonly text: string; readonly failed: boolean }>;
  /** Holds from the next call on, and is recorded. */
  setMode(mode: Mode): void;
  /** From the next turn on; gives its id. */
  setModel(name: string): string;
  /** From the next turn on: tokens to think for; undefined is what it began with. */
  setThinking(tokens: number | undefined): void;
  /** Changes rules and folders for the rest of the session. */
  amend(change: Amendment): void;
  rename(title: string): void;
  /** Ends an agent or a command in the background; false where there is none of that id. */
  stopTask(id: string): Promise<boolean>;
  /** Commands with what they are for. */
  readonly commandList: readonly { readonly name: string; readonly hint?: string; readonly description: string }[];
  readonly agentTypes: readonly AgentType[];
  /** What the session used until now, as its transcript has it. */
  costState(): JsonObject | undefined;
  /** How full the context is. */
  tokens(): { readonly used: number; readonly isGuess: boolean; readonly window: number };
  /** Said while a turn runs: told to the model beside the next results, or left for the next turn (E9). */
  queue(content: Content, uuid?: string): void;
  /** The names of what waits there. */
  waiting(): readonly string[];
  /** Takes one back; false when it is not there any more. */
  withdraw(uuid: string): boolean;
  /** What was left of it, or what is to be told of the background. */
  unqueue(): (Pick<TurnPrompt, 'content' | 'uuid'> & { readonly isNotice?: boolean }) | undefined;
  /** Resolves when something in the background is done, which then is in the queue; undefined when nothing runs there. */
  background(): Promise<void> | undefined;
  /** Something is in the queue or runs in the background. */
  readonly hasMore: boolean;
  /** What a model can take and give, in the client's words. */
  limits(model: string): JsonObject;
  /** `reason`: why, for hooks. */
  close(reason?: string): Promise<void>;
}
