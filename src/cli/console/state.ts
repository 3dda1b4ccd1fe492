/** What the screen shows, as data. Pieces are finished and are written once; the state is what can still change. */
import type { LoopEvent } from '../../agent/ports.ts';
import type { ToolOutcome } from '../../agent/tools/tool.ts';
import type { JsonObject } from '../../format/json.ts';
import type { Todo } from '../../graph/toolresults/lookups.ts';

/** What has happened and stays. */
export type Piece =
  | { readonly kind: 'prompt'; readonly text: string }
  /** Whole blocks of an answer; `goesOn`: the list or code goes on in the next piece. */
  | { readonly kind: 'answer'; readonly text: string; readonly goesOn: boolean }
  | { readonly kind: 'thought'; readonly text: string; readonly ms: number }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly input: JsonObject;
      readonly outcome: ToolOutcome;
      readonly ms: number;
      readonly agent?: AgentWork;
    }
  | { readonly kind: 'denied'; readonly name: string; readonly input: JsonObject; readonly message: string }
  /** The context was summarized; tokens before and after. */
  | { readonly kind: 'compacted'; readonly before: number; readonly after: number }
  | { readonly kind: 'note'; readonly tone: 'dim' | 'warn' | 'bad'; readonly text: string }
  /** What a command of ours printed. */
  | { readonly kind: 'output'; readonly text: string }
  /** What a command typed after `!` printed. */
  | { readonly kind: 'shell'; readonly command: string; readonly text: string; readonly failed: boolean };

/** How far an agent is. */
export interface AgentWork {
  readonly type: string;
  readonly calls: number;
  /** Written by it. */
  readonly tokens: number;
  /** The answer that was counted last. */
  readonly message?: { readonly id: string; readonly tokens: number };
  /** What it does now, in a line. */
  readonly doing: string;
}

export interface RunningCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly began: number;
  /** The end of what it printed. */
  readonly tail: string;
  readonly lines: number;
  readonly agent?: AgentWork;
}

export interface ScreenState {
  /** When the turn began; undefined when nobody works. */
  readonly since: number | undefined;
  /** What the model does. */
  readonly activity: string;
  /** Of an answer what is not a piece yet. */
  readonly answer: string;
  /** What is being thought, and since when. */
  readonly thinking: { readonly text: string; readonly since: number } | undefined;
  /** Characters that came in this turn: about four are a token. */
  readonly came: number;
  readonly calls: readonly RunningCall[];
  /** Agents whose calls are over and who work on. */
  readonly background: readonly RunningCall[];
  /** Calls that were denied: their end says nothing new. */
  readonly denied: ReadonlySet<string>;
  readonly todos: readonly Todo[];
  /** Typed while the model works, not told yet. */
  readonly queue: readonly string[];
  /** Tokens of the conversation as it was last counted. */
  readonly context: number | undefined;
  readonly costUSD: number;
}

/** What the console itself tells of. */
export type ScreenEvent =
  | LoopEvent
  | { readonly kind: 'began'; readonly prompt: string; readonly isNotice: boolean }
  | { readonly kind: 'ended'; readonly costUSD: number; readonly isInterrupted: boolean }
  | { readonly kind: 'queued'; readonly text: string }
  /** The last one is in the editor again. */
  | { readonly kind: 'taken-back' }
  /** The first one is a prompt of its own now. */
  | { readonly kind: 'dequeued' }
  /** Another session takes its place. */
  | { readonly kind: 'session'; readonly context: number | undefined; readonly costUSD: number };

export function emptyState(): ScreenState {
  return {
    since: undefined,
    activity: '',
    answer: '',
    thinking: undefined,
    came: 0,
    calls: [],
    background: [],
    denied: new Set(),
    todos: [],
    queue: [],
    context: undefined,
    costUSD: 0,
  };
}
