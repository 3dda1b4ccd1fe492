/**
 * The branches of a conversation (H3, E5, C1): what a rewind, a retry or a fork left beside what a resume goes on from.
 * Works on one file, or on the files of a chat put together. Linear, and never throws.
 */
import type { Entry } from '../format/entry.ts';
import { lazy } from '../format/lazy.ts';
import { isKeptBy } from './branches/compaction.ts';
import { type LinkOptions, type Links, linksOf, NONE } from './branches/links.ts';
import { parentsFirst } from './branches/order.ts';
import { placeLines } from './branches/places.ts';
import { START, type Steps, stepsOf } from './branches/steps.ts';
import { chainOf, leafOf } from './chain.ts';
import { countTurns } from './turns.ts';
import { notePart } from './uuids.ts';

export interface Branch {
  /** The uuid of its last entry; undefined where entries have none (E15). */
  readonly head: string | undefined;
  /** The last entry it shares with another branch; undefined for an only branch, and for one that begins anew. */
  readonly forkedAt: string | undefined;
  /** Turns that no other branch has. */
  readonly turns: number;
  /** What a resume goes on from (R2–R5). */
  readonly current: boolean;
}

export interface Branches {
  /** In the order in which they begin. Empty when nothing was said. */
  readonly branches: readonly Branch[];
  readonly current: Branch | undefined;
  /** Every entry of that conversation, in its order: all but what belongs only to other branches. Without a branch, all there is. */
  entriesOf(branch: Branch | undefined): Entry[];
  /** The branch that ends with an entry, or with another line of its step. */
  endingWith(entry: Entry): Branch | undefined;
  /** A branch that holds an entry: the current one if it does, else the newest. */
  containing(entry: Entry): Branch | undefined;
}

export interface BranchOptions extends LinkOptions {
  /** The entry a resume goes on from, where it is known; otherwise that of the file. */
  readonly leaf?: Entry;
}

/** A branch while it is made: the step it ends with, and the first step of its own. */
interface Draft {
  readonly last: number;
  readonly own: number | undefined;
  readonly head: Entry | undefined;
  readonly forkedAt: Entry | undefined;
  readonly current: boolean;
}

export function branchesOf(entries: readonly Entry[], options: BranchOptions = {}): Branches {
  const links = linksOf(entries, options);
  const leaf = options.leaf ?? leafOf(chainOf(entries))?.entry;
  const leafNode = leaf === undefined ? NONE : (links.nodeAt[entries.indexOf(leaf)] ?? NONE);
  const steps = stepsOf(links, parentsFirst(nodesOf(links), links.nodeAt, links.parent), leafNode);
  const drafts = draftsOf(entries, links, steps, leafNode);
  const lines = placeLines(entries, links, steps);
  const turns = lazy(() => ownTurns(entries, steps, drafts, lines.stepAt));
  const made = new Map(drafts.map((draft, index) => [toBranch(draft, () => turns()[index] ?? 0), draft]));
  const branches = [...made.keys()];
  return {
    branches,
    current: branches.find((branch) => branch.current),
    entriesOf: (branch) => {
      const draft = branch === undefined ? undefined : made.get(branch);
      const places = draft === undefined ? [...entries.keys()] : lines.on(pathTo(steps, draft.last));
      const found = entriesAt(entries, parentsFirst(places, links.nodeAt, links.parent));
      notePart(found, links);
      return found;
    },
    endingWith: (entry) => {
      const step = steps.stepOf[links.nodeAt[entries.indexOf(entry)] ?? NONE];
      return branches.find((branch) => made.get(branch)?.last === step);
    },
    containing: (entry) => {
      const step = steps.stepOf[links.nodeAt[entries.indexOf(entry)] ?? NONE] ?? START;
      const holding = branches.filter((branch) => pathTo(steps, made.get(branch)?.last ?? START)[step] === 1);
      return holding.find((branch) => branch.current) ?? holding.at(-1);
    },
  };
}

function entriesAt(entries: readonly Entry[], places: readonly number[]): Entry[] {
  const found: Entry[] = [];
  for (const place of places) {
    const entry = entries[place];
    if (entry !== undefined) found.push(entry);
  }
  return found;
}

function nodesOf({ nodeAt }: Links): number[] {
  const nodes: number[] = [];
  for (let place = 0; place < nodeAt.length; place += 1) if (nodeAt[place] === place) nodes.push(place);
  return nodes;
}

/** Turns are counted when someone asks: most who open a chat do not. */
function toBranch({ head, forkedAt, current }: Draft, turns: () => number): Branch {
  return {
    head: head?.head.uuid,
    forkedAt: forkedAt?.head.uuid,
    get turns() {
      return turns();
    },
    current,
  };
}

function draftsOf(entries: readonly Entry[], links: Links, steps: Steps, leafNode: number): Draft[] {
  const lasts = lastPlaces(entries, links, steps);
  const leaf = links.content[leafNode];
  const leafStep = leaf && pastCompaction(links, steps, steps.stepOf[leafNode] ?? START, leaf);
  const ends = steps.children.flatMap((children, step) =>
    children.length === 0 && lasts[step] !== NONE ? [step] : [],
  );
  const newest = ends.reduce((best, end) => Math.max(best, lasts[end] ?? NONE), NONE);
  const drafts = ends.map((last): Draft => {
    const own = firstOwnStep(steps, last);
    const isCurrent = leafStep === undefined ? lasts[last] === newest : leafStep === last;
    return {
      last,
      own,
      head: isCurrent && steps.stepOf[leafNode] === last ? leaf : entries[lasts[last] ?? NONE],
      forkedAt: own === undefined ? undefined : forkPoint(links, steps.first[own]),
      current: isCurrent,
    };
  });
  // After a rewind without a new prompt a resume goes on from inside.
  if (leafStep !== undefined && leaf !== undefined && !ends.includes(leafStep)) {
    drafts.push({ last: leafStep, own: undefined, head: leaf, forkedAt: leaf, current: true });
  }
  return drafts.sort((a, b) => beginning(steps, a) - beginning(steps, b));
}

/** C2: a resume puts what a compaction kept behind its summary and goes on from there; in the chat the compaction comes after it. */
function pastCompaction(links: Links, steps: Steps, leafStep: number, leaf: Entry): number {
  const [next, other] = steps.children[leafStep] ?? [];
  const boundary = links.content[next === undefined || other !== undefined ? NONE : (steps.first[next] ?? NONE)];
  if (boundary === undefined || !isKeptBy(leaf, boundary)) return leafStep;
  let step = leafStep;
  for (let after = steps.children[step]; after?.length === 1; after = steps.children[step]) step = after[0] ?? step;
  return steps.children[step]?.length === 0 ? step : leafStep;
}

function beginning(steps: Steps, { own, last }: Draft): number {
  return own === undefined ? (steps.first[last] ?? NONE) : (steps.first[own] ?? NONE);
}

/** By step: the place of its last line; one that a resume could go on from (R3), if it has any. */
function lastPlaces(entries: readonly Entry[], links: Links, steps: Steps): Int32Array {
  const lasts = new Int32Array(steps.parent.length).fill(NONE);
  const isTip = (entry: Entry | undefined) =>
    entry !== undefined && entry.kind !== 'progress' && entry.kind !== 'unknown' && !links.isAside(entry);
  for (let place = 0; place < entries.length; place += 1) {
    const node = links.nodeAt[place] ?? NONE;
    if (node === NONE) continue;
    const step = steps.stepOf[node] ?? START;
    const known = lasts[step] ?? NONE;
    if (known === NONE || isTip(entries[place]) || !isTip(entries[known])) lasts[step] = place;
  }
  return lasts;
}

/** The step after the last fork on the way to a branch's end; undefined when there is no fork. */
function firstOwnStep(steps: Steps, last: number): number | undefined {
  for (let step = last; step !== START; step = steps.parent[step] ?? START) {
    const before = steps.parent[step] ?? START;
    if ((steps.children[before]?.length ?? 0) > 1) return step;
  }
  return undefined;
}

function forkPoint(links: Links, first: number | undefined): Entry | undefined {
  let node = links.parent[first ?? NONE] ?? NONE;
  while (node !== NONE && links.content[node]?.kind === 'progress') node = links.parent[node] ?? NONE;
  return links.content[node];
}

function pathTo(steps: Steps, last: number): Uint8Array {
  const on = new Uint8Array(steps.parent.length);
  for (let step = last; step !== START; step = steps.parent[step] ?? START) on[step] = 1;
  on[START] = 1;
  return on;
}

/** Turns are counted where a branch is alone: from its first own step on, or everywhere when it is the only one. */
function ownTurns(entries: readonly Entry[], steps: Steps, drafts: readonly Draft[], stepAt: Int32Array): number[] {
  const owner = new Int32Array(steps.parent.length).fill(NONE);
  for (const [index, { last, own, forkedAt, head }] of drafts.entries()) {
    if (own === undefined && forkedAt !== undefined && forkedAt === head) continue;
    for (let step = last; step !== START; step = steps.parent[step] ?? START) {
      owner[step] = index;
      if (step === own) break;
    }
  }
  const own: Entry[][] = drafts.map(() => []);
  for (const [place, entry] of entries.entries()) own[owner[stepAt[place] ?? NONE] ?? NONE]?.push(entry);
  return own.map(countTurns);
}
