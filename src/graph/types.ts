/** What entries amount to. Lists refer to entries; payloads stay on disk and are loaded on demand, so a graph stays small. */
import type { Entry } from '../format/entry.ts';
import type { InputKind } from '../format/prompt.ts';
import type { Usage } from '../format/usage.ts';

/** One API message: the assistant lines that share its id (E4). */
export interface Message {
  readonly id?: string;
  readonly requestId?: string;
  /** Every line of it in the order given, repeats too; `linesOfMessage` leaves them out. */
  readonly entries: readonly Entry[];
  readonly entryUuids: readonly string[];
  readonly finalUuid?: string;
  readonly model?: string;
  /** The last one that is not null. */
  readonly stopReason?: string;
  /** Of the line with most output tokens. */
  readonly usage?: Usage;
  /** When its request was sent: recorded (E14), or inside a turn the prompt or result before it (T7). */
  readonly started?: string;
  readonly ended?: string;
  readonly isApiError: boolean;
  /** Written by the client in the model's place (E13). */
  readonly synthetic: boolean;
  readonly isSidechain: boolean;
  /** A copy of a sub-agent's message inside `agent_progress` entries (E18). */
  readonly copyIn?: 'progress';
}

export type ToolStatus = 'ok' | 'error' | 'denied' | 'interrupted' | 'pending' | 'background';

/** A tool_use and its result, wherever that stands (E5). */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  /** The first line that uses the id. */
  readonly use: Entry;
  /** The line with the complete input, where an old stream repeated a growing block. */
  readonly input: Entry;
  readonly result?: Entry;
  readonly useUuid?: string;
  readonly resultUuid?: string;
  readonly started?: string;
  readonly ended?: string;
  readonly durationMs?: number;
  /** The sub-agent it started, where known (L3). */
  readonly agentId?: string;
}

/** How a turn joins what was before it: first of the chat, after a pause or in a later run of the client, the next one; `continue` begins without a prompt. */
export type Round = 'new_session' | 'resume' | 'continue' | 'new_round';

/** T6. Interrupted turns are over too. */
export type TurnState = 'complete' | 'interrupted' | 'open';

/** One human prompt and everything until the next. */
export interface Turn {
  /** Of the prompt entry; a prompt known only from the queue has none. */
  readonly uuid?: string;
  /** Counts prompts from 1; 0 is what stands before the first. */
  readonly number: number;
  /** `none` for what stands before the first prompt. */
  readonly kind: InputKind;
  readonly round: Round;
  readonly state: TurnState;
  readonly prompt?: Entry;
  readonly entries: readonly Entry[];
  /** Without those of inline sub-agents, which hang on their tool call. */
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  readonly started?: string;
  readonly ended?: string;
  readonly durationMs?: number;
}
