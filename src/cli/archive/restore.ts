/** `skein archive restore` */
import { resolve } from 'node:path';
import { allFiles } from '../../archive/files.ts';
import { type Restored, type RestoredFile, restoreInTurns } from '../../archive/restore.ts';
import { versionBytes } from '../../archive/status.ts';
import { wholeNumber } from '../arguments.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { homePath } from '../layout.ts';
import { progressOf } from '../progress.ts';
import { chosenFiles } from './choose.ts';
import { count, withArchive, writeJson } from './open.ts';

/** Exit code 1 when a file was kept because it differs, or could not be restored. */
export function restoreFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, async (archive) => {
    const to = args.value('to');
    const files = args.flag('all') ? allFiles(archive.db) : chosenFiles(archive, args.positionals[0]);
    const progress = progressOf(context, 'restoring', [{ bytes: versionBytes(archive.db, files) }]);
    const results = await restoreInTurns(archive, files, {
      signal: context.signal,
      to: to === undefined ? undefined : resolve(context.cwd, to),
      force: args.flag('force'),
      version: wholeNumber(args, 'version', 1),
      onFile: (file) => progress.done(file),
    });
    progress.clear();
    const stopped = results.length < files.length;
    if (args.flag('json')) writeJson(context, { archive: archive.path, files: results.map(toJson), stopped });
    else writeText(context, results, stopped);
    return results.some(({ outcome }) => WRONG.has(outcome)) ? 1 : 0;
  });
}

/** A version that a file never had is not wrong: most files have one. */
const WRONG: ReadonlySet<Restored> = new Set(['kept', 'damaged', 'refused']);

const NOTES: Readonly<Partial<Record<Restored, string>>> = {
  kept: 'something else is there; replace it with --force, or choose another place with --to',
  refused: 'its name leads out of the folder',
  damaged: 'its archived bytes are damaged; see skein archive verify',
};

function writeText(context: Context, results: readonly RestoredFile[], stopped: boolean): void {
  const { out } = context;
  for (const { path, outcome } of results) {
    const note = NOTES[outcome];
    if (note !== undefined) out.write(`${out.style.warn(outcome)} ${homePath(path, context.home)}: ${note}\n`);
  }
  const restored = results.filter(({ outcome }) => outcome === 'restored');
  const same = results.filter(({ outcome }) => outcome === 'same').length;
  const bytes = restored.reduce((sum, file) => sum + file.bytes, 0);
  const scrubbed = restored.filter((file) => file.scrubbed).length;
  const notes = [
    same > 0 ? `; ${same} already there` : '',
    scrubbed > 0 ? `; ${scrubbed} scrubbed: secrets are masked` : '',
    stopped ? '; stopped early' : '',
  ];
  out.write(`${count(restored.length, 'file')} restored, ${humanBytes(bytes)}${notes.join('')}\n`);
}

function toJson({ file, path, bytes, outcome, scrubbed }: RestoredFile) {
  return { path, kind: file.kind, session: file.session ?? null, bytes, outcome, scrubbed };
}
