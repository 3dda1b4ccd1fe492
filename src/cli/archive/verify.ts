/** `skein archive verify` */

import { keptIn } from '../../archive/status.ts';
import { verify } from '../../archive/verify.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { progressOf } from '../progress.ts';
import { count, withArchive, writeJson } from './open.ts';

/** Exit code 1 when anything is wrong. */
export function verifyArchive(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, (archive) => {
    const progress = progressOf(context, 'verifying', [{ bytes: keptIn(archive).rawBytes }]);
    const result = verify(archive, { onVersion: (version) => progress.done(version) });
    progress.clear();
    if (args.flag('json')) writeJson(context, { archive: archive.path, ok: result.faults.length === 0, ...result });
    else {
      for (const { where, what } of result.faults)
        context.out.write(`${context.out.style.bad('fault')} ${where}: ${what}\n`);
      const { style } = context.out;
      const verdict =
        result.faults.length === 0 ? style.good('whole') : style.bad(count(result.faults.length, 'fault'));
      const extent = `${count(result.files, 'file')}, ${count(result.versions, 'version')}, ${humanBytes(result.bytes)}`;
      context.out.write(
        `${verdict}: ${extent}, ${count(result.pieces, 'stored line')} in ${count(result.packs, 'pack')}\n`,
      );
    }
    return result.faults.length > 0 ? 1 : 0;
  });
}
