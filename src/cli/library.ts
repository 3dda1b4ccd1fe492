/** The sessions a verb works on: those of the roots, or the demo set when the machine has none. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../disk/errors.ts';
import { type Found, findSessions, type SessionFile } from '../disk/find.ts';
import { findRoots, type Root } from '../disk/roots.ts';
import type { Arguments } from './command.ts';
import type { Context } from './context.ts';

export interface Library extends Found {
  readonly roots: readonly Root[];
  /** The demo set is shown because there was nothing else. */
  readonly demo: boolean;
}

export function openLibrary(context: Context, args: Arguments): Library {
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
  const { roots, problems } = findRoots({ given, env: context.env, home: context.home });
  const found = findSessions(roots);
  // That the client was never used here is no problem to tell.
  const told = problems.filter((problem) => given.length > 0 || problem.kind !== 'missing');
  return { ...found, problems: [...told, ...found.problems], roots, demo: false };
}

/** Next to dist/ in the package, next to src/ in a clone. */
function demoFolder(): string | undefined {
  const candidates = ['../demo', '../../demo'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((folder) => existsSync(`${folder}/projects`));
}

/** Troubles met while looking, one line each, for people. */
export function reportProblems(context: Context, problems: readonly Problem[]): void {
  for (const { what, where, next } of problems) {
    context.err.write(`${context.err.style.warn('warning:')} ${what}: ${where} ${context.err.style.dim(next)}\n`);
  }
}

export function sessionFilesOf(library: Library): SessionFile[] {
  return library.files.filter((file) => file.kind === 'session');
}
