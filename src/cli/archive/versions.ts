/** `skein archive versions`: the states that are kept of files which were rewritten or cut. */
import { type ArchivedFile, allFiles } from '../../archive/files.ts';
import { type FileState, fileStates } from '../../archive/restore/versions.ts';
import { dateOf } from '../../archive/status.ts';
import { pathOf } from '../../archive/sync/sources.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { homePath } from '../layout.ts';
import { quoted } from '../quoted.ts';
import { chosenFiles, selectorOf, wantsAll } from './choose.ts';
import { withArchive, writeJson } from './open.ts';

interface Stated {
  readonly file: ArchivedFile;
  readonly states: readonly FileState[];
}

export function showVersions(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { reads: true }, async (archive) => {
    const all = wantsAll(args);
    const files = all ? allFiles(archive.db) : chosenFiles(archive, await selectorOf(context, args, archive));
    const stated = files.map((file) => ({ file, states: fileStates(archive.db, file) }));
    if (args.flag('json')) writeJson(context, { archive: archive.path, files: stated.map(toJson) });
    else writeText(context, stated);
    return 0;
  });
}

function writeText(context: Context, stated: readonly Stated[]): void {
  const { out } = context;
  const several = stated.filter(({ states }) => states.length > 1);
  for (const { file, states } of several) {
    out.write(`${out.style.bold(safeLine(homePath(pathOf(file), context.home)))}\n`);
    for (const state of states) out.write(`  ${stateLine(state)}\n`);
    out.write(out.style.dim(`  ${versionCommand(file, 'N')}\n`));
  }
  const others = stated.length - several.length;
  if (others > 0) out.write(`${counted(others, several.length > 0 ? 'more file' : 'file')} in one version\n`);
}

function stateLine({ number, bytes, mtimeMs, current, scrubbed, lines, extra = 0 }: FileState): string {
  const notes = [
    ...(lines === undefined ? [] : [counted(lines, 'line')]),
    ...(extra > 0 ? [`${extra} of them not in the current version`] : []),
    ...(current ? ['current'] : []),
    ...(scrubbed ? ['scrubbed'] : []),
  ];
  const columns = [String(number).padStart(2), dayOf(mtimeMs), humanBytes(bytes).padStart(9)];
  return `${columns.join('  ')}  ${notes.join(', ')}`.trimEnd();
}

/** To the minute. */
function dayOf(mtimeMs: number): string {
  return dateOf(mtimeMs).toISOString().slice(0, -8).replace('T', ' ');
}

/** One state of a file told in few words. */
export function stateWords({ number, bytes, mtimeMs }: FileState): string {
  return `version ${number} (${humanBytes(bytes)}, ${dayOf(mtimeMs)})`;
}

/** What gives it in that state, beside what there is. A session is named by its id, any other file by its path. */
export function versionCommand({ kind, session, name }: ArchivedFile, version: number | 'N'): string {
  const selector = kind === 'session' && session !== undefined ? session : name;
  return `${quoted('skein', 'archive', 'restore', selector, '--version', String(version))} --to DIR`;
}

function toJson({ file, states }: Stated) {
  const versions = states.map(stateJson);
  return { path: pathOf(file), kind: file.kind, session: file.session ?? null, versions };
}

export function stateJson({ number, bytes, mtimeMs, current, scrubbed, lines, extra }: FileState) {
  const at = dateOf(mtimeMs).toISOString();
  return { version: number, bytes, at, current, scrubbed, lines: lines ?? null, extra: extra ?? null };
}
