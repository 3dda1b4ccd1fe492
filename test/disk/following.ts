/** Following a file step by step, for the tests of follow. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FollowEvent, type FollowOptions, follow } from '../../src/disk/follow.ts';
import type { Entry } from '../../src/format/entry.ts';
import { tempFolder } from '../support/files.ts';

/** So long that only an event of the watcher can wake the follower. */
export const NEVER = 2 ** 30;
/** Without a watcher, so that nothing but the clock can. */
export const CLOCK = { watch: false, pollMs: 1 } as const;

export function start(file: string, options: FollowOptions = { pollMs: NEVER }) {
  const stop = new AbortController();
  const events = follow(file, { ...options, signal: stop.signal });
  onTestFinished(() => stop.abort());
  const next = async (): Promise<FollowEvent | undefined> => {
    const { value, done } = await events.next();
    return done ? undefined : value;
  };
  /** Reads on until this entry has come; gives all that came. */
  const until = async (uuid: string): Promise<FollowEvent[]> => {
    const seen: FollowEvent[] = [];
    for (;;) {
      const event = await next();
      if (event === undefined) return seen;
      seen.push(event);
      if (uuidsOf([event]).includes(uuid)) return seen;
    }
  };
  return { next, until, stop: () => stop.abort() };
}

export function entriesOf(events: readonly (FollowEvent | undefined)[]): Entry[] {
  return events.flatMap((event) => (event?.type === 'entries' ? event.entries : []));
}

export function uuidsOf(events: readonly (FollowEvent | undefined)[]): (string | undefined)[] {
  return entriesOf(events).map((entry) => entry.head.uuid);
}

export function brief(event: FollowEvent | undefined): string {
  return event?.type === 'entries' ? uuidsOf([event]).join(' ') : (event?.type ?? 'end');
}

export function facts({ line, kind, head, problem }: Entry) {
  return { line, kind, head, problem };
}

export function transcript(content?: string): string {
  const path = join(tempFolder(), 's.jsonl');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}
