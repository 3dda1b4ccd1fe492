/** The sessions a verb works on: those of the roots and those the archive kept of them, or a team's; the demo set when there are none. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../disk/errors.ts';
import { type Found, findSessions, type SessionFile } from '../disk/find.ts';
import { compareText } from '../disk/folder.ts';
import { findRoots, type Root } from '../disk/roots.ts';
import type { EarlierState, Known } from '../store/store.ts';
import type { Wanted } from '../team/read/files.ts';
import { safeLine } from '../views/safe.ts';
import type { Arguments } from './command.ts';
import type { Context } from './context.ts';
import { recoverFromHistory } from './recovered.ts';
import { archiveReader, teamStore } from './shelf.ts';
import { teamLibrary } from './teamlibrary.ts';
import { toldProblems } from './toldproblems.ts';

export interface Library extends Found {
  readonly roots: readonly Root[];
  /** The demo set is shown because there was nothing else. */
  readonly demo: boolean;
  /** What a store knows of the sessions without reading them. */
  readonly known: Known;
  /** States of the sessions that hold what is no more in them (archive/otherstates.ts). */
  earlier(): readonly EarlierState[];
  /** Of a team: its name, and what it knows that would have to be read from thousands of files. */
  readonly team?: TeamPart;
}

export interface TeamPart {
  readonly name: string;
  /** Those of the sessions that may belong to the chat of one, with it. */
  kinOf(session: SessionFile, sessions: readonly SessionFile[]): readonly SessionFile[];
  projectOf(file: SessionFile): string | undefined;
}

/** `wanted`: what of a team is enough. */
export function openLibrary(context: Context, args: Arguments, wanted?: Wanted): Library {
  const team = teamStore(args);
  if (team !== undefined) return teamLibrary(team, wanted);
  const given = args.values('root');
  const library = lookAt(context, given);
  const demo = demoFolder();
  if (given.length > 0 || library.files.length > 0 || demo === undefined) return library;
  const { style } = context.err;
  const where = context.env.CLAUDE_CONFIG_DIR || '~/.claude';
  const next = style.dim('Point Skein at yours: --root DIR or CLAUDE_CONFIG_DIR');
  context.err.write(`${style.accent('demo:')} no sessions in ${where}; this is the demo set. ${next}\n`);
  return { ...lookAt(context, [demo]), demo: true };
}

/** What is in the places given; without any, in the client's own. */
export function lookAt(context: Context, given: readonly string[]): Library {
  const { roots, places, problems } = findRoots({ given, env: context.env, home: context.home });
  const found = findSessions(roots);
  const reader = archiveReader();
  const kept = reader?.keptAt(context, { places, everywhere: given.length === 0 });
  const store = kept && reader?.archiveStore(context, kept, given);
  const known = store?.known ?? NOTHING_KNOWN;
  const archived = store?.mount({ files: found.files, roots }) ?? [];
  const recovered = recoverFromHistory({ roots, sessions: [...found.files, ...archived], kept, known });
  const files = inOrder(roots, found.files, [...archived, ...recovered]);
  const isKept = (place: string) => archived.some(({ file }) => file.startsWith(place));
  const told = toldProblems(problems, { isGiven: given.length > 0, isKept });
  const earlier = () => store?.earlier({ files: found.files, roots }) ?? [];
  return { ...found, files, problems: [...told, ...found.problems], roots, demo: false, known, earlier };
}

const nothing = () => undefined;
export const NOTHING_KNOWN: Known = {
  outlineOf: nothing,
  updatedOf: nothing,
  usageOf: nothing,
  usageCells: nothing,
  chatOf: nothing,
};

/** As `findSessions` has them: in the order of the roots, then of the paths. */
function inOrder(roots: readonly Root[], found: readonly SessionFile[], more: readonly SessionFile[]): SessionFile[] {
  if (more.length === 0) return [...found];
  const rank = new Map(roots.map(({ path }, place) => [path, place]));
  const rankOf = ({ root }: SessionFile) => rank.get(root) ?? roots.length;
  return [...found, ...more].sort((a, b) => rankOf(a) - rankOf(b) || compareText(a.file, b.file));
}

/** Next to dist/ in the package, next to src/ in a clone. */
function demoFolder(): string | undefined {
  const candidates = ['../demo', '../../demo'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((folder) => existsSync(`${folder}/projects`));
}

/** Troubles met while looking, one line each, for people. */
export function reportProblems(context: Context, problems: readonly Problem[]): void {
  for (const { what, where, next } of problems) {
    const told = `${safeLine(what)}: ${safeLine(where)}`;
    context.err.write(`${context.err.style.warn('warning:')} ${told} ${context.err.style.dim(safeLine(next))}\n`);
  }
}

export function sessionFilesOf(library: Library): SessionFile[] {
  return library.files.filter((file) => file.kind === 'session');
}
