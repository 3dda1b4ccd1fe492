/** S8: what was written is looked at before it is put in place, in one pass. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readLinesOf } from '../../disk/read.ts';
import { createFlawCheck } from '../../edit/flaws.ts';
import { checkLines } from '../../format/check.ts';
import type { Entry } from '../../format/entry.ts';
import { createIds } from '../../format/ids.ts';
import type { Issue } from '../../format/issue.ts';
import { withShortTexts } from '../../graph/check/shorttexts.ts';
import { createGraphCheck } from '../../graph/check.ts';
import { context as contextOf } from '../../graph/context/context.ts';
import { createOutline, type Outline } from '../../graph/outline.ts';
import { CommandError } from '../errors.ts';

export interface Seen {
  /** Every error that `check` finds, and every departure from one chain without dangling references. */
  readonly problems: readonly Issue[];
  readonly outline: Outline;
  readonly entries: readonly Entry[];
}

export function lookAtWritten(path: string): Seen {
  const ids = createIds();
  const graph = createGraphCheck(ids);
  const flaws = createFlawCheck();
  const outline = createOutline();
  const entries: Entry[] = [];
  const { issues } = readLinesOf(path, {}, (source, lines) =>
    checkLines(source, lines, {
      ids,
      isUtf8,
      onEntry: (entry, json) => {
        entries.push(entry);
        graph.add(entry, json);
        flaws.add(entry, json);
        outline.add(entry);
      },
    }),
  );
  const errors = [...issues, ...graph.result()].filter(({ severity }) => severity === 'error');
  return { problems: [...flaws.result(), ...errors], outline: outline.result(), entries };
}

/** Throws when a result would not do: nothing is in place yet. */
export function refuseFlawed([first, ...others]: readonly Issue[], file: string): void {
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  throw new CommandError(
    `The result would not be sound, so nothing was written: ${first.rule} line ${first.line ?? '?'}: ${first.what}${more}`,
    file,
    'Try: skein repair. If it stays, this is a fault in Skein: please report it.',
  );
}

const LONG_BYTES = 64 << 20;

/** Whether a resume of both would send the same. Long texts are compared by their ends and a fingerprint. */
export function sendsTheSame(a: readonly Entry[], b: readonly Entry[]): boolean {
  const isLong = Math.max(sizeOf(a), sizeOf(b)) > LONG_BYTES;
  return digestOfSent(a, isLong) === digestOfSent(b, isLong);
}

/** One after the other: both at once may not fit in memory. */
function digestOfSent(entries: readonly Entry[], isLong: boolean): string {
  const hash = createHash('sha256');
  const { messages } = contextOf(isLong ? withShortTexts(entries) : entries, { prompt: 'x' });
  for (const message of messages) hash.update(JSON.stringify(message));
  return hash.digest('hex');
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.at(-1)?.line.end ?? 0;
}
