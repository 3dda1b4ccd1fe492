/** `skein archive restore` */
import { resolve } from 'node:path';
import { cleanupOf } from '../../archive/cleanup.ts';
import { RESTORING, toArchiveError } from '../../archive/errors.ts';
import { allFiles } from '../../archive/files.ts';
import { quietly } from '../../archive/index/derived.ts';
import { type Restored, type RestoredFile, restoreInTurns } from '../../archive/restore/restore.ts';
import { type FileState, fileStates, fullest, withSeveral } from '../../archive/restore/versions.ts';
import { versionBytes } from '../../archive/status.ts';
import { type Archive, guarded } from '../../archive/store.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { wholeNumber } from '../arguments.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { homePath } from '../layout.ts';
import { progressOf } from '../progress.ts';
import { quoted } from '../quoted.ts';
import { chosenFiles, selectorOf, wantsAll } from './choose.ts';
import { sourcesOf, withArchive, writeJson } from './open.ts';
import { stateJson, stateWords, versionCommand } from './versions.ts';

/** Exit code 1 when a file was kept because it differs, or could not be restored. */
export function restoreFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { reads: true }, async (archive) => {
    const to = args.value('to');
    if (to === '') throw new UsageError('Below which folder?', '--to is empty', 'Name it, e.g. --to /tmp/back');
    const [all, force] = [wantsAll(args), args.flag('force')];
    const selector = all ? undefined : await selectorOf(context, args, archive).catch(toldAsRestoring(archive));
    const files = guarded(RESTORING, archive.path, () => (all ? allFiles(archive.db) : chosenFiles(archive, selector)));
    const version = wholeNumber(args, 'version', 1);
    const progress = progressOf(context, 'restoring', [{ bytes: quietly(() => versionBytes(archive.db, files)) ?? 0 }]);
    const results = await restoreInTurns(archive, files, {
      signal: context.signal,
      to: to === undefined ? undefined : resolve(context.cwd, to),
      force,
      version,
      keepTimes: args.flag('keep-times'),
      now: context.now(),
      // Who names a session wants it there.
      onDisk: all && !force && to === undefined ? sourcesOf(context, args).files : [],
      onFile: (file) => progress.done(file),
    });
    progress.clear();
    const stopped = results.length < files.length;
    const chosen = all ? '--all' : quoted(args.positionals[0] ?? '');
    const fuller = version === undefined ? fullerStates(archive, results) : new Map<RestoredFile, FileState>();
    if (args.flag('json')) {
      const told = results.map((each) => toJson(each, fuller.get(each)));
      writeJson(context, { archive: archive.path, files: told, stopped });
    } else {
      writeText(context, results, { stopped, chosen });
      writeFuller(context, all ? results.filter(({ outcome }) => outcome === 'restored') : results, fuller);
    }
    const none = results.length > 0 && results.every(({ outcome }) => outcome === 'missing');
    return none || results.some(({ outcome }) => WRONG.has(outcome)) ? 1 : 0;
  });
}

function toldAsRestoring({ path }: Archive): (error: unknown) => never {
  return (error) => {
    throw toArchiveError(error, RESTORING, path);
  };
}

/** A version that a file never had is not wrong, unless no file has it: most files have one. */
const WRONG: ReadonlySet<Restored> = new Set(['kept', 'damaged', 'refused', 'foreign', 'failed']);

type Fuller = ReadonlyMap<RestoredFile, FileState>;

/** The state given is the one last seen: of a file that was cut or rewritten before it was lost another has more in it. */
function fullerStates({ db }: Archive, results: readonly RestoredFile[]): Fuller {
  const given = new Map(
    results.filter(({ outcome }) => outcome === 'restored' || outcome === 'same').map((each) => [each.file, each]),
  );
  const found = new Map<RestoredFile, FileState>();
  for (const file of withSeveral(db, [...given.keys()])) {
    const [result, state] = [given.get(file), quietly(() => fullest(fileStates(db, file)))];
    if (result !== undefined && state !== undefined) found.set(result, state);
  }
  return found;
}

function writeFuller({ out, home }: Context, results: readonly RestoredFile[], fuller: Fuller): void {
  for (const result of results) {
    const state = fuller.get(result);
    if (state === undefined) continue;
    const has = `${stateWords(state)} has ${counted(state.extra ?? 0, 'line')} that the last one has not`;
    const command = versionCommand(result.file, state.number);
    out.write(`${out.style.warn('more in')} ${safeLine(homePath(result.path, home))}: ${has}: ${command}\n`);
  }
}

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
    out.write(`${out.style.warn(result.outcome)} ${safeLine(homePath(result.path, context.home))}: ${note}\n`);
  }
  const number = (wanted: Restored) => results.filter(({ outcome }) => outcome === wanted).length;
  const foreign = number('foreign');
  if (foreign > 0) {
    const command = `skein archive restore ${chosen} --to DIR`;
    out.write(`${out.style.warn('left out')} ${counted(foreign, 'file')} of another machine: ${command}\n`);
  }
  const restored = results.filter(({ outcome }) => outcome === 'restored');
  const bytes = restored.reduce((sum, file) => sum + file.bytes, 0);
  const scrubbed = restored.filter((file) => file.scrubbed).length;
  const notes = [
    number('same') > 0 ? `; ${number('same')} already there` : '',
    number('moved') > 0 ? `; ${number('moved')} moved, left alone (now in another project's folder)` : '',
    number('missing') > 0 ? `; ${number('missing')} without such a version` : '',
    scrubbed > 0 ? `; ${scrubbed} scrubbed: secrets are masked` : '',
    stopped ? '; stopped early' : '',
  ];
  out.write(`${counted(restored.length, 'file')} restored, ${humanBytes(bytes)}${notes.join('')}\n`);
  writeRenewed(
    context,
    restored.filter(({ renewed }) => renewed),
  );
}

/** Nothing helps where the client is told to keep nothing. */
function writeRenewed({ out, home }: Context, renewed: readonly RestoredFile[]): void {
  for (const [root, files] of Map.groupBy(renewed, ({ file }) => file.root)) {
    const { days, settings } = cleanupOf(root);
    const keeps = counted(days, 'day');
    const told =
      days > 0
        ? `${counted(files.length, 'file')} got the present time: with the old one the client, which keeps ${keeps}, would delete ${files.length === 1 ? 'it' : 'them'} again (to keep it: --keep-times)`
        : `${out.style.warn('the client deletes them again')}: cleanupPeriodDays is ${days} in ${homePath(settings, home)}`;
    out.write(`${told}\n`);
  }
}

function noteOf({ outcome, why }: RestoredFile): string | undefined {
  if (outcome === 'kept' && why !== undefined) return `${why}; choose another place with --to`;
  if (outcome === 'kept') return 'something else is there; replace it with --force, or choose another place with --to';
  if (outcome === 'refused') return 'its name, or a link on its way, leads out of the folder';
  if (outcome === 'damaged') return 'its archived bytes are damaged; see skein archive verify';
  return outcome === 'failed' ? why : undefined;
}

function toJson(result: RestoredFile, fuller: FileState | undefined) {
  const { file, path, bytes, outcome, why, scrubbed, renewed } = result;
  return {
    path,
    kind: file.kind,
    session: file.session ?? null,
    bytes,
    outcome,
    why: why ?? null,
    scrubbed,
    renewed: renewed === true,
    fuller: fuller === undefined ? null : stateJson(fuller),
  };
}
