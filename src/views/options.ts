/** What the renderers are told. */
import type { Agent } from '../graph/agents.ts';
import type { Resolve } from '../graph/toolcalls.ts';
import type { ToolCall, Turn } from '../graph/types.ts';

export type ToolDetail = 'none' | 'brief' | 'full';

export interface ViewOptions {
  readonly thinking: boolean;
  readonly tools: ToolDetail;
  /** Prose is wrapped to this many columns; without it lines stay as they are. */
  readonly width?: number;
  /** Reads outputs that were too large for the transcript (L4). */
  readonly resolve?: Resolve;
  /** The sub-agent a call started. */
  readonly agentOf?: (call: ToolCall) => AgentView | undefined;
  /** Secrets give way to placeholders; without it texts are shown as they are. */
  readonly mask?: Mask;
}

export interface Mask {
  (text: string): string;
  /** How many secrets it has found so far that it masks wherever they stand. */
  readonly learnt?: () => number;
}

export interface AgentView {
  readonly agentId: string;
  readonly type?: string;
  /** Where its transcript was found; `progress` is as much as was reported of it (E18). */
  readonly from: Agent['from'];
  readonly turns: readonly Turn[];
  /** Tokens and calls of it and all its own agents, counted once. */
  readonly tokens: number;
  readonly calls: number;
}

/** Colours, or none. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function humanDuration(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return twoUnits(seconds, 'min', 's');
  return twoUnits(Math.round(seconds / 60), 'h', 'min');
}

function twoUnits(count: number, large: string, small: string): string {
  const rest = count % 60;
  return `${Math.floor(count / 60)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

export function humanSize(characters: number): string {
  if (characters < 1000) return `${characters} B`;
  return characters < 1e6 ? `${(characters / 1000).toFixed(1)} kB` : `${(characters / 1e6).toFixed(1)} MB`;
}
