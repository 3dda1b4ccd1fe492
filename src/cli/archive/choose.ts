/** What a selector of `skein archive` names. */
import type { ArchivedFile } from '../../archive/files.ts';
import { type Chosen, chooseFiles, foldersOf } from '../../archive/select.ts';
import type { Archive } from '../../archive/store.ts';
import type { SessionFile } from '../../disk/find.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { quoted } from '../quoted.ts';

/** Who names one and says --all may mean either. */
export function wantsAll(args: Arguments): boolean {
  const [selector] = args.positionals;
  if (!args.flag('all')) return false;
  if (selector === undefined) return true;
  throw new UsageError(`"${selector}", or everything?`, `${selector} --all`, 'Say one of them: SEL or --all.');
}

/**
 * The selector as the archive knows it: an id, project:NAME or a path. What else there is means what `show` means by it: @last is where
 * something was said last, not the newest file, and words are those of a title. `takesLost`: also a chat of which only prompts are left.
 */
export async function selectorOf(
  context: Context,
  args: Arguments,
  archive: Archive,
  { takesLost = false } = {},
): Promise<string | undefined> {
  const [selector] = args.positionals;
  const isKnown = (each: string) => chooseFiles(archive.db, each).files.length > 0;
  if (selector === undefined || selector.trim() === '' || selector.startsWith('project:')) return selector;
  if (!selector.startsWith('@') && isKnown(selector)) return selector;
  const shown = await shownFiles(context, args, selector);
  const ids = [...new Set(shown.map(({ sessionId }) => sessionId))];
  const [id, ...others] = ids;
  if (id === undefined) return selector;
  if (others.length > 0) throw severalFit(archive, selector, ids);
  if (isKnown(id)) return id;
  if (shown.some(({ source }) => source === 'history')) return takesLost ? id : refuseLost(id, archive);
  const next = 'Archive it: skein archive sync';
  throw new CommandError(`"${selector}" is ${id}, which is not archived.`, archive.path, next);
}

function refuseLost(id: string, { path }: Archive): never {
  const next = `Read them: ${quoted('skein', 'show', id)}`;
  throw new CommandError(`Of ${id} only the prompts are left, in history.jsonl.`, path, next);
}

async function shownFiles(context: Context, args: Arguments, selector: string): Promise<SessionFile[]> {
  const [{ loadArchiveReader }, { lookAt }, { selectIn }] = await Promise.all([
    import('../shelf.ts'),
    import('../library.ts'),
    import('../select.ts'),
  ]);
  await loadArchiveReader(context);
  return selectIn(context, lookAt(context, args.values('root')), selector);
}

/** The archived files a selector names: one session, unless it names a project. */
export function chosenFiles(archive: Archive, selector: string | undefined): readonly ArchivedFile[] {
  return chosen(archive, selector).files;
}

/** For what cannot be undone: a project is one folder. The end of its name may be that of several, as of `my-app` and `app`. */
export function chosenSurely(archive: Archive, selector: string | undefined): Chosen {
  const found = chosen(archive, selector);
  const folders = foldersOf(found.files);
  if (selector?.startsWith('project:') && folders.length > 1) {
    const shown = folders.slice(0, 8).map((each) => `\n    project:${each}`);
    throw new CommandError(
      `"${selector}" fits ${folders.length} projects:${shown.join('')}`,
      archive.path,
      'Name one of them, or the whole path of the project.',
    );
  }
  return found;
}

function chosen(archive: Archive, selector: string | undefined): Chosen {
  if (selector === undefined) {
    throw new UsageError(
      'Which session?',
      'SEL is missing',
      'Name an id, @last, project:NAME, a path or words of a title.',
    );
  }
  const found = chooseFiles(archive.db, selector);
  const { what } = found;
  if (found.files.length === 0) throw nothingFits(archive, selector);
  if (what.length > 1 && !selector.startsWith('project:')) {
    throw severalFit(archive, selector, what);
  }
  return found;
}

function severalFit(archive: Archive, selector: string, what: readonly string[]): CommandError {
  const shown = what.slice(0, 8).map((each) => `\n    ${each}`);
  const told = `"${selector}" fits ${what.length} archived sessions:${shown.join('')}`;
  return new CommandError(told, archive.path, 'Write more of the id.');
}

/** The ids of the sessions among them. */
export function chosenSessions(archive: Archive, selector: string): string[] {
  const ids = [...new Set(chosenFiles(archive, selector).flatMap(({ session }) => session ?? []))];
  if (ids.length === 0) throw nothingFits(archive, selector);
  return ids;
}

export function nothingFits(archive: Archive, selector: string, more = ''): CommandError {
  const next = `See what is kept: skein list${more}`;
  return new CommandError(`Nothing archived fits "${selector}".`, archive.path, next);
}
