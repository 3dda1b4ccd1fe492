/** Brings sessions to the folder of another project: the same sessions, with their belongings and the folder they run in. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyFile } from '../../disk/copy.ts';
import { inChunks, writeFileAtomic } from '../../disk/durable.ts';
import type { SessionFile } from '../../disk/find.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import { projectOfEntries } from '../../disk/project.ts';
import { readSessionOf } from '../../disk/read.ts';
import { type Draft, encodeDraft } from '../../edit/log.ts';
import type { Relation } from '../../edit/merge.ts';
import { move } from '../../edit/move.ts';
import type { Entry } from '../../format/entry.ts';
import { projectSlug } from '../../format/slug.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import type { Library } from '../library.ts';
import { resumeCommandOf } from '../search/places.ts';
import { removeFile, saveBackup } from './backup.ts';
import { type Belonging, belongingsOf, filesBelow } from './belongings.ts';
import { bring, isThere, relationTo } from './bring.ts';
import { refuseLive } from './live.ts';
import { configOf } from './source.ts';
import { type FileState, isSameState, stateOf } from './state.ts';
import { sendsTheSame } from './verify.ts';

export interface Destination {
  /** The folder of the project, as the client sees it. */
  readonly folder: string;
  /** The config root to write to. */
  readonly config: string;
}

/** there: it was there already · apart: another session of the same id is there, which went on differently. */
export type Outcome = 'copied' | 'moved' | 'there' | 'apart';

export interface Relocated {
  readonly sessionId: string;
  readonly from: string;
  readonly file: string;
  readonly outcome: Outcome;
  /** The folder it ran in before; undefined where no entry tells one. */
  readonly cwd: string | undefined;
  /** Files that go with it. */
  readonly belongings: number;
  readonly bytes: number;
  readonly resume: string;
  /** The files that were made, and those whose place is taken by them. */
  readonly made: readonly string[];
  readonly replaced: readonly string[];
  /** Files that go with it but are there already, with something else in them: they stay where they are. */
  readonly kept: readonly string[];
  /** Throws when somebody wrote to the session since it was read. */
  readonly refuseChanged: () => void;
}

export interface RelocateOptions {
  readonly verb: string;
  readonly deleteSource: boolean;
  readonly dryRun: boolean;
}

interface Job {
  readonly session: SessionFile;
  readonly entries: readonly Entry[];
  readonly draft: (entries: readonly Entry[]) => Draft;
  readonly target: string;
  readonly belongings: readonly Belonging[];
  readonly state: FileState | undefined;
  readonly relation: Relation | undefined;
}

/** Throws DiskError and CommandError; what was brought over by then stays. */
export function relocate(
  context: Context,
  library: Library,
  session: SessionFile,
  to: Destination,
  options: RelocateOptions,
): Relocated {
  if (options.deleteSource) refuseLive(session);
  const state = isOnDisk(session.file) ? stateOf(session.file) : undefined;
  const { entries } = readSessionOf(session.file);
  const project = projectOfEntries(entries, session.slug);
  const cwd = project.from === 'cwd' ? project.path : undefined;
  const draft = (each: readonly Entry[]) => move(each, { from: cwd ?? to.folder, to: to.folder });
  const target = join(to.config, 'projects', projectSlug(to.folder), `${session.sessionId}.jsonl`);
  const belongings = belongingsOf(library, session, dirname(session.file));
  const relation = isOnDisk(target) ? relationTo(draft(entries), target) : undefined;
  const job: Job = { session, entries, draft, target, belongings, state, relation };
  const result = {
    made: [],
    kept: [],
    replaced: [],
    refuseChanged: () => refuseChanged(job),
    sessionId: session.sessionId,
    from: session.file,
    file: target,
    cwd,
    belongings: belongings.length,
    bytes: session.bytes,
    resume: resumeCommandOf(session.sessionId, to.folder, target),
  };
  if (target === session.file) return { ...result, outcome: 'there' };
  if (relation === 'apart') return { ...result, outcome: 'apart' };
  const { made, kept } = options.dryRun ? { made: [], kept: [] } : bringOver(context, job, to, options);
  const gone = [session.file, ...belongings.map(({ file }) => file)];
  const replaced = gone.filter((file) => isOnDisk(file) && !kept.includes(file));
  const outcome = options.deleteSource ? 'moved' : isThere(relation) ? 'there' : 'copied';
  return { ...result, made, kept, replaced, outcome };
}

/** The session's own file comes last: until then nobody sees a part of it. Gives the files that were not there before. */
function bringOver(
  context: Context,
  job: Job,
  to: Destination,
  options: RelocateOptions,
): Pick<Relocated, 'made' | 'kept'> {
  const { session, target, belongings, relation } = job;
  const made: string[] = [];
  const kept: string[] = [];
  for (const each of belongings) {
    const place = join(dirname(target), each.place);
    const became = bring(context, each, place, { verb: options.verb, draft: job.draft });
    if (became === 'made') made.push(place);
    else if (became === 'kept') kept.push(each.file);
  }
  for (const file of checkpointsOf(session, to)) {
    const place = join(to.config, 'file-history', session.sessionId, basename(file));
    if (isOnDisk(place)) continue;
    copyFile(file, place, { mode: statSync(file).mode & 0o777 });
    made.push(place);
  }
  if (!isThere(relation)) writeSession(context, job, options);
  return { made: relation === undefined ? [...made, target] : made, kept };
}

/** Once everything is in its new place: one backup for all, so that one undo takes all of it back. */
export function removeReplaced(context: Context, verb: string, results: readonly Relocated[]): void {
  const removed = results.flatMap(({ replaced }) => replaced);
  if (removed.length === 0) return;
  for (const { refuseChanged } of results) refuseChanged();
  const made = results.flatMap((result) => result.made.map((path) => ({ path, after: path, made: true })));
  saveBackup(context, { verb, changes: [...removed.map((path) => ({ path })), ...made] });
  for (const { refuseChanged } of results) refuseChanged();
  for (const path of removed) removeFile(path);
}

function writeSession(context: Context, job: Job, { verb }: RelocateOptions): void {
  const { session, entries, draft, target, state, relation } = job;
  writeFileAtomic(target, inChunks(encodeDraft(draft(entries))), {
    mode: state?.mode ?? 0o600,
    exclusive: relation === undefined,
    onReady: (temp) => {
      if (!sendsTheSame(entries, readSessionOf(temp).entries)) {
        const next = 'This is a fault in Skein: please report it.';
        throw new CommandError('A resume would send something else, so nothing was written.', session.file, next);
      }
      refuseChanged(job);
      if (relation === 'ahead') saveBackup(context, { verb, changes: [{ path: target, after: temp }] });
    },
  });
}

/** Checkpoints lie in the config root, by session: they stay where they are unless that is another. */
function checkpointsOf({ file, sessionId }: SessionFile, { config }: Destination): string[] {
  const own = configOf(file);
  return own === undefined || own === config ? [] : filesBelow(join(own, 'file-history', sessionId));
}

function refuseChanged({ session, state }: Job): void {
  if (state === undefined || (isOnDisk(session.file) && isSameState(state, stateOf(session.file)))) return;
  const next = 'Close the session in the client and try again.';
  throw new CommandError('Somebody wrote to the session meanwhile: it stays where it is.', session.file, next);
}
