/** `skein move` and `skein merge` bring sessions over one after the other and say what became of each. */
import type { SessionFile } from '../../disk/find.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import { type Option, READING_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { jsonText } from '../jsontext.ts';
import { homePath } from '../layout.ts';
import type { Library } from '../library.ts';
import { configFor, refuseDemo } from './projects.ts';
import { type Outcome, type Relocated, relocate, removeReplaced } from './relocate.ts';

export const RELOCATE_OPTIONS = {
  into: { type: 'string', value: 'ROOT', help: 'The config folder to write to (default: the one the session lies in)' },
  'delete-source': { type: 'boolean', help: 'Remove the sessions from their old place, with a backup (skein undo)' },
  'dry-run': { type: 'boolean', help: 'Show what would be done and write nothing' },
  ...READING_OPTIONS,
} as const satisfies Record<string, Option>;

/** Exit code 1 when a session could not be brought over. */
export function relocateAll(
  context: Context,
  args: Arguments,
  {
    verb,
    library,
    files,
    folder,
  }: {
    readonly verb: string;
    readonly library: Library;
    readonly files: readonly SessionFile[];
    readonly folder: string;
  },
): number {
  refuseDemo(library);
  const options = { verb, deleteSource: args.flag('delete-source'), dryRun: args.flag('dry-run') };
  const results = files.map((file) =>
    relocate(context, library, file, { folder, config: configFor(context, args, file) }, options),
  );
  if (options.deleteSource && !options.dryRun) removeReplaced(context, verb, results);
  if (args.flag('json')) context.out.write(`${jsonText(toJson(results, folder, options.dryRun))}\n`);
  else print(context, results, folder, options);
  return results.some(({ outcome }) => outcome === 'apart') ? 1 : 0;
}

function toJson(results: readonly Relocated[], folder: string, dryRun: boolean): object {
  const sessions = results.map(({ sessionId, from, file, outcome, cwd, belongings, bytes, resume }) => ({
    sessionId,
    file,
    before: { file: from, cwd: cwd ?? null, bytes },
    after: { file, cwd: folder, belongings },
    outcome,
    resume,
  }));
  const [only, ...others] = sessions;
  return { ...(others.length === 0 ? only : {}), to: folder, dryRun, sessions };
}

const WORDS: Readonly<Record<Outcome, string>> = {
  copied: 'copied',
  moved: 'moved',
  there: 'already there',
  apart:
    'not moved: another session of this id is there and went on differently; make one of them a session of its own: skein clone',
};

function print(
  { out, err, home }: Context,
  results: readonly Relocated[],
  folder: string,
  { dryRun, deleteSource }: { readonly dryRun: boolean; readonly deleteSource: boolean },
): void {
  for (const { sessionId, outcome, belongings } of results) {
    const paint = outcome === 'apart' ? out.style.bad : outcome === 'there' ? out.style.dim : out.style.good;
    const files = belongings > 0 ? `, with ${counted(belongings, 'more file')}` : '';
    out.write(`${sessionId}  ${paint(WORDS[outcome])}${outcome === 'apart' ? '' : files}\n`);
  }
  for (const file of results.flatMap(({ kept }) => kept)) {
    err.write(`${safeLine(homePath(file, home))}  stays: another of this name is there\n`);
  }
  const done = results.filter(({ outcome }) => outcome !== 'apart').length;
  const what = dryRun ? 'would be found' : 'are found';
  out.write(`${done} of ${results.length} sessions ${what} in ${safeLine(homePath(folder, home))}\n`);
  const kept = results.filter(({ outcome }) => outcome === 'copied').length;
  if (kept > 0 && !deleteSource) {
    err.write(`${err.style.dim('The originals stay where they are; --delete-source removes them, with a backup.')}\n`);
  }
  if (deleteSource && !dryRun && done > 0) err.write(`${err.style.dim('Take it back: skein undo')}\n`);
  const last = results.find(({ outcome }) => outcome !== 'apart');
  if (last !== undefined && !dryRun) out.write(`resume: ${out.style.bold(last.resume)}\n`);
}
