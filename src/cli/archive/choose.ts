/** What a selector of `skein archive` names. */
import type { ArchivedFile } from '../../archive/files.ts';
import { chooseFiles } from '../../archive/select.ts';
import type { Archive } from '../../archive/store.ts';
import { CommandError, UsageError } from '../errors.ts';

/** The archived files a selector names: one session, unless it names a project. */
export function chosenFiles(archive: Archive, selector: string | undefined): readonly ArchivedFile[] {
  if (selector === undefined) {
    throw new UsageError('Which session?', 'SEL is missing', 'Name an id, @last, project:NAME or a path.');
  }
  const { what, files } = chooseFiles(archive.db, selector);
  if (files.length === 0) throw nothingFits(archive, selector);
  if (what.length > 1 && !selector.startsWith('project:')) {
    const shown = what.slice(0, 8).map((each) => `\n    ${each}`);
    throw new CommandError(
      `"${selector}" fits ${what.length} archived sessions:${shown.join('')}`,
      archive.path,
      'Write more of the id.',
    );
  }
  return files;
}

/** The ids of the sessions among them. */
export function chosenSessions(archive: Archive, selector: string): string[] {
  const ids = [...new Set(chosenFiles(archive, selector).flatMap(({ session }) => session ?? []))];
  if (ids.length === 0) throw nothingFits(archive, selector);
  return ids;
}

export function nothingFits(archive: Archive, selector: string, more = ''): CommandError {
  const next = `See what is kept: skein archive status${more}`;
  return new CommandError(`Nothing archived fits "${selector}".`, archive.path, next);
}
