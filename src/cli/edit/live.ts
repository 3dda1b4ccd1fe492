/** Whether a client has a session open (L4): it keeps the entries in memory and goes on from them, whatever the file says. */
import { join } from 'node:path';
import { readJsonObject } from '../../disk/sidecars.ts';
import { asNumber } from '../../format/json.ts';
import { CommandError } from '../errors.ts';
import { filesBelow } from './belongings.ts';
import { configOf } from './source.ts';

/** Throws when the client would not see that the file was changed or removed. */
export function refuseLive({ file, sessionId }: { readonly file: string; readonly sessionId: string }): void {
  const config = configOf(file);
  const pid = config === undefined ? undefined : liveProcess(join(config, 'sessions'), sessionId);
  if (pid === undefined) return;
  const next = 'Close it there and try again, or write a copy instead.';
  throw new CommandError(`The session is open in a client (process ${pid}): it stays as it is.`, file, next);
}

function liveProcess(folder: string, sessionId: string): number | undefined {
  for (const file of filesBelow(folder).filter((name) => name.endsWith('.json'))) {
    const live = readJsonObject(file);
    const pid = asNumber(live?.pid);
    if (live?.sessionId === sessionId && pid !== undefined && isRunning(pid)) return pid;
  }
  return undefined;
}

/** The file of a client that crashed stays behind. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
