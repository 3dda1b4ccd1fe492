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
import { quoted } from '../quoted.ts';
import { chosenFiles } from './choose.ts';
import { count, withArchive, writeJson } from './open.ts';

/** Exit code 1 when a file was kept because it differs, or could not be restored. */
export function restoreFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { reads: true }, async (archive) => {
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
    const chosen = args.flag('all') ? '--all' : quoted(args.positionals[0] ?? '');
    if (args.flag('json')) writeJson(context, { archive: archive.path, files: results.map(toJson), stopped });
    else writeText(context, results, { stopped, chosen });
    const none = results.length > 0 && results.every(({ outcome }) => outcome === 'missing');
    return none || results.some(({ outcome }) => WRONG.has(outcome)) ? 1 : 0;
  });
}

/** A version that a file never had is not wrong, unless no file has it: most files have one. */
const WRONG: ReadonlySet<Restored> = new Set(['kept', 'damaged', 'refused', 'foreign', 'failed']);

interface Told {
  readonly stopped: boolean;
  /** What was asked for, as the command takes it. */
  readonly chosen: string;
}

function writeText(context: Context, results: readonly RestoredFile[], { stopped, chosen }: Told): void {
  const { out } = context;
  for (const result of results) {
    const note = noteOf(result);
    if (note === undefined) continue;
    out.write(`${out.style.warn(result.outcome)} ${homePath(result.path, context.home)}: ${note}\n`);
  }
  const number = (wanted: Restored) => results.filter(({ outcome }) => outcome === wanted).length;
  const foreign = number('foreign');
  if (foreign > 0) {
    const command = `skein archive restore ${chosen} --to DIR`;
    out.write(`${out.style.warn('left out')} ${count(foreign, 'file')} of another machine: ${command}\n`);
  }
  const restored = results.filter(({ outcome }) => outcome === 'restored');
  const bytes = restored.reduce((sum, file) => sum + file.bytes, 0);
  const scrubbed = restored.filter((file) => file.scrubbed).length;
  const notes = [
    number('same') > 0 ? `; ${number('same')} already there` : '',
    number('missing') > 0 ? `; ${number('missing')} without such a version` : '',
    scrubbed > 0 ? `; ${scrubbed} scrubbed: secrets are masked` : '',
    stopped ? '; stopped early' : '',
  ];
  out.write(`${count(restored.length, 'file')} restored, ${humanBytes(bytes)}${notes.join('')}\n`);
}

function noteOf({ outcome, why }: RestoredFile): string | undefined {
  if (outcome === 'kept' && why !== undefined) return `${why}; choose another place with --to`;
  if (outcome === 'kept') return 'something else is there; replace it with --force, or choose another place with --to';
  if (outcome === 'refused') return 'its name, or a link on its way, leads out of the folder';
  if (outcome === 'damaged') return 'its archived bytes are damaged; see skein archive verify';
  return outcome === 'failed' ? why : undefined;
}

function toJson({ file, path, bytes, outcome, why, scrubbed }: RestoredFile) {
  return { path, kind: file.kind, session: file.session ?? null, bytes, outcome, why: why ?? null, scrubbed };
}
