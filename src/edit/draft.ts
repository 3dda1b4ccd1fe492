/** Parts → the log of a slimmed, compressed or repaired session, with its own title and pin (S5, S6). */
import type { Entry } from '../format/entry.ts';
import { linearise, type Part } from './chain.ts';
import { type Cloned, closingLines } from './clone.ts';
import type { FreshUuid } from './ids.ts';
import type { Note } from './log.ts';

export interface DraftOptions {
  readonly sessionId: string;
  /** The session that the parts come from. */
  readonly from: string;
  readonly freshUuid: FreshUuid;
  readonly now: string;
  readonly inPlace?: boolean;
  /** Takes the place of the titles that a person gave before. */
  readonly title?: string;
  readonly lastPrompt?: string;
}

export interface Edited {
  readonly parts: readonly Part[];
  /** Entries that are not carried over. */
  readonly left: readonly Entry[];
  readonly notes: readonly Note[];
}

export function draftOf({ parts, left, notes }: Edited, options: DraftOptions): Cloned {
  const titled = options.title === undefined ? parts : parts.filter(({ entry }) => entry?.kind !== 'custom-title');
  const chained = linearise(titled, { ...options, left });
  const closing = closingLines(options, chained.leaf).map((value) => ({ value }));
  return {
    lines: [...chained.lines, ...closing],
    notes: [...notes, ...chained.notes],
    leaf: chained.leaf,
    remap: chained.remap,
    kept: titled.flatMap(({ entry }) => entry ?? []),
  };
}
