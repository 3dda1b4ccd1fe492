/** The five-hour blocks that subscriptions are limited by, as far as transcripts tell them. */

const HOUR = 3_600_000;
export const BLOCK_MS = 5 * HOUR;

/** Where a chain of blocks stands: when its last block began, and when its last message was. */
export interface BlockState {
  readonly start: number;
  readonly last: number;
}

/**
 * A block begins at the full hour (UTC) of its first message and ends five hours later; the next message after that
 * begins another. So does one that comes more than five hours after the last. Takes times in order.
 */
export function createBlocks(from?: BlockState): (time: number) => number {
  let state = from;
  return (time) => {
    state = nextBlock(state, time);
    return state.start;
  };
}

export function nextBlock(state: BlockState | undefined, time: number): BlockState {
  const goes = state !== undefined && time - state.start <= BLOCK_MS && time - state.last <= BLOCK_MS;
  return { start: goes ? state.start : Math.floor(time / HOUR) * HOUR, last: time };
}
