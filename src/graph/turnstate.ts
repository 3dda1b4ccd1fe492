/** Is a turn over (T6)? */
import { hasExpansion, type InputKind } from '../format/prompt.ts';
import type { Draft, Part } from './parts.ts';
import type { Message, ToolCall, TurnState } from './types.ts';

/** What is known besides the entries. */
export interface Circumstances {
  /** The time it is now, in milliseconds: ten quiet minutes end a turn whose stop reasons are missing. */
  readonly now?: number;
  /** The Stop hook has just fired: the last turn is over. */
  readonly stopped?: boolean;
  /** The conversation went on elsewhere, as after a rewind: nothing comes after the last turn. */
  readonly left?: boolean;
}

interface Situation extends Circumstances {
  /** How the turn after it starts, where there is one. */
  readonly next?: InputKind;
}

/** After so long nothing more is expected. */
export const QUIET = 10 * 60 * 1000;
const ENDED = new Set(['end_turn', 'stop_sequence', 'max_tokens', 'refusal', 'model_context_window_exceeded']);
/** Input that the model has to answer. */
const INPUT = new Set<InputKind>(['tool_result', 'task_notification']);

export function stateOf(
  draft: Draft,
  messages: readonly Message[],
  calls: readonly ToolCall[],
  situation: Situation,
): TurnState {
  const answer = messages.findLast((message) => !message.synthetic || message.isApiError);
  const after = partsAfter(draft.parts, answer);
  const over = situation.next !== undefined || situation.left === true;
  if (answer === undefined && isLocal(draft)) return 'complete';
  if (after.some(({ kind }) => kind === 'interrupt') || isCutOff(answer, calls)) return 'interrupted';
  if (answer === undefined) return over ? 'interrupted' : 'open';
  const unanswered = after.some(({ kind }) => INPUT.has(kind));
  if (ENDED.has(answer.stopReason ?? '')) return over || !unanswered ? 'complete' : 'open';
  const resolved = calls.every((call) => call.status !== 'pending');
  // A prompt that was absorbed into the running turn takes over its work.
  if (situation.next === 'queued') return resolved ? 'complete' : 'interrupted';
  const answered = !unanswered && !hasCalls(answer, calls) && answer.stopReason === undefined;
  if (answered && resolved && (over || isFollowed(after, draft.parts, situation))) return 'complete';
  return over ? 'interrupted' : 'open';
}

/** What follows the last line of a message; where that line occurs again does not count. */
function partsAfter(parts: readonly Part[], message: Message | undefined): readonly Part[] {
  const last = message?.entries.at(-1);
  const isLast = ({ entry }: Part) =>
    message?.finalUuid === undefined ? entry === last : entry.head.uuid === message.finalUuid;
  return parts.slice(parts.findIndex(isLast) + 1);
}

/** Local commands and `!` run without the model; a custom command is answered by it. */
function isLocal({ kind, prompt }: Draft): boolean {
  if (kind === 'bash_input') return true;
  return kind === 'slash_command' && prompt !== undefined && !hasExpansion(prompt);
}

function hasCalls(message: Message, calls: readonly ToolCall[]): boolean {
  return calls.some((call) => message.entries.includes(call.use));
}

function isCutOff(answer: Message | undefined, calls: readonly ToolCall[]): boolean {
  return calls.some((call) => call.status === 'interrupted' && answer?.entries.includes(call.use));
}

/** Something that comes only after a turn: its duration, a Stop hook, or silence. */
function isFollowed(after: readonly Part[], parts: readonly Part[], situation: Situation): boolean {
  if (situation.stopped) return true;
  if (after.some(({ entry }) => ['turn_duration', 'stop_hook_summary'].includes(entry.head.subtype ?? ''))) return true;
  if (situation.now === undefined) return false;
  const last = parts.reduce((latest, { time }) => Math.max(latest, time ?? latest), Number.NEGATIVE_INFINITY);
  return Number.isFinite(last) && situation.now - last > QUIET;
}
