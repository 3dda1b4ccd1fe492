/** What can be watched of a turn as it goes. */
import type { JsonObject } from '../format/json.ts';
import type { ModelEvent, TurnEnd } from './ports.ts';
import type { ToolOutcome } from './tools/tool.ts';

export type LoopEvent =
  /** A line that now stands in the transcript. */
  | { readonly kind: 'entry'; readonly entry: JsonObject }
  | { readonly kind: 'model'; readonly event: ModelEvent }
  /** The conversation is being summarized. */
  | { readonly kind: 'compacting'; readonly trigger: 'manual' | 'auto' }
  /** That is over; `error`: why nothing came of it. */
  | { readonly kind: 'compacted'; readonly error?: string }
  | { readonly kind: 'tool-start'; readonly id: string; readonly name: string; readonly input: JsonObject }
  | { readonly kind: 'tool-progress'; readonly id: string; readonly data: JsonObject }
  | { readonly kind: 'tool-end'; readonly id: string; readonly name: string; readonly outcome: ToolOutcome }
  | {
      readonly kind: 'denied';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly message: string;
      /** Who said no: `hook`, `user_reject` (whoever was asked), else the rules and the mode. */
      readonly source?: string;
    }
  /** Happens in an agent, that the call of this id started. */
  | ({ readonly kind: 'agent'; readonly event: LoopEvent } & AgentTask)
  | ({ readonly kind: 'agent-start'; readonly prompt: string } & AgentTask)
  | ({
      readonly kind: 'agent-end';
      readonly end: TurnEnd;
      readonly toolUses: number;
      /** Of its last answer. */
      readonly usage: JsonObject;
      /** Its transcript. */
      readonly file: string;
    } & AgentTask);

/** An agent at work. */
export interface AgentTask {
  /** The call that started it. */
  readonly id: string;
  /** The one that told it more, where it goes on for that. */
  readonly callId?: string;
  readonly agentId: string;
  readonly agentType: string;
  readonly description: string;
  /** 1 for those that the session itself starts. */
  readonly depth: number;
  readonly isBackground: boolean;
}
