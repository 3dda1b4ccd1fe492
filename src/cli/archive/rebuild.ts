/** `skein archive rebuild` */
import { type Derived, deriveInTurns } from '../../archive/index/derive.ts';
import { emptyIndex, setDerived } from '../../archive/index/derived.ts';
import { keptIn } from '../../archive/status.ts';
import { type Archive, changesOf } from '../../archive/store.ts';
import { counted } from '../../views/counted.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { notice, type Progress, progressOf } from '../progress.ts';
import { withArchive, writeJson } from './open.ts';

export function rebuild(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, async (archive) => {
    emptyIndex(archive);
    const changes = changesOf(archive.db);
    const { lines, bytes, later } = await deriveWithProgress(context, archive, { usage: true });
    const { indexBytes } = keptIn(archive);
    const stopped = context.signal.aborted;
    if (!stopped) setDerived(archive, later ? undefined : changes);
    if (args.flag('json')) writeJson(context, { archive: archive.path, lines, bytes, indexBytes, stopped });
    else
      context.out.write(
        `${counted(lines, 'line')} indexed, ${humanBytes(indexBytes)}${stopped ? '; stopped early' : ''}\n`,
      );
    return 0;
  });
}

const QUIET_MS = 500;

export async function deriveWithProgress(
  context: Context,
  archive: Archive,
  options: { readonly usage?: boolean } = {},
): Promise<Derived> {
  const began = context.now().getTime();
  let progress: Progress<{ readonly bytes: number }> | undefined;
  let clear = () => progress?.clear();
  const onPack = (pack: { readonly bytes: number }) => {
    // Only now is there something to wait for.
    progress ??= progressOf(context, 'indexing', [{ bytes: keptIn(archive).storedBytes }]);
    progress.done(pack);
  };
  const onPart = (what: string) => {
    if (context.now().getTime() - began > QUIET_MS) clear = notice(context, `indexing: ${what}`);
  };
  const made = await deriveInTurns(archive, { ...options, signal: context.signal, onPack, onPart });
  clear();
  return made;
}
