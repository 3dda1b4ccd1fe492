/** `skein archive export` and `skein archive import` */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { exportArchive } from '../../archive/export.ts';
import { mergeInTurns } from '../../archive/merge.ts';
import { keptIn } from '../../archive/status.ts';
import { openArchiveFile } from '../../archive/store.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { notice, progressOf } from '../progress.ts';
import { updateDerived } from './derive.ts';
import { count, tellProblems, withArchive, writeJson } from './open.ts';

export function exportFile(context: Context, args: Arguments): Promise<number> {
  const file = fileOf(context, args);
  if (existsSync(file) && !args.flag('force')) {
    throw new CommandError('There is something there already.', file, 'Choose another name, or say --force.');
  }
  return withArchive(context, { create: false }, (archive) => {
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
  if (!existsSync(file))
    throw new CommandError('There is no such file.', file, 'Name what skein archive export wrote.');
  const other = openArchiveFile(file);
  return withArchive(context, { create: true }, async (archive) => {
    const progress = progressOf(context, 'importing', [{ bytes: keptIn(other).rawBytes }]);
    const merged = await mergeInTurns(archive, other, {
      signal: context.signal,
      onFile: (each) => progress.done(each),
    });
    progress.clear();
    const problems = [...merged.problems, ...(await updateDerived(context, archive))];
    if (args.flag('json')) writeJson(context, { archive: archive.path, file, ...merged, problems });
    else {
      await tellProblems(context, problems);
      const left = merged.forgotten > 0 ? `; ${count(merged.forgotten, 'file')} forgotten here, left out` : '';
      const what = `${count(merged.added, 'version')} taken in, ${humanBytes(merged.bytes)}`;
      context.out.write(`${what}; ${merged.known} known already${left}${merged.stopped ? '; stopped early' : ''}\n`);
    }
    return merged.problems.length > 0 ? 1 : 0;
  }).finally(() => other.close());
}

function fileOf(context: Context, args: Arguments): string {
  const [file] = args.positionals;
  if (file !== undefined) return resolve(context.cwd, file);
  throw new UsageError('Which file?', 'FILE is missing', 'Name it, e.g. skein-archive.db');
}
