/** `skein archive watch` */
import { syncInTurns } from '../../archive/sync.ts';
import { watchRoots } from '../../archive/watch.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { updateDerived } from './derive.ts';
import { sourcesOf, tellProblems, withArchive } from './open.ts';
import { sentence, toJson } from './sync.ts';

/** Runs until it is stopped. */
export function watchArchive(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: true }, async (archive) => {
    const { roots } = sourcesOf(context, args);
    for await (const _ of watchRoots(roots, { signal: context.signal })) {
      const { files } = sourcesOf(context, args);
      const report = await syncInTurns(archive, files, { derive: true, signal: context.signal });
      const { added, appended, rewritten } = report.outcomes;
      const problems = [...report.problems, ...(await updateDerived(context, archive))];
      await tellProblems(context, args.flag('json') ? [] : problems);
      if (added + appended + rewritten === 0) continue;
      const at = context.now().toISOString();
      if (args.flag('json')) context.out.write(`${JSON.stringify({ at, ...toJson(report), problems })}\n`);
      else context.out.write(`${at.slice(11, 19)} ${sentence(report)}\n`);
    }
    return 0;
  });
}
