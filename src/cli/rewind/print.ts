/** What a rewind does, told. */
import { safeLine } from '../../views/safe.ts';
import type { Context } from '../context.ts';
import type { EditSource } from '../edit/source.ts';
import { cut, homePath } from '../layout.ts';
import type { Masking } from '../mask.ts';
import { quoted } from '../quoted.ts';
import { shortId } from '../shortid.ts';
import type { Pin } from './conversation.ts';
import type { FileRewind } from './files.ts';
import type { Goal } from './goal.ts';

export interface Plan {
  readonly source: EditSource;
  /** undefined: to the newest line. */
  readonly goal: Goal | undefined;
  readonly files: FileRewind | undefined;
  readonly pin: Pin | undefined;
  /** Why the conversation stays as it is, where it was meant to go back too. */
  readonly note: string | undefined;
}

export function toJson({ source, goal, files, pin, note }: Plan, backup: string | undefined, dryRun: boolean): object {
  return {
    sessionId: source.file.sessionId,
    file: source.file.file,
    to: goal ?? null,
    files: files?.steps.map(({ path, change }) => ({ path, change, foreign: files.foreign.includes(path) })) ?? null,
    conversation: pin === undefined ? null : { messages: pin.messages, leafUuid: pin.lines[0]?.uuid },
    note: note ?? null,
    backup: backup ?? null,
    dryRun,
  };
}

const PROMPT_WIDTH = 60;
const WORDS = {
  restore: 'as it was:   ',
  remove: 'removed:     ',
  none: 'unchanged:   ',
  lost: 'no copy left:',
} as const;

export function print(
  { out, err, home }: Context,
  mask: Masking,
  plan: Plan,
  backup: string | undefined,
  dryRun: boolean,
): void {
  const { source, goal, files, pin, note } = plan;
  const to =
    goal === undefined
      ? 'the newest line'
      : `before turn ${goal.turn} "${cut(safeLine(mask(goal.prompt)), PROMPT_WIDTH)}"`;
  out.write(`${out.style.good(dryRun ? 'Would be rewound' : 'Rewound')} to ${to}\n`);
  for (const { path, change } of files?.steps ?? []) {
    const foreign = files?.foreign.includes(path) ? ' (someone else changed it)' : '';
    out.write(`${out.style.dim(WORDS[change])} ${safeLine(homePath(path, home))}${foreign}\n`);
  }
  if (files?.steps.length === 0) out.write('No files had been changed by tools.\n');
  if (pin !== undefined) out.write(`conversation: ${pin.messages} messages\n`);
  if (note !== undefined) err.write(`${err.style.dim(note)}\n`);
  if (dryRun) return;
  const id = quoted(shortId(source.file.sessionId));
  if (backup !== undefined)
    out.write(`backup: ${out.style.dim(safeLine(homePath(backup, home)))} (take it back: skein undo)\n`);
  if (pin !== undefined && goal !== undefined) out.write(`take it back: skein rewind ${id} --to end --conversation\n`);
}
