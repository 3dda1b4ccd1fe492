/** Whether a client has a session open (L4): it keeps the entries in memory and goes on from them, whatever the file says. */
import { openElsewhere } from '../../disk/live.ts';
import { CommandError } from '../errors.ts';
import { configOf } from './source.ts';

/** Throws when the client would not see that the file was changed or removed. */
export function refuseLive({ file, sessionId }: { readonly file: string; readonly sessionId: string }): void {
  const config = configOf(file);
  const pid = config === undefined ? undefined : openElsewhere(config, sessionId);
  if (pid === undefined) return;
  const next = 'Close it there and try again, or write a copy instead.';
  throw new CommandError(`The session is open in a client (process ${pid}): it stays as it is.`, file, next);
}
