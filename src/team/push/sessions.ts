/** The archive's files by session: what is pushed together, with the names that the tables have for it. */
import { basename, dirname } from 'node:path/posix';
import type { ArchivedState } from '../../archive/files.ts';
import { agentIdOf, slugOf } from '../../archive/mount/mountfiles.ts';
import { asArray, asString, parseJson } from '../../format/json.ts';

/** A file that can be pushed. */
export interface PushFile {
  readonly state: ArchivedState;
  /** What it is known by here, whatever becomes of the archive. */
  readonly key: string;
  readonly session: string;
  /** Its path below the project's folder. */
  readonly name: string;
  readonly slug: string;
  readonly kind: string;
  /** Of an agent's transcript. */
  readonly agent: string;
  readonly isTranscript: boolean;
}

export interface PushSession {
  readonly id: string;
  /** The transcripts first, that of the session before those of its agents. */
  readonly files: readonly PushFile[];
}

/** Besides transcripts. What else lies around a session (checkpoints, todos, plans, typed prompts) stays here. */
const SMALL = new Set(['custom-title', 'agent-meta', 'tool-result']);

export function pushSessions(states: readonly ArchivedState[]): PushSession[] {
  const agents = new Map<string, string>();
  for (const state of states) {
    if (state.kind === 'agent' && state.session !== undefined) agents.set(placeOf(state, '.jsonl'), state.session);
  }
  const files = states.flatMap((state) => toFile(state, agents) ?? []);
  const newest = new Map<string, PushFile>();
  for (const file of files) {
    // Of one session in two folders of a machine the one that was last written to.
    const key = [file.state.origin, file.session, file.name].join('\0');
    const known = newest.get(key);
    if (known === undefined || isNewer(file, known)) newest.set(key, file);
  }
  return [...Map.groupBy(newest.values(), ({ session }) => session)].map(([id, own]) => ({
    id,
    files: own.toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1)),
  }));
}

function isNewer({ state: a }: PushFile, { state: b }: PushFile): boolean {
  return a.mtimeMs > b.mtimeMs || (a.mtimeMs === b.mtimeMs && a.size > b.size);
}

function rank({ kind }: PushFile): number {
  return kind === 'session' ? 0 : kind === 'agent' ? 1 : 2;
}

function toFile(state: ArchivedState, agents: ReadonlyMap<string, string>): PushFile | undefined {
  const { kind } = state;
  const isTranscript = kind === 'session' || kind === 'agent';
  if (!isTranscript && !SMALL.has(kind)) return undefined;
  // Older agents have their small file beside them, which does not say whose it is.
  const session = state.session ?? agents.get(placeOf(state, '.meta.json'));
  if (session === undefined || session === '') return undefined;
  const slug = slugOf({ ...state, session });
  return {
    state,
    key: JSON.stringify([state.origin, state.root, state.name]),
    session,
    name: nameBelow(state.name, slug),
    slug,
    kind,
    agent: kind === 'agent' ? agentIdOf(state) : '',
    isTranscript,
  };
}

/** An agent's name alone may be used in any project. */
function placeOf({ origin, root, name }: ArchivedState, end: string): string {
  return JSON.stringify([origin, root, dirname(name), basename(name, end)]);
}

/** The archive that first took the file of a key. */
export function originOf(key: string): string {
  return asString(asArray(parseJson(key))?.[0]) ?? '';
}

function nameBelow(name: string, slug: string): string {
  const parts = name.split('/');
  if (parts[0] === 'projects' && parts.length > 2) return parts.slice(2).join('/');
  const at = parts.indexOf(slug);
  return parts.slice(at >= 0 && at < parts.length - 1 ? at + 1 : 0).join('/');
}
