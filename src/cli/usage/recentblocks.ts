/**
 * Blocks hang together: each begins where the one before let it, back to the last pause of more than five hours. What is kept of the last day
 * and a half does not always reach back to one, so where the chain stood before is kept too.
 */
import type { Usage } from '../../format/usage.ts';
import { createUsageFold } from '../../graph/usage/fold.ts';
import type { Spent } from '../../views/usage/amounts.ts';
import { BLOCK_MS, type BlockState, createBlocks, nextBlock } from '../../views/usage/blocks.ts';
import type { RecentRow } from './recent.ts';

/** The chain of all messages before a time; of none without `state`. */
export interface Chain {
  readonly until: number;
  /** When it was made: it holds for what was written before. */
  readonly made: number;
  readonly state?: BlockState;
}

/** Of one message, as all of them are added up. */
export interface Counted extends Spent {
  readonly time: number;
}

/** Each message once, in the order of their times: the same way reports count. */
export function uniqueRows(rows: readonly RecentRow[]): Counted[] {
  const fold = createUsageFold<undefined>(() => false);
  /** A message costs what the line costs that counts. */
  const costs = new Map<Usage, number | null>();
  for (const [key, requestId, time, output, cost, input] of rows) {
    const usage = { input, output, cacheCreation: 0, cacheRead: 0 };
    costs.set(usage, cost);
    fold.add({
      ...(key === '' ? {} : { key }),
      ...(requestId === null ? {} : { requestId }),
      usage,
      ended: true,
      synthetic: false,
      time,
      origin: undefined,
    });
  }
  const counted = fold.messages().map(({ time = 0, usage }) => {
    const cost = costs.get(usage) ?? null;
    return { time, cost: cost ?? 0, unpriced: cost === null ? 1 : 0, messages: 1 };
  });
  return counted.sort((a, b) => a.time - b.time);
}

/** The chain, taken on over the messages before `until`. */
export function chainUntil(rows: readonly RecentRow[], until: number, before: Chain | undefined): Omit<Chain, 'made'> {
  let state = before?.state;
  for (const { time } of uniqueRows(rows)) {
    if (time >= (before?.until ?? 0) && time < until) state = nextBlock(state, time);
  }
  return { until, ...(state && { state }) };
}

/** Tells, as rows come in any order, whether a pause says where the block of now began. */
export interface Pauses {
  add(rows: readonly RecentRow[]): void;
  /** When nothing is known of messages up to `unknown`. */
  isAfter(unknown: number): boolean;
}

/**
 * Every row is looked at once: times are put into cells as long as a block, within which there is no pause, and those that
 * hang together with now are never gone through again. A message that is told at several times counts at each: that can
 * only hide a pause, and then more is read than is needed.
 */
export function createPauses(now: number): Pauses {
  const cells = new Map<number, { first: number; last: number }>();
  const cellOf = (time: number) => Math.floor(time / BLOCK_MS);
  /** Since then there was none. */
  let since = now;
  return {
    add(rows) {
      for (const [, , time] of rows) {
        if (time > now) continue;
        const cell = cells.get(cellOf(time));
        if (cell === undefined) cells.set(cellOf(time), { first: time, last: time });
        else Object.assign(cell, { first: Math.min(cell.first, time), last: Math.max(cell.last, time) });
      }
    },
    isAfter(unknown) {
      for (;;) {
        since = Math.min(since, cells.get(cellOf(since))?.first ?? since);
        const before = cells.get(cellOf(since) - 1);
        if (before === undefined || since - before.last > BLOCK_MS) return since - unknown > BLOCK_MS;
        since = before.first;
      }
    },
  };
}

export function spentIn(rows: readonly Counted[]): Spent {
  const sum = (of: 'cost' | 'unpriced' | 'messages') => rows.reduce((total, row) => total + row[of], 0);
  return { cost: sum('cost'), unpriced: sum('unpriced'), messages: sum('messages') };
}

/** The block that runs, with what was spent in it. */
export function currentBlock(rows: readonly Counted[], chain: Chain | undefined, now: number) {
  const blockOf = createBlocks(chain?.state);
  let start: number | undefined;
  let own: Counted[] = [];
  for (const row of rows) {
    if (row.time < (chain?.until ?? 0)) continue;
    const begun = blockOf(row.time);
    // A clock may be ahead, but no block that runs begins later than now.
    if (begun > now) break;
    if (begun !== start) own = [];
    start = begun;
    own.push(row);
  }
  return start !== undefined && now - start < BLOCK_MS ? { start, ...spentIn(own) } : undefined;
}
