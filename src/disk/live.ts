/** Who runs, and who has a session open (L4): every client keeps `sessions/<pid>.json` in the config folder while it runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNumber, asString } from '../format/json.ts';
import { codeOf } from './errors.ts';
import { readJsonObject } from './sidecars.ts';

/** The other process that has a session open, if there is one. */
export function openElsewhere(config: string, sessionId: string): number | undefined {
  const folder = join(config, 'sessions');
  for (const name of namesIn(folder)) {
    const live = readJsonObject(join(folder, name));
    const pid = asNumber(live?.pid);
    if (live?.sessionId !== sessionId || pid === undefined || pid === process.pid) continue;
    if (isRunning(pid, asString(live.procStart))) return pid;
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** What a process that was killed leaves behind stays, and its number may be another program's by now: `start` tells them apart. */
export function isRunning(pid: number, start?: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one too.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const now = start === undefined ? undefined : startOf(pid);
  return now === undefined || start === now;
}

/** When a process began, as the system counts; only Linux tells without asking another program. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
