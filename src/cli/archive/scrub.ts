/** `skein archive scrub` */
import { allFiles } from '../../archive/files.ts';
import { type Scrubbed, scrub } from '../../archive/scrub/scrub.ts';
import { type SecretMasker, secretMasker } from '../../archive/scrub/secrets.ts';
import { versionBytes } from '../../archive/status.ts';
import { counted } from '../../views/counted.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { notice, progressOf } from '../progress.ts';
import { chosenSurely, selectorOf, wantsAll } from './choose.ts';
import { updateDerived } from './derive.ts';
import { tellProblems, withArchive, writeJson } from './open.ts';

/** Exit code 1 when something could not be looked at, or it was stopped. */
export function scrubArchive(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, async (archive) => {
    const files = wantsAll(args)
      ? allFiles(archive.db)
      : chosenSurely(archive, await selectorOf(context, args, archive)).files;
    const dryRun = args.flag('dry-run');
    const masker = secretMasker();
    const progress = progressOf(context, 'looking for secrets', [{ bytes: versionBytes(archive.db, files) }]);
    let clear = () => progress.clear();
    const result = await scrub(archive, files, masker, context.now(), {
      dryRun,
      signal: context.signal,
      onBytes: (work) => progress.done(work),
      onCompact: () => {
        clear = notice(context, 'compacting the archive');
      },
    });
    clear();
    const changed = !dryRun && result.versions > 0;
    const problems = changed ? await updateDerived(context, archive) : [];
    if (args.flag('json')) writeJson(context, { archive: archive.path, dryRun, ...toJson(result, masker), problems });
    else {
      await tellProblems(context, problems);
      writeText(context, result, masker, dryRun);
    }
    return result.stopped || masker.unscanned > 0 || result.partial > 0 ? 1 : 0;
  });
}

function toJson({ files, versions, lines, bytes, partial, stopped }: Scrubbed, { found, unscanned }: SecretMasker) {
  return {
    files: files.map(({ file, lines: own }) => ({
      path: `${file.root}/${file.name}`,
      session: file.session ?? null,
      lines: own,
    })),
    versions,
    lines,
    secrets: [...found].map(([placeholder, times]) => ({ placeholder, times })),
    bytes,
    unscanned,
    partial,
    stopped,
  };
}

const SHOWN = 20;

function writeText({ out }: Context, result: Scrubbed, { found, unscanned }: SecretMasker, dryRun: boolean): void {
  const ordered = [...found].toSorted(([, a], [, b]) => b - a);
  for (const [placeholder, times] of ordered.slice(0, SHOWN))
    out.write(`${String(times).padStart(6)}  ${placeholder}\n`);
  if (ordered.length > SHOWN) out.write(out.style.dim(`        and ${ordered.length - SHOWN} more\n`));
  if (unscanned > 0)
    out.write(`${out.style.warn('not looked at')} ${counted(unscanned, 'text')}: they stay as they are\n`);
  if (result.partial > 0) {
    const what = counted(result.partial, 'part of a very long line or file', 'parts of very long lines or files');
    out.write(`${out.style.warn('looked at in parts')} ${what}: a secret across two parts is not found\n`);
  }
  if (result.stopped) out.write('stopped early; nothing was changed\n');
  else if (result.lines === 0) out.write('no secrets found\n');
  else if (dryRun) out.write(`${extent(result)} hold them; nothing was changed\n`);
  else {
    const rest = 'Files on disk, exports and earlier copies of the archive are as they were.';
    out.write(`${extent(result)} scrubbed in the archive. ${rest}\n`);
  }
}

function extent({ lines, files }: Scrubbed): string {
  return `${counted(lines, 'line')} of ${counted(files.length, 'file')}`;
}
