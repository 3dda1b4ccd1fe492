/** `skein archive verify` */

import { SAVED } from '../../archive/errors.ts';
import { quietly } from '../../archive/index/derived.ts';
import { keptIn } from '../../archive/status.ts';
import { type Verified, verifyInTurns } from '../../archive/verify.ts';
import { counted } from '../../views/counted.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { progressOf } from '../progress.ts';
import { withArchive, writeJson } from './open.ts';

/** Exit code 1 when anything is wrong. */
export function verifyArchive(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { reads: true }, async (archive) => {
    // Of a damaged file it may not be known.
    const { rawBytes, storedBytes } = quietly(() => keptIn(archive)) ?? { rawBytes: 0, storedBytes: 0 };
    const progress = progressOf(context, 'verifying', [{ bytes: rawBytes + storedBytes }]);
    const result = await verifyInTurns(archive, { signal: context.signal, onBytes: (work) => progress.done(work) });
    progress.clear();
    const ok = result.faults.length === 0 && !result.stopped;
    if (args.flag('json')) writeJson(context, { archive: archive.path, ok, ...result });
    else writeText(context, result, archive.path);
    return ok ? 0 : 1;
  });
}

const MENDING = `Keep a copy of the archive's file. Then: skein archive sync --full (mends what is still on disk),
skein archive import FILE (what an export has)`;

function writeText({ out }: Context, result: Verified, path: string): void {
  const { files, versions, scrubbed, bytes, pieces, packs, faults, stopped } = result;
  for (const { where, what } of faults) out.write(`${out.style.bad('fault')} ${where}: ${what}\n`);
  const whole = stopped ? out.style.warn('stopped early, no fault so far') : out.style.good('whole');
  const verdict = faults.length === 0 ? whole : out.style.bad(counted(faults.length, 'fault'));
  const masked = scrubbed > 0 ? ` (${scrubbed} scrubbed)` : '';
  const extent = `${counted(files, 'file')}, ${counted(versions, 'version')}${masked}, ${humanBytes(bytes)}`;
  out.write(`${verdict}: ${extent}, ${counted(pieces, 'stored line')} in ${counted(packs, 'pack')}\n`);
  if (faults.length === 0) return;
  // The file itself: nothing mends that.
  out.write(`${faults.some(({ where }) => where === path) ? SAVED : MENDING}\n`);
}
