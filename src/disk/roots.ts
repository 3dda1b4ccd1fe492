/** Where to look for sessions (L1): the places given, else `$CLAUDE_CONFIG_DIR`, else `~/.claude`. A place given may be any level of the tree. */
import { basename, dirname, join, resolve } from 'node:path';
import type { Problem } from './errors.ts';
import { isFile, isFolder } from './filestate.ts';
import { type Item, listFolder, listNames, type Report, statItem } from './folder.ts';
import { type FolderFs, folderFs } from './io.ts';

/** config: holds `projects/` · projects: holds project folders · project: holds sessions · session: one file. */
export type RootKind = 'config' | 'projects' | 'project' | 'session';

export interface Root {
  readonly path: string;
  readonly kind: RootKind;
  /** The config root it belongs to, where the names tell: there lie file-history, todos and plans (L4). */
  readonly config?: string;
  readonly from: 'option' | 'env' | 'home';
  /** What was found there, for a person. */
  readonly what: string;
}

export interface RootsQuery {
  /** `--root` values. */
  readonly given?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly fs?: FolderFs;
}

export interface Roots {
  readonly roots: readonly Root[];
  /** Where was looked, whatever is there. */
  readonly places: readonly string[];
  readonly problems: readonly Problem[];
}

export function findRoots({ given = [], env, home, fs = folderFs }: RootsQuery): Roots {
  const problems: Problem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const places = placesOf(given, env, home).map(({ path, from }) => ({ path: resolve(expandHome(path, home)), from }));
  const roots = places.map(({ path, from }) => lookAt(fs, path, from, report));
  return { roots: roots.filter((root) => root !== undefined), places: places.map(({ path }) => path), problems };
}

/** Where the client itself would look: started from the same shell. */
export function clientConfig({ env, home }: Pick<RootsQuery, 'env' | 'home'>): string {
  return resolve(expandHome(placesOf([], env, home)[0]?.path ?? '', home));
}

function placesOf(given: readonly string[], env: RootsQuery['env'], home: string) {
  if (given.length > 0) return given.map((path) => ({ path, from: 'option' as const }));
  const configured = env.CLAUDE_CONFIG_DIR;
  // An empty variable is an unset one.
  return configured
    ? [{ path: configured, from: 'env' as const }]
    : [{ path: join(home, '.claude'), from: 'home' as const }];
}

/** `--root=~/x` and variables from files reach us without a shell's help. */
function expandHome(path: string, home: string): string {
  return /^~(?=$|[\\/])/.test(path) ? join(home, path.slice(1)) : path;
}

function lookAt(fs: FolderFs, path: string, from: Root['from'], report: Report): Root | undefined {
  const stat = statItem(fs, path, report);
  if (stat === undefined) return undefined;
  if (isFile(stat)) return { path, kind: 'session', config: configAbove(dirname(path)), from, what: 'one session' };
  if (!isFolder(stat)) {
    const next = 'Name a folder or a .jsonl file.';
    report({ kind: 'not-a-file', what: 'neither a file nor a folder', where: path, next });
    return undefined;
  }
  return lookInto(fs, path, from, report);
}

function lookInto(fs: FolderFs, path: string, from: Root['from'], report: Report): Root | undefined {
  const config: Root = { path, kind: 'config', config: path, from, what: 'a config root' };
  const listing = listNames(fs, path, report);
  if (listing === undefined) return undefined;
  // Mostly it is there, and what links lead to need not be looked at.
  if (hasFolder(listing.others, 'projects')) return config;
  const items = quietly(fs, path);
  if (hasFolder(items, 'projects')) return config;
  const inner = join(path, '.claude');
  if (hasFolder(items, '.claude') && hasFolder(quietly(fs, inner), 'projects')) {
    return { path: inner, kind: 'config', config: inner, from, what: 'a config root in the folder given' };
  }
  if (basename(path) === 'projects') {
    return { path, kind: 'projects', config: dirname(path), from, what: 'a folder of projects' };
  }
  const session = `${path}.jsonl`;
  if (hasFile(quietly(fs, dirname(path)), basename(session))) {
    return { path: session, kind: 'session', config: configAbove(dirname(path)), from, what: "one session's folder" };
  }
  const own = configAbove(path);
  const project: Root = { path, kind: 'project', config: own, from, what: 'a project folder' };
  if (holdsSessions(items)) return project;
  const below = items.filter((item) => item.type === 'folder').map((item) => quietly(fs, item.path));
  // Of a project in its place the sub-agents may be all that is left.
  if (below.some(holdsSessions)) return own ? project : { path, kind: 'projects', from, what: 'a folder of projects' };
  report({ kind: 'empty', what: 'no sessions here', where: path, next: 'Name another folder with --root.' });
  return { path, kind: 'config', config: path, from, what: 'a folder without sessions' };
}

/** A look ahead only: what is wrong there is told when the place is walked. */
function quietly(fs: FolderFs, folder: string): readonly Item[] {
  return listFolder(fs, folder, () => {});
}

function hasFolder(items: readonly Item[], name: string): boolean {
  return items.some((item) => item.name === name && item.type === 'folder');
}

function hasFile(items: readonly Item[], name: string): boolean {
  return items.some((item) => item.name === name && item.type === 'file');
}

/** `history.jsonl` of a config root holds prompts, not a session (L4). */
function holdsSessions(items: readonly Item[]): boolean {
  return (
    hasFolder(items, 'subagents') ||
    items.some((item) => item.type === 'file' && item.name.endsWith('.jsonl') && item.name !== 'history.jsonl')
  );
}

/** `<config>/projects/<slug>` gives `<config>`; any other place belongs to no config root. */
export function configAbove(project: string): string | undefined {
  const projects = dirname(project);
  return basename(projects) === 'projects' ? dirname(projects) : undefined;
}
