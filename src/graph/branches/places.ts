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
  const last = new Map<string, number>();
  const first = new Map<string, number>();
  const early: number[] = [];
  for (const [place, entry] of entries.entries()) {
    const node = links.nodeAt[place] ?? NONE;
    if (node !== NONE) {
      const step = steps.stepOf[node] ?? START;
      stepAt[place] = step;
      last.set(entry.source.name, step);
      if (!first.has(entry.source.name)) first.set(entry.source.name, step);
    } else if (!SESSION_WIDE.has(entry.kind)) {
      const step = last.get(entry.source.name);
      if (step === undefined) early.push(place);
      else stepAt[place] = step;
    }
  }
  // What stands before the first entry of a file goes with it.
  for (const place of early) {
    const source = entries[place]?.source.name;
    stepAt[place] = (source === undefined ? undefined : first.get(source)) ?? START;
  }
  return {
    stepAt,
    on: (path) => {
      const touched = new Set<string>();
      for (const [place, entry] of entries.entries()) {
        if (links.nodeAt[place] !== NONE && path[stepAt[place] ?? NONE] === 1) touched.add(entry.source.name);
      }
      const on: number[] = [];
      for (const [place, entry] of entries.entries()) {
        const step = stepAt[place] ?? NONE;
        const isOn = step === NONE ? touched.has(entry.source.name) || !first.has(entry.source.name) : path[step] === 1;
        if (isOn) on.push(place);
      }
      return on;
    },
  };
}
