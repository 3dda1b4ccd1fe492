/** Who has a session open (L4): we tell others of ours, and look at theirs before we write. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../disk/durable.ts';
import { openElsewhere, startOf } from '../disk/live.ts';
import { readJsonObject } from '../disk/sidecars.ts';
import type { JsonObject } from '../format/json.ts';
import { encode } from '../format/text.ts';
import { FORMAT_VERSION } from './transcript/envelope.ts';

export interface Registration {
  /** The session goes on under another id. */
  rename(sessionId: string, file: string): void;
  close(): void;
}

/** Sessions that this very process has open, by file. */
const ours = new Set<string>();

/** The process that has a session open, if there is one. */
export function liveWriter(config: string, sessionId: string, file: string): number | undefined {
  if (ours.has(file)) return process.pid;
  return openElsewhere(config, sessionId);
}

/** Tells others that the session is open. That this cannot be told is no reason not to work. */
export function register(config: string, session: { sessionId: string; file: string; cwd: string }): Registration {
  const path = join(config, 'sessions', `${process.pid}.json`);
  const startedAt = Date.now();
  let { sessionId, file } = session;
  tell(path, { sessionId, cwd: session.cwd }, startedAt);
  ours.add(file);
  return {
    rename(newId, newFile) {
      ours.delete(file);
      [sessionId, file] = [newId, newFile];
      ours.add(file);
      tell(path, { sessionId, cwd: session.cwd }, startedAt);
    },
    close() {
      ours.delete(file);
      // A session that this process opened meanwhile has its name there now.
      if (readJsonObject(path)?.sessionId === sessionId) rmSync(path, { force: true });
    },
  };
}

function tell(path: string, { sessionId, cwd }: { sessionId: string; cwd: string }, startedAt: number): void {
  const live: JsonObject = {
    pid: process.pid,
    sessionId,
    cwd,
    startedAt,
    procStart: startOf(process.pid),
    version: FORMAT_VERSION,
    kind: 'interactive',
    entrypoint: 'cli',
    client: { name: 'skein' },
  };
  try {
    writeFileAtomic(path, encode(JSON.stringify(live)));
  } catch {
    // Told to nobody, then.
  }
}
