/** `skein archive sync` */
import { join } from 'node:path';
import { holdForLarge } from '../../archive/compilers.ts';
import { ARCHIVE_NAME } from '../../archive/place.ts';
import type { Archive } from '../../archive/store.ts';
import type { SourceFile } from '../../archive/sync/sources.ts';
import { type SyncReport, syncInTurns } from '../../archive/sync/sync.ts';
import type { Problem } from '../../disk/errors.ts';
import { counted } from '../../views/counted.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { spareMemory } from '../memory.ts';
import { type Progress, progressOf } from '../progress.ts';
import { updateDerived } from './derive.ts';
import { folderOf, type Places, sourcesOf, tellProblems, withArchive, writeJson } from './open.ts';

/** Exit code 1 when something could not be read, or a folder that was named is not there. */
export async function syncArchive(context: Context, args: Arguments): Promise<number> {
  // What tells of a stop is loaded while its byte code is taken.
  void context.signal;
  const release = holdForLarge(join(folderOf(context), ARCHIVE_NAME));
  try {
    return await syncOnce(context, args, release);
  } finally {
    release();
  }
}

/** `onWork`: told before anything is read, when there is something new. */
function syncOnce(context: Context, args: Arguments, onWork: () => void): Promise<number> {
  const sources = sourcesOf(context, args);
  return withArchive(context, { create: true }, async (archive) => {
    const { report, problems } = await syncSources(context, archive, sources, args.flag('full'), onWork);
    if (args.flag('json')) writeJson(context, { archive: archive.path, ...toJson(report), problems });
    else {
      await tellProblems(context, problems);
      context.out.write(`${sentence(report)}\n`);
    }
    const unread = sources.problems.filter(({ kind }) => kind === 'unreadable');
    const isAbsent = sources.roots.length < args.values('root').length;
    return isAbsent || report.problems.length + unread.length > 0 ? 1 : 0;
  });
}

/** Archives what is new of them, with progress, and brings up to date what is made of it. */
export async function syncSources(
  context: Context,
  archive: Archive,
  sources: Places,
  full = false,
  onWork = () => {},
): Promise<{ readonly report: SyncReport; readonly problems: Problem[] }> {
  let progress: Progress<SourceFile> | undefined;
  const report = await syncInTurns(archive, sources.files, {
    full,
    derive: true,
    signal: context.signal,
    onChanges: (files) => {
      onWork();
      // What is kept of a session while it is taken grows with it; of many small ones there is little at a time.
      for (const file of files) spareMemory([file]);
      progress = progressOf(context, 'archiving', files);
    },
    onFile: (file) => progress?.done(file),
  });
  progress?.clear();
  onWork();
  return { report, problems: [...sources.problems, ...report.problems, ...(await updateDerived(context, archive))] };
}

export function toJson({ files, outcomes, forgotten, bytes, unscrubbed, masked, mended, stopped }: SyncReport) {
  return { files, ...outcomes, forgotten, bytes, unscrubbed, masked, mended, stopped };
}

export function sentence({
  files,
  outcomes,
  forgotten,
  bytes,
  unscrubbed,
  masked,
  mended,
  stopped,
}: SyncReport): string {
  const { added, appended, rewritten } = outcomes;
  const parts = [
    added > 0 ? `${added} new` : '',
    appended > 0 ? `${appended} grown` : '',
    rewritten > 0 ? `${rewritten} rewritten (the old state is kept)` : '',
  ].filter((part) => part !== '');
  const news = parts.length > 0 ? `${parts.join(', ')}: ${humanBytes(bytes)} archived` : 'nothing new';
  const left = forgotten > 0 ? `; ${forgotten} forgotten, left out` : '';
  const raw = unscrubbed > 0 ? `; ${unscrubbed} scrubbed before, what is new is not: skein archive scrub` : '';
  const again =
    masked > 0
      ? `; ${masked} ${masked === 1 ? 'holds' : 'hold'} what was scrubbed before, masked in the archive again`
      : '';
  const whole = mended > 0 ? `; ${mended} damaged in the archive, whole again` : '';
  return `${counted(files, 'file')}, ${news}${left}${raw}${again}${whole}${stopped ? '; stopped early' : ''}`;
}
