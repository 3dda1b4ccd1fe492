/** A turn as spans: what both dialects are written from. Ids and start times come from the transcript alone (T3, T7). */
import type { Json } from '../../format/json.ts';
import type { Usage } from '../../format/usage.ts';
import type { Agent } from '../../graph/agents.ts';
import type { Resolve } from '../../graph/toolcalls.ts';
import type { Round, ToolCall, ToolStatus, TurnState } from '../../graph/types.ts';
import type { Mask } from '../options.ts';
import type { Pricing } from '../usage/facts.ts';

export type SpanKind = 'agent' | 'generation' | 'tool' | 'event';
export type SpanLevel = 'default' | 'warning' | 'error';

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** null for the root of the trace. */
  readonly parentSpanId: string | null;
  readonly kind: SpanKind;
  readonly name: string;
  readonly startMs: number;
  /** Never before the start. */
  readonly endMs: number;
  readonly level: SpanLevel;
  readonly statusMessage: string | null;
  readonly facts: SpanFacts;
}

export interface SpanFacts {
  /** The same on every span of a trace. */
  readonly trace: TraceFacts;
  /** Of a sub-agent: on its span and on all that lie below it. */
  readonly agent: AgentFacts | null;
  readonly generation: GenerationFacts | null;
  readonly tool: ToolFacts | null;
  readonly event: EventFacts | null;
  /** Lines that tell what an agent was told and did, or that a call has a result: more may follow when a message already names its end (E4). */
  readonly lines: number;
  /** What was said or given to it; null where nothing was, and where no content is sent. */
  readonly input: Content | null;
  readonly output: Content | null;
}

/** Words of someone, or what a tool was given and gave back. */
export type Content =
  | {
      readonly type: 'message';
      readonly role: 'user' | 'assistant';
      readonly text: string;
      readonly parts: readonly Part[];
    }
  | { readonly type: 'json'; readonly value: Json };

/** A message in its order. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: Json };

export interface TraceFacts {
  /** "Turn 3". */
  readonly name: string;
  readonly turn: number;
  readonly sessionId: string;
  readonly chatId: string | null;
  /** The uuid of the prompt as it was first written. */
  readonly promptId: string | null;
  /** How the turn began: text, slash_command … */
  readonly kind: string;
  readonly round: Round;
  readonly state: TurnState;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly clientVersion: string | null;
  readonly permissionMode: string | null;
  readonly tags: readonly string[];
  readonly user: string | null;
  readonly environment: string | null;
}

export interface AgentFacts {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  /** 1 for agents of the session. */
  readonly depth: number;
  readonly background: boolean;
}

export interface GenerationFacts {
  readonly model: string | null;
  readonly messageId: string | null;
  readonly requestId: string | null;
  readonly stopReason: string | null;
  readonly toolCount: number;
  readonly usage: Usage | null;
  /** The output tokens were not recorded (E17). */
  readonly incomplete: boolean;
  readonly cost: Cost | null;
}

export interface Cost {
  readonly totalUSD: number;
  /** Empty where only the total is known. */
  readonly parts: Readonly<Partial<Record<CostKind, number>>>;
}

export type CostKind = 'input' | 'output' | 'cacheWrite' | 'cacheWrite1h' | 'cacheRead' | 'webSearches';

export interface ToolFacts {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  /** As the tool measured it. */
  readonly durationMs: number | null;
}

export interface EventFacts {
  readonly type: 'compaction' | 'api_error' | 'client_message';
  readonly details: Readonly<Record<string, string | number>>;
}

/** A pure hash as at least 32 hex digits, such as SHA-256. */
export type Hash = (text: string) => string;

export interface SpanOptions {
  readonly hash: Hash;
  /** Of the file; entries that name a session of their own keep it. */
  readonly sessionId: string;
  readonly chatId?: string;
  /** Otherwise the working folder that the prompt names. */
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly user?: string;
  readonly environment?: string;
  /** Prompts before the first of the turns, where not all were read. */
  readonly turnsBefore?: number;
  /** Bytes at the start of the file that were first written to others, where those were not read (H1). */
  readonly copied?: number;
  /** false: nothing that was said, given to a tool or given back is in the spans. */
  readonly content?: boolean;
  /** Thinking is sent only when asked for. */
  readonly thinking?: boolean;
  /** Longer texts are cut to this many characters. */
  readonly longest?: number;
  readonly mask?: Mask;
  readonly resolve?: Resolve;
  /** The agent that a call started or took up again, with what it did there. */
  readonly agentOf?: (call: ToolCall) => Agent | undefined;
  /** Without it spans have tokens, but no cost. */
  readonly pricing?: Pricing;
  /** The time it is now, in milliseconds: a background agent that is quiet for ten minutes is over. */
  readonly now?: number;
}

/** What there is to send of one turn. Nothing of its content is read before it is asked for. */
export interface TurnTrace {
  readonly traceId: string;
  readonly turn: number;
  readonly promptId: string | null;
  /** The file that it begins in; of copies the original. */
  readonly file: string | null;
  /** open: not over yet · undated: there is no time in it. Only `ready` is to be sent. */
  readonly status: 'ready' | 'open' | 'undated';
  /**
   * Tells how much there is, times and content aside: the same in copies of the turn. Where it is more than was sent (`isMore`),
   * the trace is to be sent again: a turn goes on when a background agent reports.
   */
  mark(): string;
  /** The root first, parents before children; empty unless ready. */
  spans(): Span[];
  /** Shows the mask all that was said in it, whether that is in the spans or not: names may repeat a secret that only a text gives away. */
  learn(): void;
}
