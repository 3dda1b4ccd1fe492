/** Writes what an edit made: a new session beside the source, or in its place with a backup. Everything is checked before it shows. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { digestOf } from '../../disk/copy.ts';
import { inChunks, type WriteOptions, writeFileAtomic } from '../../disk/durable.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import type { FreshUuid } from '../../edit/ids.ts';
import { type Draft, encodeDraft, type Note } from '../../edit/log.ts';
import type { Remap } from '../../edit/remap.ts';
import type { Entry } from '../../format/entry.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { quoted } from '../quoted.ts';
import { resumeCommandOf } from '../search/places.ts';
import { saveBackup } from './backup.ts';
import { refuseLive } from './live.ts';
import { createReferences, type References } from './references.ts';
import {
  agentsOf,
  type Carried,
  seen,
  type Target,
  writeAgents,
  writeCheckpoints,
  writeOutputs,
  writeTitle,
} from './sidecars.ts';
import type { EditSource } from './source.ts';
import { isSameState, stateOf } from './state.ts';
import { lookAtWritten, refuseFlawed, sendsTheSame } from './verify.ts';

/** The session that is to be: what a draft is made for. */
export interface EditTarget {
  readonly sessionId: string;
  /** The session it comes from. */
  readonly from: string;
  readonly freshUuid: FreshUuid;
  readonly now: string;
  readonly inPlace: boolean;
}

export interface EditDraft extends Draft {
  readonly remap: Remap;
  /** The entries of the source that are carried over. */
  readonly kept: readonly Entry[];
}

export interface Edit {
  readonly verb: string;
  readonly source: EditSource;
  readonly make: (target: EditTarget) => EditDraft;
  /** A resume of the result must send what one of these entries would. */
  readonly sends?: readonly Entry[];
  /** All sub-agents of the session go with it, not only those whose calls are carried over. */
  readonly allAgents?: boolean;
  readonly title?: string;
}

export interface Measures {
  readonly bytes: number;
  readonly lines: number;
  readonly turns: number;
}

export interface Written {
  readonly sessionId: string;
  readonly file: string;
  readonly before: Measures;
  readonly after: Measures & Carried;
  readonly notes: readonly Note[];
  readonly resume: string;
  readonly dryRun: boolean;
  readonly inPlace: boolean;
  /** The folder of the backup. */
  readonly backup?: string;
}

/** With --dry-run everything is done and checked, but in a folder that goes away. Throws CommandError and DiskError. */
export function writeEdit(context: Context, args: Arguments, edit: Edit): Written {
  const inPlace = args.flag('in-place');
  const { source } = edit;
  const sessionId = inPlace ? source.file.sessionId : randomUUID();
  const now = context.now().toISOString();
  const draft = edit.make({ sessionId, from: source.file.sessionId, freshUuid: randomUUID, now, inPlace });
  const file = inPlace ? source.file.file : join(dirname(source.file.file), `${sessionId}.jsonl`);
  if (inPlace) refuseUnfit(source);
  else refuseForeign(source);
  const target: Target = { file, sessionId, config: source.config, mode: source.state?.mode ?? 0o600 };
  const put = args.flag('dry-run') ? tryOut : inPlace ? replace : writeNew;
  const { after, backup } = put(context, edit, draft, target);
  return {
    sessionId,
    file,
    before: { bytes: source.file.bytes, lines: source.outline.lines, turns: source.outline.turns },
    after,
    notes: draft.notes,
    resume: resumeCommandOf(sessionId, source.project.from === 'cwd' ? source.project.path : undefined, file),
    dryRun: args.flag('dry-run'),
    inPlace,
    ...(backup !== undefined && { backup }),
  };
}

interface Put {
  readonly after: Measures & Carried;
  readonly backup?: string;
}

function refuseUnfit({ file }: EditSource): void {
  if (!isOnDisk(file.file)) {
    const next = 'Leave --in-place out, or bring it back first: skein archive restore';
    throw new CommandError('The session is not on disk any more, so it cannot be changed in place.', file.file, next);
  }
  refuseLive(file);
}

/** `MACHINE:PATH` is where another machine had it. */
function refuseForeign({ file }: EditSource): void {
  if (file.source === undefined || /^([/\\]|[A-Za-z]:[/\\])/.test(file.file)) return;
  const next = `Bring it to this machine first: skein move ${quoted(file.sessionId)} --to DIR`;
  throw new CommandError('The session was archived on another machine: there is no place beside it.', file.file, next);
}

/** The session's own file comes last: until then nobody sees a part of the copy. */
function writeNew(_: Context, edit: Edit, draft: EditDraft, target: Target): Put {
  const { source } = edit;
  const references = createReferences();
  const agents = agentsOf(source.library, source.file, draft.kept, { all: edit.allAgents === true });
  let after: (Measures & Carried) | undefined;
  try {
    writeChecked(edit, draft, target, references, {
      exclusive: true,
      onMeasured: (measures) => {
        writeAgents(agents, source.file, target, draft.remap, references);
        const toolResults = writeOutputs(source.file, target, references);
        const checkpoints = writeCheckpoints(source.file, source.config, target, references);
        writeTitle(source.file, target, edit.title);
        after = { ...measures, agents: agents.length, toolResults, checkpoints };
      },
    });
  } catch (error) {
    // A new id: all that lies under it is ours.
    rmSync(join(dirname(target.file), target.sessionId), { recursive: true, force: true });
    if (target.config) rmSync(join(target.config, 'file-history', target.sessionId), { recursive: true, force: true });
    throw error;
  }
  return { after: after ?? NOTHING };
}

const NOTHING = { bytes: 0, lines: 0, turns: 0, agents: 0, toolResults: 0, checkpoints: 0 };

function replace(context: Context, edit: Edit, draft: EditDraft, target: Target): Put {
  const { state, file } = edit.source;
  let after = NOTHING;
  let backup: string | undefined;
  try {
    writeChecked(edit, draft, target, createReferences(), {
      onMeasured: (measures, temp) => {
        after = { ...NOTHING, ...measures };
        const isUnchanged = () => state !== undefined && isSameState(state, stateOf(file.file));
        if (!isUnchanged()) throw changedMeanwhile(file.file);
        if (digestOf(temp).sha256 === digestOf(file.file).sha256) throw SAME;
        backup = saveBackup(context, { verb: edit.verb, changes: [{ path: file.file, after: temp }] });
        if (!isUnchanged()) throw changedMeanwhile(file.file);
      },
    });
  } catch (error) {
    if (error !== SAME) throw error;
  }
  return { after, backup };
}

/** Ends a write that would change nothing: the file keeps its time, and undo the change that was made before. */
const SAME = new Error('nothing changes');

function changedMeanwhile(file: string): CommandError {
  const next = 'Nothing was changed. Close the session in the client and try again, or leave --in-place out.';
  return new CommandError('Somebody wrote to the session meanwhile.', file, next);
}

function tryOut(_: Context, edit: Edit, draft: EditDraft, target: Target): Put {
  const folder = mkdtempSync(join(tmpdir(), 'skein-dry-run-'));
  try {
    const references = createReferences();
    const agents = agentsOf(edit.source.library, edit.source.file, draft.kept, { all: edit.allAgents === true });
    let after = NOTHING;
    const place = { ...target, file: join(folder, `${target.sessionId}.jsonl`), config: folder };
    writeChecked(edit, draft, place, references, {
      onMeasured: (measures) => {
        const { outputs, checkpoints } = references;
        after = { ...measures, agents: agents.length, toolResults: outputs.size, checkpoints: checkpoints.size };
      },
    });
    return { after };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Checked = Pick<WriteOptions, 'exclusive'> & {
  readonly onMeasured: (measures: Measures, temp: string) => void;
};

function writeChecked(
  edit: Edit,
  draft: EditDraft,
  target: Target,
  references: References,
  { exclusive, onMeasured }: Checked,
): void {
  writeFileAtomic(target.file, inChunks(seen(encodeDraft(draft), references)), {
    mode: target.mode,
    exclusive,
    onReady: (temp) => {
      const { problems, outline, entries } = lookAtWritten(temp);
      refuseFlawed(problems, target.file);
      if (edit.sends !== undefined && !sendsTheSame(edit.sends, entries)) throw notTheSame(target.file);
      onMeasured({ bytes: stateOf(temp).bytes, lines: outline.lines, turns: outline.turns }, temp);
    },
  });
}

function notTheSame(file: string): CommandError {
  const what = 'A resume of the result would send something else than one of the source, so nothing was written.';
  return new CommandError(what, file, 'This is a fault in Skein: please report it.');
}
