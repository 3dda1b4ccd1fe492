/** `skein archive watch` */
import { statSync } from 'node:fs';
import { ArchiveError } from '../../archive/errors.ts';
import type { Archive } from '../../archive/store.ts';
import type { SourceFile } from '../../archive/sync/sources.ts';
import { type SyncReport, syncInTurns } from '../../archive/sync/sync.ts';
import { watchRoots } from '../../archive/sync/watch.ts';
import type { Problem } from '../../disk/errors.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { inertJson } from '../jsontext.ts';
import { updateDerived } from './derive.ts';
import { sourcesOf, tellProblems, withArchive } from './open.ts';
import { sentence, toJson } from './sync.ts';

/** Runs until it is stopped. A disk that is full for a while, or a folder that cannot be read, does not end it. */
export function watchArchive(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: true }, async (archive) => {
    const isStill = samePlace(archive.path);
    const tell = createTeller(context, args.flag('json'));
    const { roots } = sourcesOf(context, args);
    for await (const _ of watchRoots(roots, { signal: context.signal })) {
      if (!isStill()) {
        const next = 'Start it again: skein archive watch';
        throw new CommandError('The archive was removed or replaced while it was watched.', archive.path, next);
      }
      const sources = sourcesOf(context, args);
      const report = await taken(context, archive, sources.files);
      if ('error' in report) {
        await tell([...sources.problems, report.error]);
        continue;
      }
      const { added, appended, rewritten } = report.outcomes;
      const problems = [...sources.problems, ...report.problems, ...(await updateDerived(context, archive))];
      await tell(problems);
      if (added + appended + rewritten === 0) continue;
      const at = context.now().toISOString();
      if (args.flag('json')) context.out.write(`${inertJson(JSON.stringify({ at, ...toJson(report), problems }))}\n`);
      else context.out.write(`${at.slice(11, 19)} ${sentence(report)}\n`);
    }
    return 0;
  });
}

/** Whether the file at a path is still the one that was opened. */
function samePlace(path: string): () => boolean {
  const idOf = () => statSync(path, { throwIfNoEntry: false })?.ino;
  const opened = idOf();
  return () => idOf() === opened;
}

/** What the archive says when it could not take them: the next change is another try. */
async function taken(
  context: Context,
  archive: Archive,
  files: readonly SourceFile[],
): Promise<SyncReport | { readonly error: Problem }> {
  try {
    return await syncInTurns(archive, files, { derive: true, signal: context.signal });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { error: { kind: 'unreadable', what: error.message, where: error.where, next: error.next } };
  }
}

/** Each trouble once, until it is over. */
function createTeller(context: Context, json: boolean): (problems: readonly Problem[]) => Promise<void> {
  let before = new Set<string>();
  return async (problems) => {
    const keyOf = ({ what, where }: Problem) => `${what}\0${where}`;
    const fresh = problems.filter((problem) => !before.has(keyOf(problem)));
    before = new Set(problems.map(keyOf));
    await tellProblems(context, json ? [] : fresh);
  };
}
