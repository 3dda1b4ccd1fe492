/** Everything that is made of the archive, one after the other. What joins the index (DERIVED_SCHEMA) is made here. */

import { allStates } from '../files.ts';
import { updateChats } from '../search/chats.ts';
import type { Archive } from '../store.ts';
import { isStillGrowing, updateOutlinesInTurns } from './outlinemaker.ts';
import { type Indexed, type IndexOptions, updateIndexInTurns } from './textindex.ts';

export interface Derived extends Indexed {
  /** Something waits until a large session rests: there will be more to do although the archive does not change. */
  readonly later: boolean;
}

export interface DeriveOptions extends IndexOptions {
  /** What is made next, after the words, of which onPack tells. */
  readonly onPart?: (what: string) => void;
  /** Usage too, which otherwise waits until someone asks for it. */
  readonly usage?: boolean;
}

/** Adds what is not there yet. Stopped by the signal, it goes on from there another time. */
export async function deriveInTurns(archive: Archive, options: DeriveOptions = {}): Promise<Derived> {
  const indexed = await updateIndexInTurns(archive, options);
  options.onPart?.('outlines of sessions');
  await updateOutlinesInTurns(archive, { signal: options.signal });
  if (!options.signal?.aborted) updateChats(archive);
  if (options.usage) {
    options.onPart?.('usage');
    // It brings the table of prices along, which a sync need not load.
    const { updateUsageInTurns } = await import('./usagerows.ts');
    await updateUsageInTurns(archive, { signal: options.signal });
  }
  const now = Date.now();
  return { ...indexed, later: allStates(archive.db).some((state) => isStillGrowing(state, state.size, now)) };
}
