/** Turns without their contents: the outline of a chat. */
import { promptTextOf } from '../../graph/turns.ts';
import type { Turn } from '../../graph/types.ts';
import { FAILED } from './failed.ts';
import { cut, MASKED_LENGTH, maskOf, type PageOptions, PROMPT_LENGTH } from './options.ts';
import type { TurnHead } from './types.ts';

/** `forks`: for each turn the branches that leave the conversation there. */
export function turnHeads(
  turns: readonly Turn[],
  forks: ReadonlyMap<number, readonly number[]>,
  options: PageOptions,
): TurnHead[] {
  return turns.map((turn, index) => turnHead(turn, index, forks.get(index) ?? [], options));
}

export function turnHead(turn: Turn, index: number, forks: readonly number[], options: PageOptions): TurnHead {
  const prompt = maskOf(options)(promptTextOf(turn).slice(0, MASKED_LENGTH));
  return {
    index,
    number: turn.number,
    uuid: turn.uuid ?? null,
    kind: turn.kind,
    round: turn.round,
    state: turn.state,
    prompt: cut(prompt, PROMPT_LENGTH),
    started: turn.started ?? null,
    ended: turn.ended ?? null,
    durationMs: turn.durationMs ?? null,
    messages: turn.messages.length,
    calls: turn.toolCalls.length,
    failures: turn.toolCalls.filter(({ status }) => FAILED.has(status)).length,
    compacted: turn.entries.some(({ kind, head }) => kind === 'system' && head.subtype === 'compact_boundary'),
    forks,
  };
}
