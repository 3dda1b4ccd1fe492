/** The facts of a report that the sums the archive keeps do not answer at once: from all that can be read. */
import type { SessionFile } from '../../disk/find.ts';
import type { Fact } from '../../views/usage/facts.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import type { Library } from '../library.ts';
import { archiveReader } from '../shelf.ts';
import { chooseFiles } from './choose.ts';
import { namesFor } from './names.ts';
import type { Question } from './question.ts';
import { fromCells, isPlain, type Named } from './report.ts';

export async function fromLibrary(context: Context, args: Arguments, question: Question): Promise<Named> {
  const { library, files } = await chooseFiles(context, args);
  const cells = isPlain(args, question) ? await keptCells(context, library, files) : undefined;
  const found = cells
    ? fromCells(cells)
    : (await import('./facts.ts')).factsOf(context, args, question, library, files);
  return { ...found, names: await namesFor(context, args, library, question.by), files: files.length };
}

/** Sums of everything, where the archive holds just these files; made now if that was not done yet. */
async function keptCells(
  context: Context,
  library: Library,
  files: readonly SessionFile[],
): Promise<Fact[] | undefined> {
  const cells = library.known.usageCells(files);
  if (cells !== undefined || archiveReader() === undefined) return cells;
  await (await import('./keep.ts')).keepUsage(context);
  return library.known.usageCells(files);
}
