/**
 * Who has a session open (L4): every client keeps `sessions/<pid>.json` in the config folder while it runs. We keep one too, so
 * that others know of us, and look at theirs before we write.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../disk/durable.ts';
import { codeOf } from '../disk/errors.ts';
import { readJsonObject } from '../disk/sidecars.ts';
import { asNumber, asString, type JsonObject } from '../format/json.ts';
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
  const folder = join(config, 'sessions');
  for (const name of namesIn(folder)) {
    const live = readJsonObject(join(folder, name));
    const pid = asNumber(live?.pid);
    if (live?.sessionId !== sessionId || pid === undefined || pid === process.pid) continue;
    if (isRunning(pid, asString(live.procStart))) return pid;
  }
  return undefined;
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** The file of a client that was killed stays behind, and its number may be another program's by now. */
function isRunning(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one too.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return start === undefined || now === undefined || start === now;
}

/** When a process began, as the system counts; only Linux tells without asking another program. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
