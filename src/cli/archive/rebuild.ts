/** `skein archive rebuild`, and the same step at the end of whatever adds to the archive. */

import { emptyIndex } from '../../archive/derived.ts';
import { ArchiveError } from '../../archive/errors.ts';
import { keptIn } from '../../archive/status.ts';
import type { Archive } from '../../archive/store.ts';
import { updateIndexInTurns } from '../../archive/textindex.ts';
import type { Problem } from '../../disk/errors.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { type Progress, progressOf } from '../progress.ts';
import { count, withArchive, writeJson } from './open.ts';

export function rebuild(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, async (archive) => {
    const progress = progressOf(context, 'indexing', [{ bytes: keptIn(archive).storedBytes }]);
    emptyIndex(archive);
    const { lines, bytes } = await updateIndexInTurns(archive, {
      signal: context.signal,
      onPack: (pack) => progress.done(pack),
    });
    progress.clear();
    const { indexBytes } = keptIn(archive);
    if (args.flag('json')) writeJson(context, { archive: archive.path, lines, bytes, indexBytes });
    else context.out.write(`${count(lines, 'line')} indexed, ${humanBytes(indexBytes)}\n`);
    return 0;
  });
}

/** What was archived is safe whatever becomes of the index, so its troubles are only told. */
export async function indexed(context: Context, archive: Archive): Promise<Problem[]> {
  try {
    let progress: Progress<{ readonly bytes: number }> | undefined;
    const onPack = (pack: { readonly bytes: number }) => {
      // Only now is there something to wait for.
      progress ??= progressOf(context, 'indexing', [{ bytes: keptIn(archive).storedBytes }]);
      progress.done(pack);
    };
    await updateIndexInTurns(archive, { signal: context.signal, onPack });
    progress?.clear();
    return [];
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return [{ kind: 'unreadable', what: error.message, where: error.where, next: error.next }];
  }
}
