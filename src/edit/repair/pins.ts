/** R2, R4: a `last-prompt` that holds a resume back from what was said after it. */
import type { Entry } from '../../format/entry.ts';
import { chainOf, leafOf } from '../../graph/chain.ts';
import type { Note } from '../log.ts';

/** The entries without pins that are stale. One that was written last is what the person wanted. */
export function withoutStalePins(entries: readonly Entry[], notes: Note[]): readonly Entry[] {
  const place = entries.findLastIndex(({ kind, head }) => kind === 'last-prompt' && head.leafUuid !== undefined);
  const line = entries[place];
  if (line === undefined) return entries;
  const what = whyStale(entries, place);
  if (what === undefined) return entries;
  notes.push({ rule: 'R4', what, line: line.line.number });
  return entries.filter(({ kind }) => kind !== 'last-prompt');
}

function whyStale(entries: readonly Entry[], place: number): string | undefined {
  const chain = chainOf(entries);
  const wanted = entries[place]?.head.leafUuid ?? '';
  if (!chain.nodes.has(wanted) && !entries.some(({ head }) => head.uuid === wanted)) {
    return 'last-prompt names an entry that is not there: left out';
  }
  const { pin, tip } = chain;
  if (pin === undefined || tip === undefined || leafOf(chain) !== pin || pin === tip) return undefined;
  const last = entries.findLastIndex(({ head }) => head.uuid === tip.key);
  return last > place ? 'last-prompt holds a resume back from what was said after it: left out' : undefined;
}
