/** Finds every session and sub-agent of every layout (L1, L3, L6) by names alone: no transcript is opened. */
import { basename, dirname, join } from 'node:path';
import { lazy } from '../format/lazy.ts';
import type { Problem } from './errors.ts';
import {
  attempt,
  compareText,
  eachInOrder,
  followLinks,
  type Item,
  type Listing,
  listFolder,
  listNames,
  type Report,
  statItem,
  withSlash,
} from './folder.ts';
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

export interface FindOptions {
  readonly fs?: FolderFs;
  /** Of transcripts in a folder those that need be told of: of thousands mostly none. `folder` ends with a slash; asked in the order of paths. */
  readonly unknownIn?: UnknownIn;
}

type UnknownIn = (folder: string, names: readonly string[]) => readonly string[];

interface Walk {
  readonly fs: FolderFs;
  readonly unknownIn: UnknownIn | undefined;
  /** It is asked once for all files of a folder that follow each other, and nothing is done for each. */
  readonly byFolder: boolean;
  readonly files: SessionFile[];
  readonly folders: ProjectFolder[];
  readonly report: Report;
  readonly seen: Seen;
}

interface Seen {
  /** Real path → the path it was first reached by, of folders and files. */
  readonly paths: Map<string, string>;
  /** Folders whose files are not among them yet: in a folder that is walked once only a link can lead to one again. */
  readonly walked: Walked[];
  /** Whether there was no link to a file. */
  noLinks: boolean;
  /** Whether all were reached in the order of their paths: what links lead to comes after the rest of its folder. */
  inOrder: boolean;
}

interface Walked {
  readonly listing: Listing;
  readonly isWanted: (name: string) => boolean;
  /** Its files before this were visited; all of them without it. */
  reached: string | undefined;
}

interface Place {
  readonly root: string;
  readonly slug: string;
  readonly parentSessionId?: string;
}

/** Agents' folders nest; a tree deeper than this is not a transcript's. */
const MAX_DEPTH = 8;

export function findSessions(roots: readonly Root[], options: FindOptions = {}): Found {
  // A session given by its path lies in a folder that may be walked too.
  const noLinks = roots.every(({ kind }) => kind !== 'session');
  const byFolder = noLinks && options.unknownIn !== undefined;
  const { noLinks: hadNone, ...found } = walkAll(roots, options, noLinks, byFolder);
  // Where a link leads to a file, each file is asked whether it was reached before, the known ones too.
  return byFolder && !hadNone ? walkAll(roots, options, noLinks, false) : found;
}

function walkAll(
  roots: readonly Root[],
  { fs = folderFs, unknownIn }: FindOptions,
  noLinks: boolean,
  byFolder: boolean,
): Found & Pick<Seen, 'noLinks'> {
  const problems: Problem[] = [];
  const folders: ProjectFolder[] = [];
  const seen: Seen = { paths: new Map(), walked: [], noLinks, inOrder: true };
  const files = roots.flatMap((root) => {
    const found: SessionFile[] = [];
    const report: Report = (problem) => problems.push(problem);
    walkRoot({ fs, unknownIn, byFolder, files: found, folders, report, seen }, root);
    // A session given by its path comes before its agents.
    return seen.inOrder || root.kind === 'session' ? found : found.sort((a, b) => compareText(a.file, b.file));
  });
  return { files, folders, problems, noLinks: seen.noLinks };
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
  const listing = enter(walk, folder);
  if (listing === undefined) return;
  const visit = visitor(walk, listing, { root, slug: '' }, isTranscript);
  visit.each((item) => {
    if (item.type === 'folder') walkProject(walk, item.path, { root, slug: item.name }, item.real);
    else if (isTranscript(item.name)) visit.add(item);
  });
}

function walkProject(walk: Walk, folder: string, place: Place, real?: string): void {
  const listing = enter(walk, folder, real);
  if (listing === undefined) return;
  const visit = visitor(walk, listing, place, isTranscript);
  if (!visit.isEmpty) walk.folders.push({ folder, root: place.root, slug: place.slug });
  visit.each((item) => {
    if (isTranscript(item.name)) visit.add(item);
    else if (item.type !== 'folder') return;
    else if (item.name === 'subagents') walkAgents(walk, item, place, 0);
    else walkAgentsOf(walk, item, { ...place, parentSessionId: item.name });
  });
}

/** One session given by its path: its own agents too, also those that lie beside it, which only their entries tell apart (L3). */
function walkSession(walk: Walk, file: string): void {
  const folder = dirname(file);
  const place = placeOf(file);
  const items = listFolder(walk.fs, folder, () => {});
  const self = items.find((item) => item.name === basename(file));
  if (self === undefined) return;
  const metas = lazy(() => metasIn(items));
  addTranscript(walk, self, place, metas);
  if (agentIdOf(self.name) !== undefined) return;
  const sessionId = sessionIdOf(self.name);
  for (const item of items) {
    const agents = { ...place, parentSessionId: sessionId };
    if (item.name === sessionId && item.type === 'folder') walkAgentsOf(walk, item, agents);
    else if (isTranscript(item.name) && agentIdOf(item.name) !== undefined) {
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

function walkAgentsOf(walk: Walk, { path, real }: Item, place: Place): void {
  const listing = listNames(walk.fs, path, walk.report, real);
  if (listing === undefined) return;
  const items = [...listing.others, ...linkedIn(walk, listing)];
  const agents = items.find(({ name, type }) => name === 'subagents' && type === 'folder');
  if (agents !== undefined) walkAgents(walk, agents, place, 0);
}

function walkAgents(walk: Walk, { path, real }: Item, place: Place, depth: number): void {
  const listing = enter(walk, path, real);
  if (listing === undefined) return;
  const isAgent = (name: string) => isTranscript(name) && agentIdOf(name) !== undefined;
  const visit = visitor(walk, listing, place, isAgent);
  visit.each((item) => {
    if (item.type === 'folder' && depth < MAX_DEPTH) walkAgents(walk, item, place, depth + 1);
    else if (isAgent(item.name)) visit.add(item);
  });
}

function linkedIn({ fs, report, seen }: Walk, listing: Listing): Item[] {
  const linked = followLinks(fs, listing, report);
  if (linked.length > 0) seen.inOrder = false;
  return linked;
}

interface Visitor {
  /** Links to nothing are nothing. */
  readonly isEmpty: boolean;
  /** Adds the files that are wanted, and hands on what is no file of this folder, in the order of paths; what links lead to comes last. */
  each(onOther: (item: Item) => void): void;
  add(item: Item): void;
}

function visitor(walk: Walk, listing: Listing, place: Place, isWanted: Walked['isWanted']): Visitor {
  const linked = linkedIn(walk, listing);
  const metas = lazy(() => metasOf(listing, linked));
  return {
    isEmpty: listing.files.length + listing.others.length + linked.length === 0,
    each(onOther) {
      const walked: Walked = { listing, isWanted, reached: '' };
      walk.seen.walked.push(walked);
      const wanted = listing.files.filter(isWanted);
      const onFiles = (names: readonly string[]) => {
        const unknown = (walk.byFolder && walk.unknownIn?.(listing.at, names)) || names;
        for (const name of unknown) addFile(walk, listing, name, place, metas);
      };
      eachInOrder({ files: wanted, others: listing.others }, onFiles, (item) => {
        walked.reached = withSlash(item.name);
        onOther(item);
      });
      walked.reached = undefined;
      for (const item of linked) onOther(item);
    },
    add: (item) => addTranscript(walk, item, place, metas),
  };
}

/** What is told of sub-agents, by name: the path. Looked for where there is one. */
type Metas = () => ReadonlyMap<string, string>;

const META = '.meta.json';

function metasOf({ at, files }: Listing, linked: readonly Item[]): ReadonlyMap<string, string> {
  const metas = new Map(metasIn(linked));
  for (const name of files) if (name.endsWith(META)) metas.set(name, at + name);
  return metas;
}

function metasIn(items: readonly Item[]): ReadonlyMap<string, string> {
  const metas = new Map<string, string>();
  for (const { name, type, path } of items) if (type === 'file' && name.endsWith(META)) metas.set(name, path);
  return metas;
}

/** Lists a folder the first time it is reached; a second time is told and gives nothing, so circles end. */
function enter(walk: Walk, folder: string, known?: string): Listing | undefined {
  const real = known ?? attempt(() => walk.fs.realPath(folder), folder, walk.report);
  if (real === undefined || !isFirst(walk, folder, real)) return undefined;
  return listNames(walk.fs, folder, walk.report, real);
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
function noteFiles({ seen }: Walk): void {
  seen.noLinks = false;
  for (const { listing, isWanted, reached } of seen.walked.splice(0)) {
    for (const name of listing.files) {
      if (isWanted(name) && (reached === undefined || name < reached))
        seen.paths.set(listing.realAt + name, listing.at + name);
    }
  }
}

function addFile(walk: Walk, { at, realAt }: Listing, name: string, place: Place, metas: Metas): void {
  const path = at + name;
  if (walk.seen.noLinks || isFirst(walk, path, realAt + name)) add(walk, path, at, name, place, metas);
}

/** Something that is named like a transcript. */
function addTranscript(walk: Walk, { type, path, real, name }: Item, place: Place, metas: Metas): void {
  if (type !== 'file') {
    const next = 'Rename it or move it away if it is not a session.';
    walk.report({ kind: 'not-a-file', what: 'named like a session, but not a file', where: path, next });
    return;
  }
  if (walk.seen.noLinks) noteFiles(walk);
  if (isFirst(walk, path, real)) add(walk, path, path.slice(0, -name.length), name, place, metas);
}

function add(walk: Walk, path: string, at: string, name: string, place: Place, metas: Metas): void {
  if (!walk.byFolder && walk.unknownIn?.(at, [name]).length === 0) return;
  const stat = statItem(walk.fs, path, walk.report);
  if (stat === undefined) return;
  const agentId = agentIdOf(name);
  walk.files.push({
    file: path,
    root: place.root,
    slug: place.slug,
    sessionId: sessionIdOf(name),
    kind: agentId === undefined ? 'session' : 'agent',
    agentId,
    parentSessionId: agentId === undefined ? undefined : place.parentSessionId,
    bytes: stat.size,
    mtimeMs: stat.mtimeMs,
    metaFile: agentId && metas().get(`agent-${agentId}.meta.json`),
  });
}

function isTranscript(name: string): boolean {
  return name.endsWith('.jsonl');
}

function sessionIdOf(name: string): string {
  return name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : name;
}

function agentIdOf(name: string): string | undefined {
  if (!name.startsWith('agent-')) return undefined;
  return /^agent-(.+)\.jsonl$/.exec(name)?.[1];
}
