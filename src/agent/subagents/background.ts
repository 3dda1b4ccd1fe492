/** Agents that nobody waits for: each tells when it is done, and can be told more until then. */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../format/json.ts';
import type { LoopParts, Queued } from '../ports.ts';
import type { Tally } from '../turn/tally.ts';
import type { Ran, Started } from './run.ts';

export interface About {
  readonly description: string;
  readonly type: string;
  /** Called when it is done, unless all was closed before. `left`: what it was told too late. */
  told(ran: Ran, file: string, left: readonly string[]): void;
}

export type Inbox = NonNullable<LoopParts['queue']>;

export interface Background {
  start(begin: (signal: AbortSignal, inbox: Inbox) => Started, about: About): Started;
  /** Tells an agent that runs something more; false when none of that id does. */
  tell(agentId: string, message: string): boolean;
  /** Stops one; false when none of that id runs. */
  stop(agentId: string): boolean;
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
  const inboxes = new Map<string, Queued[]>();
  const stops = new Map<string, AbortController>();
  let used: Tally[] = [];
  return {
    start(begin, { description, type, told }) {
      const inbox: Queued[] = [];
      const own = new AbortController();
      const started = begin(AbortSignal.any([stop.signal, own.signal]), { take: () => inbox.splice(0) });
      const { agentId: id } = started;
      const done = started.ended.then((ran) => {
        running.delete(done);
        inboxes.delete(id);
        stops.delete(id);
        used.push(ran.tally);
        if (!stop.signal.aborted) told(ran, started.file, inbox.map(wordsOf));
      });
      inboxes.set(id, inbox);
      stops.set(id, own);
      running.set(done, { id, type: 'subagent', status: 'running', description, agent_type: type });
      return started;
    },
    tell(agentId, message) {
      const inbox = inboxes.get(agentId);
      inbox?.push({ content: message, uuid: randomUUID(), typed: new Date().toISOString() });
      return inbox !== undefined;
    },
    stop(agentId) {
      const own = stops.get(agentId);
      own?.abort();
      return own !== undefined;
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

function wordsOf({ content }: Queued): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
