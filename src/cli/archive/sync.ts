/** `skein archive sync` */
import { type SyncReport, syncInTurns } from '../../archive/sync.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { reportProblems } from '../library.ts';
import { progressOf } from '../progress.ts';
import { count, sourcesOf, withArchive, writeJson } from './open.ts';
import { indexed } from './rebuild.ts';

/** Exit code 1 when something could not be read. */
export function syncArchive(context: Context, args: Arguments): Promise<number> {
  const sources = sourcesOf(context, args);
  return withArchive(context, { create: true }, async (archive) => {
    const progress = progressOf(context, 'archiving', sources.files);
    const report = await syncInTurns(archive, sources.files, {
      full: args.flag('full'),
      signal: context.signal,
      onFile: (file) => progress.done(file),
    });
    progress.clear();
    const problems = [...sources.problems, ...report.problems, ...(await indexed(context, archive))];
    if (args.flag('json')) writeJson(context, { archive: archive.path, ...toJson(report), problems });
    else {
      reportProblems(context, problems);
      context.out.write(`${sentence(report)}\n`);
    }
    return report.problems.length > 0 ? 1 : 0;
  });
}

export function toJson({ files, outcomes, forgotten, bytes, stopped }: SyncReport) {
  return { files, ...outcomes, forgotten, bytes, stopped };
}

export function sentence({ files, outcomes, forgotten, bytes, stopped }: SyncReport): string {
  const { added, appended, rewritten } = outcomes;
  const parts = [
    added > 0 ? `${added} new` : '',
    appended > 0 ? `${appended} grown` : '',
    rewritten > 0 ? `${rewritten} rewritten (the old state is kept)` : '',
  ].filter((part) => part !== '');
  const news = parts.length > 0 ? `${parts.join(', ')}: ${humanBytes(bytes)} archived` : 'nothing new';
  const left = forgotten > 0 ? `; ${forgotten} forgotten, left out` : '';
  return `${count(files, 'file')}, ${news}${left}${stopped ? '; stopped early' : ''}`;
}
