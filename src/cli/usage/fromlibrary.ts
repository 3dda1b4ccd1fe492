/** The facts of a report that the sums the archive keeps do not answer at once: from all that can be read. */
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { archiveReader } from '../shelf.ts';
import { chooseFiles } from './choose.ts';
import { namesFor } from './names.ts';
import type { Question } from './question.ts';
import { fromCells, isPlain, type Named } from './report.ts';

export async function fromLibrary(context: Context, args: Arguments, question: Question): Promise<Named> {
  const { library, files } = await chooseFiles(context, args);
  const isPlainOne = isPlain(args, question);
  const cells = () => (isPlainOne ? library.known.usageCells(files) : undefined);
  const kept = cells() ?? ((await isKeptNow(context, args)) ? cells() : undefined);
  const found = kept ? fromCells(kept) : (await import('./facts.ts')).factsOf(context, args, question, library, files);
  return { ...found, names: await namesFor(context, args, library, question.by), files: files.length };
}

/** Makes what the archive keeps of usage, if that was not done yet: for a question about one chat that would be too much. */
async function isKeptNow(context: Context, args: Arguments): Promise<boolean> {
  if (archiveReader() === undefined || args.positionals.length > 0) return false;
  await (await import('./keep.ts')).keepUsage(context);
  return true;
}
