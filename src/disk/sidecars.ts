/** What lies around sessions (L4): outputs too large for the transcript, titles, checkpoints, todos, plans, typed prompts. */
import { basename, dirname, join, sep } from 'node:path';
import { asNumber, asString, isObject, type JsonObject, parseJson } from '../format/json.ts';
import { decode } from '../format/text.ts';
import type { Problem } from './errors.ts';
import type { Found, SessionFile } from './find.ts';
import { attempt, compareText, type Item, listFolder, type Report, statItem } from './folder.ts';
import { type FolderFs, folderFs } from './io.ts';
import type { Root } from './roots.ts';
import { fileSource } from './source.ts';

export type SidecarKind =
  | 'tool-result'
  | 'custom-title'
  | 'agent-meta'
  | 'file-history'
  | 'todo'
  | 'plan'
  | 'history'
  | 'sessions-index'
  /** Anything else in a session's folder. */
  | 'other';

export interface Sidecar {
  readonly kind: SidecarKind;
  readonly file: string;
  /** Whose it is; missing for what belongs to a project or to the whole root. */
  readonly sessionId?: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

export interface Sidecars {
  readonly files: readonly Sidecar[];
  readonly problems: readonly Problem[];
}

interface Gather {
  readonly fs: FolderFs;
  readonly files: Map<string, Sidecar>;
  readonly report: Report;
}

const MAX_DEPTH = 8;

/** The sidecars of what was found. A root that is one project or one session gives only what belongs to its sessions. */
export function findSidecars(roots: readonly Root[], found: Found, options: { fs?: FolderFs } = {}): Sidecars {
  const problems: Problem[] = [];
  const files = new Map<string, Sidecar>();
  const gather: Gather = { fs: options.fs ?? folderFs, files, report: (problem) => problems.push(problem) };
  for (const { folder } of found.folders) gatherProject(gather, folder);
  // The folders of sessions in a project that was walked are among the project's own.
  const walked = new Set(found.folders.map(({ folder }) => folder));
  for (const session of found.files) {
    if (session.kind === 'session' && !walked.has(above(session.file))) gatherSession(gather, folderOf(session));
  }
  for (const root of roots) {
    if (root.config === undefined) continue;
    const whole = root.kind === 'config' || root.kind === 'projects';
    gatherConfig(gather, root.config, whole ? undefined : sessionIdsUnder(root, found));
  }
  return { files: [...files.values()].sort((a, b) => compareText(a.file, b.file)), problems };
}

/** As `dirname`, of a path that was put together of a folder and a name: it would look at every character of thousands. */
function above(file: string): string {
  return file.slice(0, file.lastIndexOf(sep));
}

/** The folder beside a session that holds its agents and large outputs; it may not exist. */
export function folderOf(session: SessionFile): string {
  return join(dirname(session.file), session.sessionId);
}

function sessionIdsUnder(root: Root, found: Found): ReadonlySet<string> {
  return new Set(found.files.filter((file) => file.root === root.path).map((file) => file.sessionId));
}

/** Folders of sessions that are gone count too: the client deletes the transcript first (L5). */
function gatherProject(gather: Gather, folder: string): void {
  for (const item of listFolder(gather.fs, folder, gather.report)) {
    if (item.type === 'folder') {
      if (item.name === 'subagents') gatherMetas(gather, item.path, 0);
      else gatherSession(gather, item.path);
    } else if (item.name === 'sessions-index.json') add(gather, item, 'sessions-index');
    else if (item.name.endsWith('.meta.json')) add(gather, item, 'agent-meta');
  }
}

/** Agents of a whole project: theirs are transcripts, which are found by themselves, and what is told of them. */
function gatherMetas(gather: Gather, folder: string, depth: number): void {
  for (const item of listFolder(gather.fs, folder, gather.report)) {
    if (item.type === 'folder' && !item.linked && depth < MAX_DEPTH) gatherMetas(gather, item.path, depth + 1);
    else if (item.name.endsWith('.meta.json')) add(gather, item, 'agent-meta');
  }
}

function gatherSession(gather: Gather, folder: string): void {
  const items = listIfThere(gather, folder);
  if (!items.some(({ name }) => SESSION_FOLDER.has(name))) return;
  gatherTree(gather, items, basename(folder), 'other', 0);
}

/** Only a folder with one of these is a session's: others, such as notes beside the sessions, are left alone. */
const SESSION_FOLDER: ReadonlySet<string> = new Set(['subagents', 'tool-results', 'custom-title.json']);

function gatherTree(
  gather: Gather,
  items: readonly Item[],
  sessionId: string | undefined,
  kind: SidecarKind,
  depth: number,
  ofAgents = false,
): void {
  for (const item of items) {
    if (item.type === 'folder') {
      // Links to folders are not followed: they may lead anywhere.
      if (item.linked || depth >= MAX_DEPTH) continue;
      const inner = item.name === 'tool-results' ? 'tool-result' : kind;
      const within = listFolder(gather.fs, item.path, gather.report);
      gatherTree(gather, within, sessionId, inner, depth + 1, ofAgents || (depth === 0 && item.name === 'subagents'));
    } else if (item.name === 'custom-title.json') add(gather, item, 'custom-title', sessionId);
    else if (item.name.endsWith('.meta.json')) add(gather, item, 'agent-meta', sessionId);
    // Where agents lie these are transcripts, which are found by themselves.
    else if (!ofAgents || !/^agent-.+\.jsonl$/.test(item.name)) add(gather, item, kind, sessionId);
  }
}

function gatherConfig(gather: Gather, config: string, only: ReadonlySet<string> | undefined): void {
  for (const item of listIfThere(gather, join(config, 'file-history'))) {
    if (item.type !== 'folder' || (only && !only.has(item.name))) continue;
    gatherTree(gather, listFolder(gather.fs, item.path, gather.report), item.name, 'file-history', 0);
  }
  for (const item of listIfThere(gather, join(config, 'todos'))) {
    const sessionId = /^(.+?)(?:-agent-.+)?\.json$/.exec(item.name)?.[1];
    if (sessionId !== undefined && (!only || only.has(sessionId))) add(gather, item, 'todo', sessionId);
  }
  if (only !== undefined) return;
  gatherTree(gather, listIfThere(gather, join(config, 'plans')), undefined, 'plan', 0);
  for (const item of listFolder(gather.fs, config, () => {})) {
    if (item.name === 'history.jsonl') add(gather, item, 'history');
  }
}

/** Most of these folders do not exist: that is no problem. */
function listIfThere(gather: Gather, folder: string): readonly Item[] {
  return listFolder(gather.fs, folder, (problem) => {
    if (problem.where !== folder || problem.code !== 'ENOENT') gather.report(problem);
  });
}

function add(gather: Gather, item: Item, kind: SidecarKind, sessionId?: string): void {
  if (item.type !== 'file' || gather.files.has(item.path)) return;
  const stat = statItem(gather.fs, item.path, gather.report);
  if (stat === undefined) return;
  const owner = sessionId === undefined ? {} : { sessionId };
  gather.files.set(item.path, { kind, file: item.path, ...owner, bytes: stat.size, mtimeMs: stat.mtimeMs });
}

/** What the client writes beside a sub-agent's transcript (from 2.1.80, L3). */
export interface AgentMeta {
  readonly toolUseId?: string;
  readonly agentType?: string;
  readonly spawnDepth?: number;
  readonly parentAgentId?: string;
  readonly raw: JsonObject;
}

/** undefined when there is none, or none that can be read: an agent is attached by other means then. */
export function agentMetaOf(agent: SessionFile, report: Report = () => {}): AgentMeta | undefined {
  const raw = agent.metaFile === undefined ? undefined : readJsonObject(agent.metaFile, report);
  return (
    raw && {
      toolUseId: asString(raw.toolUseId),
      agentType: asString(raw.agentType),
      spawnDepth: asNumber(raw.spawnDepth),
      parentAgentId: asString(raw.parentAgentId),
      raw,
    }
  );
}

/** A small JSON file that holds an object; some editors begin a file with a byte order mark. */
export function readJsonObject(file: string, report: Report = () => {}): JsonObject | undefined {
  const text = attempt(() => readText(file), file, report);
  const value = text === undefined ? undefined : parseJson(text.replace(/^\uFEFF/, ''));
  if (isObject(value)) return value;
  if (text !== undefined) {
    report({ kind: 'unreadable', what: 'not a JSON object', where: file, next: 'It is passed over.' });
  }
  return undefined;
}

function readText(file: string): string {
  const source = fileSource(file);
  try {
    return decode(source.read(0, source.size()));
  } finally {
    source.close();
  }
}
