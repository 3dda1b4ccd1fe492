/** Which session to go on with, or a new one. */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Forked,
  forkSession,
  newestSession,
  newSession,
  resumeSession,
  type Session,
  type SessionOptions,
} from '../../agent/session.ts';
import type { SessionFile } from '../../disk/find.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import type { Library } from '../library.ts';

export interface Place {
  readonly cwd: string;
  readonly home: string;
  /** L1 */
  readonly config: string;
}

export function placeOf({ cwd, home, env }: Context, args: Arguments): Place {
  const config = args.value('root') ?? (env.CLAUDE_CONFIG_DIR || join(home, '.claude'));
  return { cwd: realFolder(cwd, env.PWD), home, config: resolve(cwd, config) };
}

/**
 * The folder may be reached by a link; the client names it by where it really is (L2). Where it was deleted, other commands
 * make do with `/`: nothing must work there by mistake.
 */
function realFolder(cwd: string, told: string | undefined): string {
  try {
    process.cwd();
    return realpathSync(cwd);
  } catch {
    throw new CommandError('This folder is gone.', told || cwd, 'Change into one that is there.');
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export type Chosen =
  | { readonly kind: 'new'; readonly id?: string }
  | { readonly kind: 'resume'; readonly file: string }
  | { readonly kind: 'fork'; readonly file: string; readonly id?: string };

export async function chooseSession(context: Context, args: Arguments, place: Place): Promise<Chosen> {
  const id = args.value('session-id');
  if (id !== undefined && !UUID.test(id)) {
    throw new UsageError(`"${id}" is not a session id.`, '--session-id', 'Give a UUID, e.g. from uuidgen.');
  }
  const selector = args.value('resume');
  const goesOn = args.flag('continue') || selector !== undefined;
  const forks = args.flag('fork-session');
  if (args.flag('continue') && selector !== undefined) {
    throw new UsageError('--continue and --resume exclude each other.', `--resume ${selector}`, 'Give one of them.');
  }
  if (forks && !goesOn) {
    throw new UsageError('--fork-session goes with --continue or --resume.', '--fork-session', 'Say what to fork.');
  }
  if (id !== undefined && goesOn && !forks) {
    throw new UsageError('--session-id is for new sessions.', id, 'Add --fork-session, or leave it out.');
  }
  const given = id === undefined ? {} : { id };
  if (!goesOn) return { kind: 'new', ...given };
  const file = selector === undefined ? newestHere(place) : (await selected(context, args, selector)).file.file;
  return forks ? { kind: 'fork', file, ...given } : { kind: 'resume', file };
}

export function openChosen(chosen: Chosen, options: SessionOptions): Session {
  if (chosen.kind === 'new') return newSession(options, chosen.id);
  return chosen.kind === 'fork' ? forkSession(options, chosen.file, chosen.id) : resumeSession(options, chosen.file);
}

function newestHere(place: Place): string {
  const file = newestSession(place);
  if (file !== undefined) return file;
  throw new CommandError(
    'There is no session of this folder to go on with.',
    place.cwd,
    'Begin one: skein chat. Sessions of other folders: skein list, then skein chat --resume ID.',
  );
}

/** By the one resolver; what is not on disk cannot be written to. */
export async function selected(
  context: Context,
  args: Arguments,
  selector: string,
): Promise<{ readonly library: Library; readonly file: SessionFile }> {
  const [{ loadArchiveReader }, { selectOne }] = await Promise.all([import('../shelf.ts'), import('../select.ts')]);
  await loadArchiveReader(context);
  const { library, file } = selectOne(context, args, selector);
  if (file.kind !== 'session') {
    throw new CommandError('This is a sub-agent, not a session.', file.file, 'Resume the session it belongs to.');
  }
  if (library.demo) {
    throw new CommandError('This is a session of the demo set.', file.file, 'Begin one of your own: skein chat.');
  }
  if (!isOnDisk(file.file)) {
    const next = `Bring it back first: skein archive restore ${file.sessionId}`;
    throw new CommandError('The session is only in the archive.', file.file, next);
  }
  return { library, file };
}

/** Why it goes on under another id. */
export function forkNotice({ from, to, why, pid }: Forked): string | undefined {
  if (why === 'asked') return undefined;
  const who = pid === undefined ? 'Another program' : `Another program (process ${pid})`;
  const what = why === 'live' ? 'has session' : 'wrote to session';
  return `${who} ${what} ${from}; this goes on in a copy of it, ${to}.`;
}
