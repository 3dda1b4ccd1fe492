/** `skein archive status` */

import { type Cleanup, cleanupOf } from '../../archive/cleanup.ts';
import { allTombstones } from '../../archive/forget/tombstones.ts';
import { type Deletion, deletionsOf, goneElsewhere, type Kept, keptIn, standingOf } from '../../archive/status.ts';
import { openArchive } from '../../archive/store.ts';
import { forgottenHere } from '../../archive/sync/changes.ts';
import { knownSources } from '../../archive/sync/known.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { cutStart, homePath } from '../layout.ts';
import { asTold, folderOf, sourcesOf, tellProblems, writeJson } from './open.ts';

const SHOWN = 5;
const LONG = 3650;
/** Columns of a line that tells of a deletion: when, and what stands after the path. */
const WHEN = 20;
const MARK = 'not archived'.length;
/** Of a path, however narrow the terminal. */
const LEAST = 16;

/** Works without an archive too: what the client will delete is worth knowing then most of all. */
export async function showStatus(context: Context, args: Arguments): Promise<number> {
  const { files, problems } = sourcesOf(context, args);
  const archive = openArchive(folderOf(context), { reads: true });
  try {
    const kept = archive && keptIn(archive);
    const known = archive && knownSources(archive.db);
    const isForgotten = archive ? forgottenHere(archive.db) : () => false;
    const wanted = files.filter((file) => !isForgotten(file));
    const own = known ? standingOf(known, wanted) : { archived: 0, waiting: files.length, gone: 0 };
    const gone = own.gone + (archive ? goneElsewhere(archive.db, files) : 0);
    const standing = { ...own, gone, forgotten: files.length - wanted.length };
    const cleanups = new Map(files.map(({ root }) => root).map((root) => [root, cleanupOf(root)]));
    const cleanup = (root: string) => cleanups.get(root) ?? cleanupOf(root);
    const deletions = deletionsOf(files, cleanup);
    const isSafe = ({ file }: Deletion) => known?.isArchived(file) ?? false;
    if (args.flag('json')) {
      const next = deletions.map((deletion) => deletionJson(deletion, isSafe(deletion)));
      writeJson(context, {
        archive: kept ?? null,
        onDisk: standing,
        cleanup: [...cleanups].map(([root, found]) => ({ root, ...found })),
        deletions: next,
        forgotten: archive ? allTombstones(archive.db) : [],
        problems,
      });
      return 0;
    }
    await tellProblems(context, problems);
    writeKept(context, kept);
    context.out.write(
      `on disk   ${counted(files.length, 'file')}: ${standing.archived} archived, ${standing.waiting} not yet${standing.forgotten > 0 ? `, ${standing.forgotten} forgotten` : ''}; ${standing.gone} more only in the archive\n`,
    );
    const { good, dim, warn } = context.out.style;
    writeDeletions(context, deletions, (each) =>
      isSafe(each) ? good('archived') : isForgotten(each.file) ? dim('forgotten') : warn('not archived'),
    );
    writeCleanups(context, [...cleanups.values()]);
    return 0;
  } catch (error) {
    throw archive ? asTold(error, archive) : error;
  } finally {
    archive?.close();
  }
}

function writeKept({ out, home }: Context, kept: Kept | undefined): void {
  if (kept === undefined) {
    out.write(`${out.style.warn('no archive yet')}; make one: skein archive sync\n`);
    return;
  }
  const share = kept.rawBytes > 0 ? ` (${Math.round((100 * kept.archiveBytes) / kept.rawBytes)} %)` : '';
  out.write(`${out.style.bold(homePath(kept.path, home))}\n`);
  out.write(
    `kept      ${counted(kept.sessions, 'session')}, ${counted(kept.agents, 'sub-agent')}, ${counted(kept.files, 'file')} in ${counted(kept.versions, 'version')}\n`,
  );
  out.write(
    `size      ${humanBytes(kept.rawBytes)} in ${humanBytes(kept.archiveBytes)}${share}, text index ${humanBytes(kept.indexBytes)}\n`,
  );
  if (kept.machines > 1) out.write(`machines  ${kept.machines}\n`);
  if (kept.scrubbed > 0) out.write(`scrubbed  ${counted(kept.scrubbed, 'version')}: secrets are masked\n`);
  if (kept.tombstones > 0) {
    out.write(`forgotten ${kept.tombstones}, not archived again; to lift: skein archive forget --undo SEL|--all\n`);
  }
}

function writeDeletions(context: Context, deletions: readonly Deletion[], markOf: (each: Deletion) => string): void {
  const { out } = context;
  if (deletions.length === 0) return;
  out.write('the client deletes next\n');
  const room = Math.max(LEAST, out.columns - WHEN - MARK - 6);
  for (const deletion of deletions.slice(0, SHOWN)) {
    const path = cutStart(safeLine(homePath(deletion.file.path, context.home)), room);
    out.write(`  ${when(deletion.at, context.now()).padEnd(WHEN)}  ${path}  ${markOf(deletion)}\n`);
  }
  const rest = deletions.length - SHOWN;
  if (rest > 0) out.write(out.style.dim(`  and ${rest} later\n`));
}

function when(at: Date, now: Date): string {
  const days = Math.floor((at.getTime() - now.getTime()) / 86_400_000);
  if (days < 0) return 'at its next start';
  return `${at.toISOString().slice(0, 10)} (${days} d)`;
}

function writeCleanups({ out, home }: Context, cleanups: readonly Cleanup[]): void {
  for (const { settings, days, from } of cleanups) {
    const where = homePath(settings, home);
    if (from === 'managed') {
      out.write(
        `cleanupPeriodDays is ${days} in ${where}: whoever manages this machine says so, whatever other settings say\n`,
      );
      continue;
    }
    const inProject = `cleanupPeriodDays is ${days} in ${where}: started in that project, the client deletes sessions of all projects by it`;
    const said = {
      project: inProject,
      local: inProject,
      settings: `cleanupPeriodDays is ${days} in ${where}`,
      default: `cleanupPeriodDays is not set in ${where}: ${days} days`,
      unreadable: `${out.style.warn('cleanupPeriodDays cannot be read')} in ${where} (${days} days are taken for it); mend the file`,
    };
    out.write(`${said[from]}\n`);
    out.write(out.style.dim(`  to keep them longer write there: "cleanupPeriodDays": ${Math.max(LONG, days)}\n`));
  }
}

function deletionJson({ file, at }: Deletion, archived: boolean) {
  return { session: file.session() ?? null, file: file.path, at: at.toISOString(), archived };
}
