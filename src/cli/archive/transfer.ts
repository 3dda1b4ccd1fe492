/** `skein archive export` and `skein archive import` */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { quietly } from '../../archive/index/derived.ts';
import { keptIn } from '../../archive/status.ts';
import { openArchiveFile } from '../../archive/store.ts';
import { exportArchive } from '../../archive/transfer/export.ts';
import { mergeInTurns } from '../../archive/transfer/merge.ts';
import { isSound } from '../../archive/verify.ts';
import { counted } from '../../views/counted.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { notice, progressOf } from '../progress.ts';
import { updateDerived } from './derive.ts';
import { tellProblems, withArchive, writeJson } from './open.ts';

export function exportFile(context: Context, args: Arguments): Promise<number> {
  const file = fileOf(context, args);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory())
    throw new CommandError('It is a folder.', file, 'Name a file, e.g. skein-archive.db in it.');
  if (there !== undefined && !args.flag('force')) {
    throw new CommandError('There is something there already.', file, 'Choose another name, or say --force.');
  }
  return withArchive(context, { reads: true }, (archive) => {
    const clear = notice(context, 'exporting the archive');
    exportArchive(archive, file);
    clear();
    const bytes = statSync(file).size;
    if (args.flag('json')) writeJson(context, { archive: archive.path, file, bytes });
    else context.out.write(`${file}, ${humanBytes(bytes)}. On the other machine: skein archive import FILE\n`);
    return 0;
  });
}

export function importFile(context: Context, args: Arguments): Promise<number> {
  const file = fileOf(context, args);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined) throw new CommandError('There is no such file.', file, EXPORTED);
  if (!there.isFile()) throw new CommandError('It is not a file.', file, EXPORTED);
  const other = openArchiveFile(file, { notOurs: EXPORTED, another: (age) => `It was not touched. Use ${age} Skein.` });
  return withArchive(context, { create: true }, async (archive) => {
    const bytes = quietly(() => keptIn(other).rawBytes) ?? 0;
    const progress = progressOf(context, 'importing', [{ bytes }]);
    const merged = await mergeInTurns(archive, other, {
      signal: context.signal,
      onFile: (each) => progress.done(each),
    }).catch((error: unknown) => {
      progress.clear();
      throw isSound(other) ? error : new CommandError('The file to import is damaged.', file, DAMAGED_EXPORT);
    });
    progress.clear();
    const problems = [...merged.problems, ...(await updateDerived(context, archive))];
    if (args.flag('json')) writeJson(context, { archive: archive.path, file, ...merged, problems });
    else {
      await tellProblems(context, problems);
      const left = merged.forgotten > 0 ? `; ${counted(merged.forgotten, 'file')} forgotten here, left out` : '';
      const what = `${counted(merged.added, 'version')} taken in, ${humanBytes(merged.bytes)}`;
      const mended = merged.mended > 0 ? `; ${merged.mended} damaged here, whole again` : '';
      const masked = merged.masked > 0 ? `; ${merged.masked} with what was scrubbed here, masked` : '';
      const rest = `${mended}${masked}${left}${merged.stopped ? '; stopped early' : ''}`;
      context.out.write(`${what}; ${merged.known} known already${rest}\n`);
    }
    return merged.problems.length > 0 ? 1 : 0;
  }).finally(() => other.close());
}

const DAMAGED_EXPORT =
  'What was taken in before stays. To save what can be read of it, put it as archive.db into a folder of its own, name that with SKEIN_HOME, and: skein archive restore --all --to DIR';

const EXPORTED = 'Name what skein archive export wrote.';

function fileOf(context: Context, args: Arguments): string {
  const [file] = args.positionals;
  if (file !== undefined && file !== '') return resolve(context.cwd, file);
  throw new UsageError('Which file?', 'FILE is missing', 'Name it, e.g. skein-archive.db');
}
