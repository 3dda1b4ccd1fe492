/**
 * After how many days without a change the client deletes a session (L5), as its settings say. They are those of the folder it is started
 * in, a project's own before the person's, and what it then deletes are sessions of all projects.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { codeOf } from '../disk/errors.ts';
import { findSessions, type SessionFile } from '../disk/find.ts';
import { gitTop } from '../disk/gittop.ts';
import { managedFiles } from '../disk/managed.ts';
import { projectOf } from '../disk/project.ts';
import type { Root } from '../disk/roots.ts';
import { asNumber, isObject, type Json } from '../format/json.ts';

export interface Cleanup {
  readonly settings: string;
  readonly days: number;
  /**
   * Whether the settings say so, or those of a project (`local`: the ones that are not shared), or those of whoever manages the machine,
   * or the client's default holds: nothing is said, or it cannot be read.
   */
  readonly from: 'settings' | 'project' | 'local' | 'managed' | 'default' | 'unreadable';
}

const DEFAULT_DAYS = 30;
export const DAY_MS = 86_400_000;

/** The soonest, by the config folder. `managed`: what holds before all others, the strongest first. */
export function cleanupOf(config: string, managed = managedFiles()): Cleanup {
  for (const settings of managed) {
    const days = daysIn(settings);
    if (typeof days === 'number') return { settings, days, from: 'managed' };
  }
  let soonest = ofPerson(config);
  for (const folder of projectFolders(config)) {
    const found = ofProject(folder, config);
    if (found !== undefined && found.days < soonest.days) soonest = found;
  }
  return soonest;
}

function ofPerson(config: string): Cleanup {
  const settings = join(config, 'settings.json');
  const days = daysIn(settings);
  return typeof days === 'number' ? { settings, days, from: 'settings' } : { settings, days: DEFAULT_DAYS, from: days };
}

/** What holds where the client is started in the folder of a project; undefined where its settings leave it to the person's. */
function ofProject(folder: string, config: string): Cleanup | undefined {
  const tops = [...new Set([gitTop(folder) ?? folder, folder])];
  const places = [
    ...tops.map((top) => ({ top, name: 'settings.local.json', from: 'local' as const })),
    { top: folder, name: 'settings.json', from: 'project' as const },
  ];
  for (const { top, name, from } of places) {
    const settings = join(top, '.claude', name);
    // The home folder as a project: its settings are the person's.
    const days = settings === join(config, 'settings.json') ? undefined : daysIn(settings);
    if (typeof days === 'number') return { settings, days, from };
  }
  return undefined;
}

/** Some sessions hold no entries that tell where they were; others of the folder mostly do. */
const MOST_TRIED = 4;
const MOST_READ = 256 << 10;

/** Where the sessions of a config folder were begun, as far as they tell. */
function projectFolders(config: string): string[] {
  const root: Root = { path: config, kind: 'config', config, from: 'option', what: '' };
  const sessions = findSessions([root]).files.filter(({ kind }) => kind === 'session');
  const folders = [...Map.groupBy(sessions, ({ slug }) => slug).values()].flatMap((files) => {
    const projects = files.slice(0, MOST_TRIED).map(folderOf);
    return projects.find((folder) => folder !== undefined) ?? [];
  });
  return [...new Set(folders)];
}

/** What cannot be read is told by whoever reads all of it. */
function folderOf(session: SessionFile): string | undefined {
  try {
    const { path, from } = projectOf(session, { maxBytes: MOST_READ });
    return from === 'cwd' && isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Comments and trailing commas are nothing to stumble over. */
function daysIn(settings: string): number | 'default' | 'unreadable' {
  const text = textAt(settings);
  if (text === undefined || text.trim() === '') return text === undefined ? 'unreadable' : 'default';
  const errors: ParseError[] = [];
  const value: Json = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value)) return 'unreadable';
  return value.cleanupPeriodDays === undefined ? 'default' : (asNumber(value.cleanupPeriodDays) ?? 'unreadable');
}

/** '' when there is none; undefined when it cannot be read. Some editors begin a file with a byte order mark. */
function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' ? '' : undefined;
  }
}

/** Each folder's settings are read once. */
export function cleanups(): (config: string) => Cleanup {
  const known = new Map<string, Cleanup>();
  return (config) => {
    const cleanup = known.get(config) ?? cleanupOf(config);
    known.set(config, cleanup);
    return cleanup;
  };
}
