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

/** What is known of one file. */
interface FileSteps {
  /** The steps of its first entry and of the last so far. */
  first: number;
  last: number;
  readonly early: number[];
}

export function placeLines(entries: readonly Entry[], links: Links, steps: Steps): Places {
  const stepAt = new Int32Array(entries.length).fill(NONE);
  const files = createFiles();
  for (let place = 0; place < entries.length; place += 1) {
    const entry = entries[place];
    if (entry === undefined) continue;
    const node = links.nodeAt[place] ?? NONE;
    const file = files.of(entry);
    if (node !== NONE) {
      const step = steps.stepOf[node] ?? START;
      stepAt[place] = step;
      file.last = step;
      if (file.first === NONE) file.first = step;
    } else if (!SESSION_WIDE.has(entry.kind)) {
      if (file.last === NONE) file.early.push(place);
      else stepAt[place] = file.last;
    }
  }
  // What stands before the first entry of a file goes with it.
  for (const { early, first } of files.all()) for (const place of early) stepAt[place] = first === NONE ? START : first;
  return { stepAt, on: (path) => placesOn(path, entries, links, stepAt, files) };
}

function placesOn(
  path: Uint8Array,
  entries: readonly Entry[],
  links: Links,
  stepAt: Int32Array,
  files: Files,
): number[] {
  const touched = new Set<FileSteps>();
  let last: FileSteps | undefined;
  for (let place = 0; place < entries.length; place += 1) {
    const entry = entries[place];
    if (entry === undefined || links.nodeAt[place] === NONE || path[stepAt[place] ?? NONE] !== 1) continue;
    const file = files.of(entry);
    if (file !== last) touched.add(file);
    last = file;
  }
  const on: number[] = [];
  for (let place = 0; place < entries.length; place += 1) {
    const step = stepAt[place] ?? NONE;
    if (step === NONE ? isTouched(entries[place]) : path[step] === 1) on.push(place);
  }
  return on;

  function isTouched(entry: Entry | undefined): boolean {
    const file = entry && files.of(entry);
    return file !== undefined && (touched.has(file) || file.first === NONE);
  }
}

interface Files {
  of(entry: Entry): FileSteps;
  all(): Iterable<FileSteps>;
}

/** By name. Lines of one file follow each other, so the last answer mostly holds again. */
function createFiles(): Files {
  const byName = new Map<string, FileSteps>();
  let source: Entry['source'] | undefined;
  let found: FileSteps = { first: NONE, last: NONE, early: [] };
  return {
    of: (entry) => {
      if (entry.source === source) return found;
      source = entry.source;
      found = byName.get(source.name) ?? { first: NONE, last: NONE, early: [] };
      byName.set(source.name, found);
      return found;
    },
    all: () => byName.values(),
  };
}
