/** The five-hour blocks that subscriptions are limited by, as far as transcripts tell them. */

const HOUR = 3_600_000;
export const BLOCK_MS = 5 * HOUR;

/**
 * A block begins at the full hour (UTC) of its first message and ends five hours later; the next message after that
 * begins another. So does one that comes more than five hours after the last. Takes times in order.
 */
export function createBlocks(): (time: number) => number {
  let start: number | undefined;
  let last = 0;
  return (time) => {
    if (start === undefined || time - start > BLOCK_MS || time - last > BLOCK_MS)
      start = Math.floor(time / HOUR) * HOUR;
    last = time;
    return start;
  };
}
