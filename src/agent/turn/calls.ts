/** The calls of one answer: those that may run beside each other do, the rest in order. */
import type { Call } from './answer.ts';
import { type Prepared, prepare, reject, run, writeResult } from './call.ts';
import { type Turn, toolNamed } from './turn.ts';

const MOST_AT_ONCE = 10;

/** Every call has a result afterwards. Tells whether the person wants to stop. */
export async function runCalls(turn: Turn, calls: readonly Call[]): Promise<'done' | 'interrupted'> {
  let interrupted = false;
  for (const batch of batches(turn, calls)) {
    if (interrupted || turn.signal.aborted) for (const call of batch) reject(turn, call);
    else interrupted = await runBatch(turn, batch);
  }
  return interrupted || turn.signal.aborted ? 'interrupted' : 'done';
}

/** A person can answer one question at a time; meanwhile those that are allowed run. */
async function runBatch(turn: Turn, batch: readonly Call[]): Promise<boolean> {
  const running: Promise<void>[] = [];
  const open = new Set<Promise<void>>();
  let interrupted = false;
  try {
    for (const call of batch) {
      while (open.size >= MOST_AT_ONCE) await Promise.race(open);
      if (interrupted || turn.signal.aborted) {
        reject(turn, call);
        continue;
      }
      const prepared: Prepared = await prepare(turn, call);
      if (prepared.go) running.push(tracked(run(turn, prepared), open));
      else interrupted ||= prepared.interrupt;
    }
  } finally {
    await Promise.allSettled(running);
  }
  // What went wrong with the disk ends the turn, once nothing runs any more.
  await Promise.all(running);
  return interrupted;
}

/** Open until it is over. Awaited later: until then a failure must not count as unheard. */
function tracked(running: Promise<void>, open: Set<Promise<void>>): Promise<void> {
  const over = () => void open.delete(running);
  open.add(running);
  running.then(over, over);
  return running;
}

/** Consecutive calls that may run together. */
function batches(turn: Turn, calls: readonly Call[]): Call[][] {
  const made: Call[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const together = toolNamed(turn, call.name)?.parallel(call.input) === true;
    const last = made.at(-1);
    if (together && isOpen && last !== undefined) last.push(call);
    else made.push([call]);
    isOpen = together;
  }
  return made;
}

/** Calls that are not to be run at all, and why. */
export function answerCalls(turn: Turn, calls: readonly Call[], why: string): void {
  for (const call of calls) writeResult(turn, call, { content: why, result: `Error: ${why}`, isError: true });
}

export function rejectCalls(turn: Turn, calls: readonly Call[]): void {
  for (const call of calls) reject(turn, call);
}
