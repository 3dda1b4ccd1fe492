/** Finds every session and sub-agent of every layout (L1, L3, L6) by names alone: no transcript is opened. */
import { basename, dirname, join } from 'node:path';
import type { Problem } from './errors.ts';
import { attempt, compareText, type Item, listFolder, type Report, statItem } from './folder.ts';
import { type FolderFs, folderFs } from './io.ts';
import { parentSessionOf } from './parent.ts';
import type { Root } from './roots.ts';

/** A transcript on disk: a session, or a sub-agent's file of its own. Inline side chains (1.0.x) are part of their session. */
export interface SessionFile {
  readonly file: string;
  /** The path of the root it was found under. */
  readonly root: string;
  /** The name of the project folder; never decode it (L2). */
  readonly slug: string;
  /** The file's name without `.jsonl`; normally a uuid. */
  readonly sessionId: string;
  readonly kind: 'session' | 'agent';
  readonly agentId?: string;
  /** Known from the folder (from 2.1.5); for older layouts ask `parentSessionOf`. */
  readonly parentSessionId?: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly metaFile?: string;
  /** Not on disk: its bytes come from the archive or from a team, or it is made of what `history.jsonl` kept. */
  readonly source?: 'archive' | 'history' | 'team';
}

export interface ProjectFolder {
  readonly folder: string;
  readonly root: string;
  readonly slug: string;
}

export interface Found {
  /** In the order of the roots, then of the paths. */
  readonly files: readonly SessionFile[];
  /** The project folders that were walked. */
  readonly folders: readonly ProjectFolder[];
  readonly problems: readonly Problem[];
}

interface Walk {
  readonly fs: FolderFs;
  readonly files: SessionFile[];
  readonly folders: ProjectFolder[];
  readonly report: Report;
  readonly seen: Seen;
}

interface Seen {
  /** Real path → the path it was first reached by, of folders and files. */
  readonly paths: Map<string, string>;
  /** Files that are not among them yet: in a folder that is walked once only a link can lead to one again. */
  readonly plain: Item[];
  /** Whether there was none. */
  noLinks: boolean;
}

interface Place {
  readonly root: string;
  readonly slug: string;
  readonly parentSessionId?: string;
}

/** Agents' folders nest; a tree deeper than this is not a transcript's. */
const MAX_DEPTH = 8;

export function findSessions(roots: readonly Root[], options: { fs?: FolderFs } = {}): Found {
  const problems: Problem[] = [];
  const folders: ProjectFolder[] = [];
  // A session given by its path lies in a folder that may be walked too.
  const noLinks = roots.every(({ kind }) => kind !== 'session');
  const seen: Seen = { paths: new Map(), plain: [], noLinks };
  const files = roots.flatMap((root) => {
    const found: SessionFile[] = [];
    const report: Report = (problem) => problems.push(problem);
    walkRoot({ fs: options.fs ?? folderFs, files: found, folders, report, seen }, root);
    // A session given by its path comes before its agents.
    return root.kind === 'session' ? found : found.sort((a, b) => compareText(a.file, b.file));
  });
  return { files, folders, problems };
}

function walkRoot(walk: Walk, { kind, path }: Root): void {
  if (kind === 'session') walkSession(walk, path);
  else if (kind === 'project') walkProject(walk, path, { root: path, slug: basename(path) });
  else if (kind === 'projects') walkProjects(walk, path, path);
  // Noting the config root keeps a link back to it from being walked as a project.
  else if (isFirstVisit(walk, path)) walkConfig(walk, path);
}

/** That there are no projects was told when the root was looked at. */
function walkConfig(walk: Walk, config: string): void {
  const folder = join(config, 'projects');
  const report: Report = (problem) => {
    if (problem.where !== folder || problem.kind !== 'missing') walk.report(problem);
  };
  walkProjects({ ...walk, report }, folder, config);
}

function walkProjects(walk: Walk, folder: string, root: string): void {
  for (const item of enter(walk, folder)) {
    if (item.type === 'folder') walkProject(walk, item.path, { root, slug: item.name });
    else if (isTranscript(item)) addTranscript(walk, item, { root, slug: '' }, new Map());
  }
}

function walkProject(walk: Walk, folder: string, place: Place): void {
  const items = enter(walk, folder);
  const metas = metasIn(items);
  if (items.length > 0) walk.folders.push({ folder, root: place.root, slug: place.slug });
  for (const item of items) {
    if (isTranscript(item)) addTranscript(walk, item, place, metas);
    else if (item.type !== 'folder') continue;
    else if (item.name === 'subagents') walkAgents(walk, item.path, place, 0);
    else walkAgentsOf(walk, item.path, { ...place, parentSessionId: item.name });
  }
}

/** One session given by its path: its own agents too, also those that lie beside it, which only their entries tell apart (L3). */
function walkSession(walk: Walk, file: string): void {
  const folder = dirname(file);
  const place = placeOf(file);
  const items = listFolder(walk.fs, folder, () => {});
  const self = items.find((item) => item.name === basename(file));
  if (self === undefined) return;
  const metas = metasIn(items);
  addTranscript(walk, self, place, metas);
  if (agentIdOf(self.name) !== undefined) return;
  const sessionId = sessionIdOf(self.name);
  for (const item of items) {
    const agents = { ...place, parentSessionId: sessionId };
    if (item.name === sessionId && item.type === 'folder') walkAgentsOf(walk, item.path, agents);
    else if (isTranscript(item) && agentIdOf(item.name) !== undefined) {
      if (parentSessionOf(item.path, walk.report) === sessionId) addTranscript(walk, item, agents, metas);
    }
  }
}

/** What the folders above a file say of it. */
function placeOf(file: string): Place {
  const folder = dirname(file);
  if (basename(folder) !== 'subagents') return { root: file, slug: basename(folder) };
  const above = dirname(folder);
  // `projects/<slug>/subagents` has no session between (L3).
  if (basename(dirname(above)) === 'projects') return { root: file, slug: basename(above) };
  return { root: file, slug: basename(dirname(above)), parentSessionId: basename(above) };
}

function walkAgentsOf(walk: Walk, sessionFolder: string, place: Place): void {
  const items = listFolder(walk.fs, sessionFolder, walk.report);
  const agents = items.find(({ name, type }) => name === 'subagents' && type === 'folder');
  if (agents !== undefined) walkAgents(walk, agents.path, place, 0);
}

function walkAgents(walk: Walk, folder: string, place: Place, depth: number): void {
  const items = enter(walk, folder);
  const metas = metasIn(items);
  for (const item of items) {
    if (item.type === 'folder' && depth < MAX_DEPTH) walkAgents(walk, item.path, place, depth + 1);
    else if (isTranscript(item) && agentIdOf(item.name) !== undefined) addTranscript(walk, item, place, metas);
  }
}

/** What is told of sub-agents, by name: the path. */
type Metas = ReadonlyMap<string, string>;

function metasIn(items: readonly Item[]): Metas {
  const metas = new Map<string, string>();
  for (const { name, type, path } of items) if (type === 'file' && name.endsWith('.meta.json')) metas.set(name, path);
  return metas;
}

/** Lists a folder the first time it is reached; a second time is told and gives nothing, so circles end. */
function enter(walk: Walk, folder: string): readonly Item[] {
  return isFirstVisit(walk, folder) ? listFolder(walk.fs, folder, walk.report) : [];
}

function isFirstVisit(walk: Walk, folder: string): boolean {
  const real = attempt(() => walk.fs.realPath(folder), folder, walk.report);
  return real !== undefined && isFirst(walk, folder, real);
}

function isFirst(walk: Walk, path: string, real: string): boolean {
  const first = walk.seen.paths.get(real);
  if (first === undefined) {
    walk.seen.paths.set(real, path);
    return true;
  }
  const next = 'Nothing is lost; remove the link or the --root to be rid of this note.';
  walk.report({ kind: 'twice', what: `the same as ${first}, listed once`, where: path, next });
  return false;
}

/** Of thousands of files there is mostly no link to any: then none needs to be noted by its name. */
function isFirstFile(walk: Walk, item: Item): boolean {
  const { seen } = walk;
  if (seen.noLinks && !item.linked) {
    seen.plain.push(item);
    return true;
  }
  seen.noLinks = false;
  for (const { real, path } of seen.plain.splice(0)) seen.paths.set(real, path);
  return isFirst(walk, item.path, item.real);
}

function addTranscript(walk: Walk, item: Item, place: Place, metas: Metas): void {
  if (item.type !== 'file') {
    const next = 'Rename it or move it away if it is not a session.';
    walk.report({ kind: 'not-a-file', what: 'named like a session, but not a file', where: item.path, next });
    return;
  }
  const stat = isFirstFile(walk, item) ? statItem(walk.fs, item.path, walk.report) : undefined;
  if (stat === undefined) return;
  const agentId = agentIdOf(item.name);
  walk.files.push({
    file: item.path,
    root: place.root,
    slug: place.slug,
    sessionId: sessionIdOf(item.name),
    kind: agentId === undefined ? 'session' : 'agent',
    agentId,
    parentSessionId: agentId === undefined ? undefined : place.parentSessionId,
    bytes: stat.size,
    mtimeMs: stat.mtimeMs,
    metaFile: agentId && metas.get(`agent-${agentId}.meta.json`),
  });
}

function isTranscript(item: Item): boolean {
  return item.name.endsWith('.jsonl');
}

function sessionIdOf(name: string): string {
  return name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : name;
}

function agentIdOf(name: string): string | undefined {
  if (!name.startsWith('agent-')) return undefined;
  return /^agent-(.+)\.jsonl$/.exec(name)?.[1];
}
