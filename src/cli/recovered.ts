/** Chats of which only the prompts are left, in `history.jsonl` on disk and in the archive (L4). */
import { dirname, join } from 'node:path';
import type { ForgottenSpan } from '../archive/forget/forgottenspans.ts';
import {
  logOf,
  NEAR_MS,
  type RecoveredChat,
  recoverChats,
  type TypedPrompt,
  toPrompt,
} from '../archive/mount/history.ts';
import { DiskError } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { isFileAt, isOnDisk, type MountedFile, memoryFile, mountFile, statOnDisk } from '../disk/mounts.ts';
import { readParsedEntriesOf } from '../disk/read.ts';
import type { Root } from '../disk/roots.ts';
import { firstTimeOf, lastTimeOf } from '../disk/tail.ts';
import { splitLines } from '../format/lines.ts';
import { memorySource, readParsedEntries } from '../format/session.ts';
import { projectSlug } from '../format/slug.ts';
import type { Known } from '../store/store.ts';
import type { Kept } from './kept.ts';

export interface RecoverQuery {
  readonly roots: readonly Root[];
  /** On disk and archived. */
  readonly sessions: readonly SessionFile[];
  readonly kept: Kept | undefined;
  readonly known: Known;
}

/** Mounted where their transcripts would lie. What a session holds is not told again. */
export function recoverFromHistory({ roots, sessions, kept, known }: RecoverQuery): SessionFile[] {
  const ids = new Set(sessions.map(({ sessionId }) => sessionId));
  const isHeld = heldBy(sessions, known, kept?.archive.forgottenSpans() ?? []);
  const isNews = ({ sessionId, project, time }: TypedPrompt) =>
    sessionId === undefined
      ? !isHeld(project, time)
      : !ids.has(sessionId) && kept?.archive.isForgotten(sessionId) !== true;
  return historiesOf(roots, kept).flatMap((history) => {
    const chats = recoverChats(promptsIn(history, kept).filter(isNews));
    return chats.flatMap((chat) => mountChat(history, chat, roots) ?? []);
  });
}

/** One of a whole config folder; the projects alone are not all that its history tells of. */
function historiesOf(roots: readonly Root[], kept: Kept | undefined): string[] {
  const live = roots.flatMap(({ kind, config }) =>
    config !== undefined && (kind === 'config' || kind === 'projects') ? [join(config, 'history.jsonl')] : [],
  );
  const archived = [...(kept?.files.values() ?? [])].flatMap(({ path, state }) =>
    state.kind === 'history' ? path : [],
  );
  return [...new Set([...live, ...archived])];
}

/** Of the file as it is, of what the archive last saw where that is something else, and of earlier states. */
function promptsIn(history: string, kept: Kept | undefined): TypedPrompt[] {
  const now = isFileAt(history) ? fromFile(history) : [];
  const file = kept?.files.get(history);
  if (kept === undefined || file === undefined) return now;
  const stat = statOnDisk(history);
  const isOther = stat !== undefined && (stat.size !== file.state.sourceSize || stat.mtimeMs !== file.state.mtimeMs);
  const copies = [...kept.archive.earlier(file), ...(isOther ? [kept.archive.mount(file)] : [])];
  return [...copies.flatMap((copy) => fromCopy(history, copy)), ...now];
}

function fromFile(history: string): TypedPrompt[] {
  try {
    return [...readParsedEntriesOf(history)].flatMap(({ json }) => toPrompt(json) ?? []);
  } catch (error) {
    // The sessions can be read all the same.
    if (error instanceof DiskError) return [];
    throw error;
  }
}

function fromCopy(name: string, copy: MountedFile | undefined): TypedPrompt[] {
  if (copy === undefined) return [];
  try {
    const bytes = copy.open().read(0, copy.bytes);
    return [...readParsedEntries(memorySource(name, bytes), splitLines([bytes]))].flatMap(
      ({ json }) => toPrompt(json) ?? [],
    );
  } catch (error) {
    if (error instanceof DiskError) return [];
    throw error;
  }
}

function mountChat(history: string, chat: RecoveredChat, roots: readonly Root[]): SessionFile | undefined {
  const slug = projectSlug(chat.project ?? '');
  const config = dirname(history);
  const file = join(config, 'projects', slug, `${chat.sessionId}.jsonl`);
  if (isOnDisk(file)) return undefined;
  const log = logOf(chat);
  mountFile(
    file,
    memoryFile(log.length, () => log),
  );
  return {
    file,
    root: roots.find((root) => root.config === config)?.path ?? config,
    slug,
    sessionId: chat.sessionId,
    kind: 'session',
    bytes: log.length,
    mtimeMs: chat.prompts.at(-1)?.time ?? 0,
    source: 'history',
  };
}

/** Old lines name no session: one of the project that was going on at that time holds the prompt, or held it. */
function heldBy(
  sessions: readonly SessionFile[],
  known: Known,
  forgotten: readonly ForgottenSpan[],
): (project: string | undefined, time: number | undefined) => boolean {
  const bySlug = Map.groupBy(
    sessions.filter(({ kind, bytes }) => kind === 'session' && bytes > 0),
    ({ slug }) => slug,
  );
  const spans = new Map<string, readonly (readonly [number, number])[]>();
  return (project, time) => {
    if (project === undefined || time === undefined) return false;
    const slug = projectSlug(project);
    const own = spans.get(slug) ?? [
      ...(bySlug.get(slug) ?? []).map((file) => spanOf(file, known)),
      ...forgotten.flatMap((span) => (span.slug === slug ? [[span.first, span.last] as const] : [])),
    ];
    spans.set(slug, own);
    return own.some(([from, to]) => time >= from - NEAR_MS && time <= to + NEAR_MS);
  };
}

function spanOf(file: SessionFile, known: Known): readonly [number, number] {
  const said = known.updatedOf(file) ?? (file.source === 'archive' ? undefined : lastTimeOf(file.file));
  const to = said ?? file.mtimeMs;
  return [firstTimeOf(file.file) ?? to, to];
}
