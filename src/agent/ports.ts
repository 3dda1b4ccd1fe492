/** What the loop is handed: it controls, these act. Each can be replaced in a test; none throws for what the world does wrong. */
import type { Json, JsonObject } from '../format/json.ts';
import type { ApiMessage } from '../graph/context/types.ts';
import type { LoopEvent } from './events.ts';
import type { Rule } from './permissions/types.ts';
import type { Follow, Tool, ToolOutcome, ToolSession } from './tools/tool.ts';
import type { Tally } from './turn/tally.ts';

// ── the model ──

export interface ModelRequest {
  readonly model: string;
  /** Passed `validate` already. */
  readonly messages: readonly ApiMessage[];
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly maxTokens: number;
  /** Tokens the model may think for; none when left out. */
  readonly thinking?: number;
  readonly signal: AbortSignal;
}

/** As the API takes it; a tool of the server (web search) has a `type` and no schema. */
export type ToolDefinition = JsonObject & { readonly name: string };

/** One answer on its way. Blocks come whole and in order; what was streamed of a block that never ended is in the outcome. */
export type ModelEvent =
  | {
      readonly kind: 'start';
      readonly id: string;
      readonly model: string;
      readonly requestId?: string;
      readonly usage: JsonObject;
    }
  | {
      readonly kind: 'delta';
      readonly index: number;
      readonly what: 'text' | 'thinking' | 'input';
      readonly text: string;
    }
  | { readonly kind: 'block'; readonly index: number; readonly block: JsonObject }
  /** The event as the API sent it, for those who want the stream itself. */
  | { readonly kind: 'raw'; readonly event: JsonObject }
  /** An attempt failed and another follows after `delayMs`. Blocks told since `start` belong to no answer. */
  | {
      readonly kind: 'retry';
      readonly failure: ApiFailure;
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
    }
  /** The fallback model is asked from here on. */
  | { readonly kind: 'fallback'; readonly from: string; readonly to: string };

export type ModelOutcome =
  | {
      readonly kind: 'answer';
      readonly stopReason: string;
      readonly stopSequence?: string | null;
      readonly usage: JsonObject;
      /** What else the API told at the end: stop_details, context_management … */
      readonly more?: JsonObject;
    }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** The signal fired. `partial`: the block that was being streamed, where it can be kept (text, never half a call). */
  | { readonly kind: 'aborted'; readonly partial?: JsonObject };

export interface ApiFailure {
  readonly status?: number;
  /** The API's own name: overloaded_error, invalid_request_error …; `connection_error` where there was no answer. */
  readonly type: string;
  readonly message: string;
  readonly requestId?: string;
  /** The prompt is longer than the model's window. */
  readonly tooLong?: boolean;
}

export interface Model {
  /** Retries by itself. Never throws. */
  ask(request: ModelRequest): AsyncGenerator<ModelEvent, ModelOutcome>;
  /** What usage of a model costs, where its price is known. */
  cost(model: string, usage: JsonObject): number | undefined;
  /** By the API's own count, where it can be asked for one. */
  countTokens?(request: ModelRequest): Promise<{ readonly tokens: number } | { readonly failure: ApiFailure }>;
}

// ── permissions ──

export interface Asked {
  readonly id: string;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  /** What a PreToolUse hook said. `allow` saves the question, no more: rules that deny or ask hold. `ask`: a person decides, whatever rules allow. */
  readonly hook?: HookSays;
  /** Of a command or skill that was called: they allow for a while as rules of settings do for good. */
  readonly granted?: readonly Rule[];
  /** The agent that asks, where it is not the session itself. */
  readonly agent?: {
    readonly id: string;
    readonly type: string;
    /** Where its relative paths start. */
    readonly cwd: string;
    /** It may look and no more, whatever the mode. */
    readonly isReadOnly: boolean;
  };
}

export interface HookSays {
  readonly what: 'allow' | 'ask';
  readonly reason?: string;
}

export type Decision =
  /** `input`: what to run instead. `record` stands in the result's entry as `permissionDecision`. */
  | { readonly allow: true; readonly input?: JsonObject; readonly record?: JsonObject }
  /** `interrupt`: the person wants the turn to end here. */
  | {
      readonly allow: false;
      readonly message: string;
      readonly interrupt?: boolean;
      readonly record?: JsonObject;
      /** `toolDenialKind` of the result. */
      readonly denial?: string;
    };

export interface Gate {
  readonly mode: string;
  decide(asked: Asked): Promise<Decision>;
}

// ── hooks ──

export interface HookAnswer {
  /** Why it may not go on: goes to the model (tools, Stop) or the person (prompts). */
  readonly block?: string;
  /** Ends the whole turn, with a word for the person. */
  readonly stop?: string;
  /** PermissionRequest decides; PreToolUse only against a call. */
  readonly decision?: Decision;
  /** PreToolUse: told to the gate. */
  readonly says?: HookSays;
  readonly input?: JsonObject;
  /** Told to the model beside the event. */
  readonly context?: readonly string[];
  /** Entries to write, as the client does for hooks: attachments, system lines; without uuid and parent. */
  readonly entries?: readonly JsonObject[];
}

export interface Hooks {
  /** `fields` are those of rule U1 that belong to the event; the caller knows the common ones. */
  run(event: string, fields: JsonObject, signal: AbortSignal): Promise<HookAnswer>;
}

// ── the transcript ──

/** Writes lines in today's form (W1–W5) at the end of one session and knows where its chain ends. Throws DiskError only. */
export interface Transcript {
  /** Both change when another program writes to the session: what we write then goes to a fork of it. */
  readonly sessionId: string;
  readonly file: string;
  /** The entry the next one hangs on. */
  readonly leaf: string | undefined;
  /** What the API counted at the last answer before it was opened, since the last compaction. */
  readonly usage?: JsonObject | undefined;
  /** The id that all lines of a turn share; undefined before the first. */
  readonly promptId: string | undefined;
  /** The id of the prompt that comes next, for those who hear of it before it is written. */
  nextPrompt(): string;
  /**
   * What to send now: what `context()` would say of the file as it stands, kept up as lines are written. `model` is the one
   * to be asked; without it the one of the last answer (R15). Messages that are not new are the very same objects as before.
   */
  messages(model?: string): readonly ApiMessage[];
  /** The first prompt after a resume is preceded by what the client appends then (R13). */
  prompt(content: string | readonly JsonObject[], options: PromptOptions): JsonObject;
  /** One block of an answer. Its ids may be changed to be the only ones in the session: read them from the entry. */
  block(block: JsonObject, answer: AnswerFields): JsonObject;
  /** The blocks of the answer on its way belong to none: what follows hangs where they began. */
  abandon(): void;
  result(call: CallPlace, outcome: ToolOutcome, notes?: ResultNotes): JsonObject;
  /** Throttled and capped; hangs on its call and is nobody's parent (W5). */
  progress(call: CallPlace, data: JsonObject): void;
  /** turn_duration, api_error, informational … */
  system(subtype: string, fields: JsonObject): JsonObject;
  attachment(attachment: JsonObject, rendered: readonly string[]): JsonObject;
  /** What was typed while the model was busy, told beside the results (E9). */
  queued(message: Queued): JsonObject;
  /** Any other line of the chain, such as hooks leave; without uuid and parent. */
  entry(value: JsonObject): JsonObject;
  /** The marker of an interrupt, with the words the client uses. */
  interrupted(during: 'answer' | 'tool'): JsonObject;
  /** An API error told as an answer (E13). */
  apiError(failure: ApiFailure): JsonObject;
  /** C1, C2: a boundary and the summary of all before it. Gives both lines; what is written next follows them. */
  compact(compaction: CompactionFields): readonly JsonObject[];
  /** Lines outside the chain: queue-operation, mode, last-prompt, pr-link, titles, file history … */
  line(value: JsonObject): void;
  /** last-prompt, turn_duration and the like, then fsync. */
  endTurn(spent: Spent): void;
}

/** What a turn took. */
export interface Spent {
  readonly durationMs: number;
  readonly apiMs?: number;
  readonly costUSD?: number;
  /** Not all of it: of some model the price is not known. */
  readonly isUnpriced?: boolean;
  /** By model, as the API counts. */
  readonly usage?: Readonly<Record<string, JsonObject>>;
}

export interface CompactionFields {
  readonly trigger: 'manual' | 'auto';
  readonly summary: string;
  readonly preTokens: number;
  readonly postTokens: number;
  readonly durationMs: number;
  /** The prompts of the turn that it happens in. Without a turn the last answer stays as it is (C2). */
  readonly running?: readonly string[];
}

export interface ResultNotes {
  /** `permissionDecision` */
  readonly decision?: JsonObject;
  /** `toolDenialKind`: user-rejected, interrupted … */
  readonly denial?: string;
}

/** Typed while the model was busy. */
export interface Queued {
  readonly content: string | readonly JsonObject[];
  readonly uuid: string;
  /** ISO 8601 */
  readonly typed: string;
  /** Nobody typed it: something in the background is done. */
  readonly isNotice?: boolean;
}

export interface PromptOptions {
  readonly source: TurnPrompt['source'];
  readonly permissionMode: string;
  /** Said by us within a turn, not by the person. */
  readonly isMeta?: boolean;
  /** The call of Skill whose words they are. */
  readonly sourceToolUseID?: string;
  /** What the person typed, where the content is how a command is recorded. */
  readonly typed?: string;
  /** To be the entry's own, unless the session has one of this name. */
  readonly uuid?: string;
}

export interface AnswerFields {
  readonly id: string;
  readonly model: string;
  readonly requestId?: string;
  readonly index: number;
  readonly stopReason: string | null;
  readonly stopSequence?: string | null;
  readonly usage: JsonObject;
  /** The block was cut off by an interrupt. */
  readonly aborted?: boolean;
}

export interface CallPlace {
  readonly toolUseId: string;
  /** The entry of its tool_use block. */
  readonly entryUuid: string;
}

// ── what can be watched ──

export type { AgentTask, LoopEvent } from './events.ts';

// ── the loop ──

export interface LoopParts {
  readonly model: Model;
  readonly transcript: Transcript;
  /** By name, in the order they are told to the model. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly gate: Gate;
  readonly hooks?: Hooks;
  readonly session: ToolSession;
  /** Hands over what was typed since it was last asked. */
  readonly queue?: { take(): readonly Queued[] };
  readonly ask: {
    readonly model: string;
    readonly system: readonly string[];
    readonly maxTokens: number;
    readonly thinking?: number;
  };
  readonly limits?: {
    /** Answers of the model in one turn. */
    readonly maxTurns?: number;
    readonly maxBudgetUSD?: number;
    /** Spent before this turn, of the same budget. */
    readonly spentUSD?: number;
  };
  /** What the turn is a part of. */
  readonly within?: Tally;
  /** Used since the last turn, by what ran in the background. */
  readonly carried?: readonly Tally[];
  /** Tokens of a conversation with a model from which on it is compacted; without it a turn ends when it is too long. */
  readonly compactAt?: (model: string) => number;
  /** Told again after that. */
  readonly remind?: () => readonly Follow[];
  /** The tool that the turn is to end with. */
  readonly endsWith?: string;
  /** Lines to write when a call went well, such as pr-link. */
  readonly linesAfter?: (tool: string, input: JsonObject, outcome: ToolOutcome) => readonly JsonObject[];
  emit(event: LoopEvent): void;
  /** Milliseconds, for durations. */
  readonly now?: () => number;
}

export interface TurnPrompt {
  readonly content: string | readonly JsonObject[];
  /** `notice`: something in the background is done. `message`: an agent is told more by whoever called it. */
  readonly source: 'typed' | 'sdk' | 'notice' | 'message';
  /** What the person typed, where the content is how a command is recorded. */
  readonly typed?: string;
  /** Told after it: the text of a command, files that were named. */
  readonly follow?: readonly Follow[];
  /** The name that whoever sent it gave it. */
  readonly uuid?: string;
}

/** How a turn ended. Failures are values. */
export interface TurnEnd {
  readonly reason:
    | 'end_turn'
    | 'interrupted'
    | 'max_turns'
    | 'budget'
    | 'max_tokens'
    | 'refusal'
    | 'stopped'
    | 'failed';
  readonly failure?: ApiFailure;
  /** The words of the last answer. */
  readonly text: string;
  /** Answers of the model. */
  readonly rounds: number;
  readonly durationMs: number;
  readonly apiMs: number;
  readonly costUSD: number;
  /** Sums over the turn, by model. */
  readonly usage: Readonly<Record<string, JsonObject>>;
  /** What a tool ended it with, where the answer was asked for in a form of its own. */
  readonly output?: Json;
  readonly denials: readonly { readonly tool_name: string; readonly tool_use_id: string; readonly tool_input: Json }[];
}
