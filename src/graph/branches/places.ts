/** Where the lines belong that are not part of the chain: snapshots, queue operations, requests, titles. */
import type { Entry } from '../../format/entry.ts';
import { type Links, NONE } from './links.ts';
import { START, type Steps } from './steps.ts';

export interface Places {
  /** By place: the step of an entry, of another line that of the entry before it in its file; NONE for lines about the whole session. */
  readonly stepAt: Int32Array;
  /** The places of all lines that belong to a path of steps, in file order. */
  on(path: Uint8Array): number[];
}

/** Lines that speak of the session, not of a moment in it. */
const SESSION_WIDE = new Set([
  'summary',
  'custom-title',
  'ai-title',
  'agent-name',
  'tag',
  'mode',
  'permission-mode',
  'last-prompt',
  'pr-link',
  'cost-state',
  'tools-used',
  'atis-latch',
]);

export function placeLines(entries: readonly Entry[], links: Links, steps: Steps): Places {
  const stepAt = new Int32Array(entries.length).fill(NONE);
  const last = new Map<Entry['source'], number>();
  const first = new Map<Entry['source'], number>();
  const early: number[] = [];
  for (const [place, entry] of entries.entries()) {
    const node = links.nodeAt[place] ?? NONE;
    if (node !== NONE) {
      const step = steps.stepOf[node] ?? START;
      stepAt[place] = step;
      last.set(entry.source, step);
      if (!first.has(entry.source)) first.set(entry.source, step);
    } else if (!SESSION_WIDE.has(entry.kind)) {
      const step = last.get(entry.source);
      if (step === undefined) early.push(place);
      else stepAt[place] = step;
    }
  }
  // What stands before the first entry of a file goes with it.
  for (const place of early) {
    const source = entries[place]?.source;
    stepAt[place] = (source === undefined ? undefined : first.get(source)) ?? START;
  }
  return {
    stepAt,
    on: (path) => {
      const touched = new Set<Entry['source']>();
      for (const [place, entry] of entries.entries()) {
        if (links.nodeAt[place] !== NONE && path[stepAt[place] ?? NONE] === 1) touched.add(entry.source);
      }
      const on: number[] = [];
      for (const [place, entry] of entries.entries()) {
        const step = stepAt[place] ?? NONE;
        const isOn = step === NONE ? touched.has(entry.source) || !first.has(entry.source) : path[step] === 1;
        if (isOn) on.push(place);
      }
      return on;
    },
  };
}
