/** `skein archive forget` */
import { forget } from '../../archive/forget.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { chosenFiles, count, withArchive, writeJson } from './open.ts';

export function forgetFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, (archive) => {
    const files = chosenFiles(archive, args.positionals[0]);
    const sessions = [...new Set(files.map(({ session, name }) => session ?? name))];
    if (!args.flag('yes')) {
      throw new UsageError(
        `This takes ${count(files.length, 'file')} out of the archive for good: ${sessions.slice(0, 3).join(', ')}${sessions.length > 3 ? ', …' : ''}.`,
        archive.path,
        'Say so with --yes. The files on disk stay as they are.',
      );
    }
    const forgotten = forget(archive, files, context.now());
    if (args.flag('json')) writeJson(context, { archive: archive.path, sessions, ...forgotten });
    else {
      const gone = `${count(forgotten.files, 'file')} forgotten, ${humanBytes(forgotten.bytes)} removed`;
      context.out.write(`${gone}. It is not archived again. Typed prompts may also stand in history.jsonl.\n`);
    }
    return 0;
  });
}
