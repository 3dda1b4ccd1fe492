/** The session a rewriting verb works on. */
import { basename, dirname } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { type Project, projectOfEntries } from '../../disk/project.ts';
import { readSessionOf } from '../../disk/read.ts';
import type { Entry } from '../../format/entry.ts';
import { type Outline, outlineOf, titleOf } from '../../graph/outline.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import type { Library } from '../library.ts';
import { spareMemory } from '../memory.ts';
import { selectOne } from '../select.ts';
import { tellSources } from '../sources.ts';
import { type FileState, stateOf } from './state.ts';

export interface EditSource {
  readonly library: Library;
  readonly file: SessionFile;
  readonly entries: readonly Entry[];
  readonly project: Project;
  readonly outline: Outline;
  readonly title: string | undefined;
  /** The config root it lies in, where its folders tell: file-history lies there (L4). */
  readonly config: string | undefined;
  /** As it was before it was read; undefined where it is not on disk. */
  readonly state: FileState | undefined;
}

export function openSource(context: Context, args: Arguments, selector = args.positionals[0]): EditSource {
  const { library, file } = selectOne(context, args, selector);
  tellSources(context, [file]);
  return readSource(library, file);
}

/** Throws CommandError where there is nothing to write a copy of. */
export function readSource(library: Library, file: SessionFile): EditSource {
  const refusal = whyNot(library, file);
  if (refusal !== undefined) throw new CommandError(refusal.what, file.file, refusal.next);
  spareMemory([file]);
  const state = file.source === undefined ? stateOf(file.file) : undefined;
  const { entries } = readSessionOf(file.file);
  const outline = outlineOf(entries);
  if (outline.turns === 0 && outline.uuids.count === 0) {
    throw new CommandError(
      'Nothing was said in this session.',
      file.file,
      'Look at the file itself: skein cat, skein check',
    );
  }
  return {
    library,
    file,
    entries,
    project: projectOfEntries(entries, file.slug),
    outline,
    title: titleOf(outline.titles, new Set(entries.flatMap(({ head }) => head.uuid ?? []))),
    config: configOf(file.file),
    state,
  };
}

function whyNot({ demo }: Library, { kind, source, bytes }: SessionFile): { what: string; next: string } | undefined {
  if (demo)
    return { what: 'This is the demo set: nothing is written there.', next: 'Point Skein at yours: --root DIR' };
  if (kind === 'agent') {
    return { what: "This is a sub-agent's transcript: it is a part of its session.", next: 'Name the session itself.' };
  }
  if (source === 'history') {
    return {
      what: 'Only the prompts of this session are left, in history.jsonl.',
      next: 'There is nothing to resume.',
    };
  }
  return bytes === 0
    ? { what: 'The file is empty: nothing was said.', next: 'See what there is: skein list' }
    : undefined;
}

/** `<config>/projects/<slug>/<session>.jsonl` gives `<config>`. */
export function configOf(file: string): string | undefined {
  const projects = dirname(dirname(file));
  return basename(projects) === 'projects' ? dirname(projects) : undefined;
}
