/** What a rewriting verb says of a session that needs no rewriting: the same shape, nothing written. */
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { printWritten, type Said } from '../edit/print.ts';
import type { EditSource } from '../edit/source.ts';
import type { Written } from '../edit/write.ts';
import { resumeCommandOf } from '../search/places.ts';

export async function sayUnchanged(
  context: Context,
  args: Arguments,
  source: EditSource,
  text: string,
  said: Pick<Said, 'before' | 'after'>,
): Promise<number> {
  if (args.flag('json'))
    await printWritten(context, args, unchanged(args, source), { did: '', title: source.title, ...said });
  else context.out.write(`${text} Nothing was written.\n`);
  return 0;
}

function unchanged(args: Arguments, { file, outline, project }: EditSource): Written {
  const { lines, turns } = outline;
  const before = { bytes: file.bytes, lines, turns };
  const path = project.from === 'cwd' ? project.path : undefined;
  return {
    sessionId: file.sessionId,
    file: file.file,
    before,
    after: { ...before, agents: 0, toolResults: 0, checkpoints: 0 },
    notes: [],
    resume: resumeCommandOf(file.sessionId, path, file.file),
    dryRun: args.flag('dry-run'),
    inPlace: false,
  };
}
