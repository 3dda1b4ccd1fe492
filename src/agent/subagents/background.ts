/** Agents that nobody waits for: each tells when it is done. */
import type { JsonObject } from '../../format/json.ts';
import type { Tally } from '../turn/tally.ts';
import type { Ran, Started } from './run.ts';

export interface About {
  readonly description: string;
  readonly type: string;
  /** Called when it is done, unless all was closed before. */
  told(ran: Ran, file: string): void;
}

export interface Background {
  start(begin: (signal: AbortSignal) => Started, about: About): Started;
  /** As hooks are told (U1). */
  running(): JsonObject[];
  /** Resolves when one more is done; undefined when none runs. */
  next(): Promise<void> | undefined;
  /** What those that are done have used since it was last asked. */
  takeUsed(): Tally[];
  /** Stops what runs. */
  close(): Promise<void>;
}

export function createBackground(): Background {
  const stop = new AbortController();
  const running = new Map<Promise<void>, JsonObject>();
  let used: Tally[] = [];
  return {
    start(begin, { description, type, told }) {
      const started = begin(stop.signal);
      const done = started.ended.then((ran) => {
        running.delete(done);
        used.push(ran.tally);
        if (!stop.signal.aborted) told(ran, started.file);
      });
      const { agentId: id } = started;
      running.set(done, { id, type: 'subagent', status: 'running', description, agent_type: type });
      return started;
    },
    running: () => [...running.values()],
    next: () => (running.size === 0 ? undefined : Promise.race(running.keys())),
    takeUsed() {
      const taken = used;
      used = [];
      return taken;
    },
    async close() {
      stop.abort();
      await Promise.allSettled(running.keys());
    },
  };
}
