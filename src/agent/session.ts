/** Opens sessions to be written: new, resumed, forked, or the newest of a folder. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppendOptions } from '../disk/append.ts';
import { appendLines } from '../disk/append.ts';
import { DiskError } from '../disk/errors.ts';
import { findSessions } from '../disk/find.ts';
import { projectSlug } from '../format/slug.ts';
import { copiesFolder } from './history/copies.ts';
import type { History } from './history/plan.ts';
import { liveWriter, register } from './live.ts';
import { copySession, linkSession } from './transcript/copy.ts';
import { newFile, type OpenedFile, openFile, sessionIdOf } from './transcript/opened.ts';
import { createTranscript, type OwnTranscript } from './transcript/transcript.ts';

/** Why lines go to another session than the one that was named. */
export interface Forked {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  /**
   * asked: --fork-session · live: another program has it open · foreign: another program wrote to it meanwhile · unlinked: its
   * lines have no uuids, so that nothing can be hung on them
   */
  readonly why: 'asked' | 'live' | 'foreign' | 'unlinked';
  readonly pid?: number;
}

export interface SessionOptions {
  /** The config folder (L1). */
  readonly config: string;
  readonly cwd: string;
  /** Our own version. */
  readonly version: string;
  /** Where the work is now, when `cd` moved it. */
  readonly where?: () => string;
  readonly onFork?: (fork: Forked) => void;
  readonly now?: () => number;
  /** The write call; tests hand in one that fails. */
  readonly write?: AppendOptions['write'];
}

export interface Session {
  readonly transcript: OwnTranscript;
  /** Set when it was forked as it was opened. */
  readonly forked?: Forked;
  /** The model that answered last, where it was gone on with. */
  readonly model?: string;
  /** What it keeps of the files it changed. */
  readonly history: History;
  /** Gives it the name that lists show. */
  rename(title: string): void;
  /** Something was typed that is no prompt: it can be called up again (L4). */
  typed(text: string): void;
  close(): void;
}

/** Throws DiskError when a session of that id is there already. */
export function newSession(options: SessionOptions, sessionId: string = randomUUID()): Session {
  const file = join(projectFolder(options), `${sessionId}.jsonl`);
  if (existsSync(file)) {
    const next = `Go on with it: skein chat --resume ${sessionId}`;
    throw new DiskError({ what: 'a session of this id is there already', where: file, next });
  }
  return begin(newFile(file), options);
}

/** Goes on in the file itself, unless somebody else is writing it. Throws DiskError. */
export function resumeSession(options: SessionOptions, file: string): Session {
  const pid = liveWriter(options.config, sessionIdOf(file), file);
  if (pid !== undefined) return fork(options, file, 'live', { pid });
  const opened = openFile(file);
  return opened.isUnlinked ? fork(options, file, 'unlinked', {}) : begin(opened, options);
}

/** A copy of the session as it stands, to go on in. Throws DiskError. */
export function forkSession(options: SessionOptions, file: string, sessionId: string = randomUUID()): Session {
  return fork(options, file, 'asked', { sessionId });
}

/** The session of the folder that was written last; undefined when there is none. */
export function newestSession(options: Pick<SessionOptions, 'config' | 'cwd'>): string | undefined {
  const folder = projectFolder(options);
  if (!existsSync(folder)) return undefined;
  const { files } = findSessions([{ path: folder, kind: 'project', from: 'option', what: '' }]);
  let newest: (typeof files)[number] | undefined;
  for (const file of files) {
    if (file.kind === 'session' && file.bytes > 0 && file.mtimeMs >= (newest?.mtimeMs ?? 0)) newest = file;
  }
  return newest?.file;
}

/** L2 */
export function projectFolder({ config, cwd }: Pick<SessionOptions, 'config' | 'cwd'>): string {
  return join(config, 'projects', projectSlug(realpathSync(cwd)));
}

function fork(
  options: SessionOptions,
  file: string,
  why: Forked['why'],
  { sessionId = randomUUID(), pid }: { sessionId?: string; pid?: number },
): Session {
  const from = sessionIdOf(file);
  const to = join(dirname(file), `${sessionId}.jsonl`);
  const link = why === 'unlinked' ? linkSession : copySession;
  link({ from: { file, sessionId: from }, to: { file: to, sessionId } });
  copyCheckpoints(options.config, from, sessionId);
  const opened = openFile(to);
  if (opened.isUnlinked) {
    rmSync(to);
    return fork(options, file, 'unlinked', { sessionId });
  }
  const forked = { from, to: sessionId, file: to, why, ...(pid !== undefined && { pid }) };
  options.onFork?.(forked);
  return begin(opened, options, forked);
}

function begin(opened: OpenedFile, options: SessionOptions, forked?: Forked): Session {
  const { config, cwd, version, now, write } = options;
  const { model, history } = opened;
  const registration = register(config, { sessionId: opened.sessionId, file: opened.file, cwd });
  const typed = (text: string, sessionId: string) =>
    remember(config, { text, sessionId, cwd, time: (now ?? Date.now)() });
  const transcript = createTranscript(opened, {
    cwd: options.where ?? (() => cwd),
    version,
    ...(now && { now }),
    ...(write && { write }),
    onTyped: typed,
    onFork: (fork) => {
      registration.rename(fork.to, fork.file);
      copyCheckpoints(config, fork.from, fork.to);
      options.onFork?.({ ...fork, why: 'foreign' });
    },
  });
  return {
    transcript,
    ...(forked && { forked }),
    ...(model !== undefined && { model }),
    history,
    rename: (title) => {
      transcript.line({ type: 'custom-title', customTitle: title });
      transcript.line({ type: 'agent-name', agentName: title });
    },
    typed: (text) => typed(text, transcript.sessionId),
    close: () => registration.close(),
  };
}

/** What a rewind of the fork brings back (L4). Without it all but the rewind works. */
function copyCheckpoints(config: string, from: string, to: string): void {
  const folder = copiesFolder(config, from);
  if (!existsSync(folder)) return;
  try {
    cpSync(folder, copiesFolder(config, to), { recursive: true, errorOnExist: false });
  } catch {
    // A copy that is missing is told when it is needed.
  }
}

/** L4: every prompt typed, for the client's own recall. Losing one is no reason to stop. */
function remember(config: string, typed: { text: string; sessionId: string; cwd: string; time: number }): void {
  const { text: display, sessionId, cwd: project, time: timestamp } = typed;
  const line = JSON.stringify({ display, pastedContents: {}, timestamp, project, sessionId });
  try {
    appendLines(join(config, 'history.jsonl'), [line]);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
}
