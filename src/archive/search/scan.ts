/** Searching the files themselves: lines that may match are found in the bytes, and only they are parsed. */
import { DiskError, type Problem, toProblem } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { type Finder, linesHolding } from '../../disk/needle.ts';
import { parentSessionOf } from '../../disk/parent.ts';
import { fileSource } from '../../disk/source.ts';
import type { ScanOptions } from '../../store/search.ts';
import { type FilePlace, fileTest, type PartLabels, partTest } from '../../views/search/filter.ts';
import { createMatcher } from '../../views/search/match.ts';
import { callKeyOf, type Found, type Part } from '../../views/search/parts.ts';
import type { Query } from '../../views/search/query.ts';
import { patienceFor } from './budget.ts';
import { createFinder } from './finder.ts';
import { type Candidate, type Loaded, partKey } from './hit.ts';
import { keyOf } from './keys.ts';
import { findableLine } from './lines.ts';
import { createProjects } from './projects.ts';
import { standingPrompts } from './standing.ts';

export interface Scanned {
  /** Copies once, in no order. */
  readonly found: readonly Candidate[];
  readonly files: number;
  readonly problems: readonly Problem[];
}

interface ScanHit extends Candidate {
  readonly isCopy: boolean;
}

export function scanFiles(files: readonly SessionFile[], query: Query, options: ScanOptions = {}): Scanned {
  // Mostly the index knows them all.
  if (files.length === 0) return { found: [], files: 0, problems: [] };
  const problems: Problem[] = [];
  const isWanted = fileTest(query);
  const projectOf = createProjects();
  const placeOf = (file: SessionFile): FilePlace => {
    const place = { path: file.file, slug: file.slug, session: sessionOf(file), agent: file.agentId };
    return { ...place, project: () => projectOf(place) };
  };
  // The oldest file first: it holds the original of what others repeat. What only the archive has comes after what is there.
  const wanted = files
    .filter((file) => isWanted === undefined || isWanted(placeOf(file)))
    .toSorted((a, b) => Number(a.source !== undefined) - Number(b.source !== undefined) || a.mtimeMs - b.mtimeMs);
  const scan = createScan(
    query,
    wanted.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const within = patienceFor(query, options.leastMs);
  for (const file of wanted) {
    const lines = linesOf(file, scan.find);
    try {
      within(file.bytes, file.file, () => scan.add(lines));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      problems.push(toProblem(error, file.file));
    } finally {
      close(lines);
    }
    options.onFile?.(file);
  }
  return { found: scan.found(), files: wanted.length, problems };
}

/** Stopped in the middle, the file would stay open; stopped while it read, nothing more can be done. */
function close(lines: Generator<ScanLine>): void {
  try {
    lines.return(undefined);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

function* linesOf(file: SessionFile, find: Finder): Generator<ScanLine> {
  const stands = standingPrompts(file.file);
  for (const { line, bytes } of linesHolding(file.file, find)) {
    const { start, end } = line;
    yield {
      bytes: asBuffer(bytes),
      load: (place) => loadLine(file, start, end, place),
      isPrompt: () => stands(start),
    };
  }
}

function loadLine(file: SessionFile, start: number, end: number, place: number): Loaded | undefined {
  const source = fileSource(file.file);
  try {
    const found = findableLine(asBuffer(source.read(start, end)));
    const loaded = toLoaded(found, place, file.file, sessionOf(file), file.agentId);
    return loaded && file.source === 'history' ? { ...loaded, promptsOnly: true } : loaded;
  } finally {
    source.close();
  }
}

function sessionOf(file: SessionFile): string | undefined {
  return file.kind === 'agent' ? (file.parentSessionId ?? parentSessionOf(file.file)) : file.sessionId;
}

/** A line that may match, and how to read one of its parts again. */
export interface ScanLine {
  /** Valid until the next is asked for. */
  readonly bytes: Buffer;
  load(place: number): Loaded | undefined;
  /** Of a line that enqueues a prompt: whether nothing else shows it. */
  isPrompt(): boolean;
}

export interface Scan {
  readonly find: Finder;
  /** Of a line by itself: others say nothing. */
  mayMatch(line: Buffer): boolean;
  /** The lines of one file: a result is about what its call in the same file was about. `known`: calls that are not among the lines. */
  add(lines: Iterable<ScanLine>, known?: (call: string) => PartLabels | undefined): void;
  found(): Candidate[];
}

/** `bytes`: about how many there are to look through. */
export function createScan(query: Query, bytes = 0): Scan {
  const { tool, file: about } = query.filters;
  const needsCalls = [tool, about].some(({ any, none }) => any.length + none.length > 0);
  const finder = createFinder(query, needsCalls, bytes);
  const matcher = createMatcher(query);
  const fits = partTest(query);
  const best = new Map<string, ScanHit>();

  function keep(hit: ScanHit): void {
    const before = best.get(hit.key);
    if (before === undefined || (before.isCopy && !hit.isCopy)) best.set(hit.key, hit);
  }

  return {
    find: finder.find,
    mayMatch: finder.mayMatch,
    add(lines, known) {
      const calls = new Map<string, PartLabels>();
      // Whether a result is wanted is known when its call was seen, which may stand after it (E12).
      const waiting = new Map<string, ((labels: PartLabels | undefined) => void)[]>();
      for (const { bytes, load, isPrompt } of lines) {
        const found = finder.mayMatch(bytes) ? findableLine(bytes) : undefined;
        if (found === undefined) continue;
        for (const [place, part] of found.parts.entries()) {
          const call = needsCalls ? callKeyOf(found, part) : undefined;
          if (call !== undefined && part.tool !== undefined) {
            calls.set(call, callOf(part));
            for (const settle of waiting.get(call) ?? []) settle(callOf(part));
            waiting.delete(call);
          }
          if (!matcher.matches(part.text)) continue;
          const settle = (labels = callOf(part)) => {
            if (fits(found, part, labels) && (found.queue?.does !== 'enqueue' || isPrompt()))
              keep(toHit(found, place, load));
          };
          if (call === undefined || calls.has(call)) {
            settle(calls.get(call ?? ''));
            continue;
          }
          const others = waiting.get(call) ?? [];
          others.push(settle);
          waiting.set(call, others);
        }
      }
      for (const [call, settles] of waiting) for (const settle of settles) settle(known?.(call));
    },
    found: () => [...best.values()],
  };
}

function callOf({ tool, file }: Part): PartLabels {
  return { tool, file };
}

/** Lines of files come as Buffers. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function toHit(found: Found, place: number, load: ScanLine['load']): ScanHit {
  return {
    key: partKey(keyOf(found.identity), place),
    time: found.time,
    score: 0,
    isCopy: found.isCopy,
    load: () => load(place),
  };
}

export function toLoaded(
  found: Found | undefined,
  place: number,
  file: string,
  session: string | undefined,
  agent: string | undefined,
): Loaded | undefined {
  const part = found?.parts[place];
  if (found === undefined || part === undefined) return undefined;
  return {
    uuid: found.uuid,
    session: session ?? found.sessionId,
    agent,
    role: found.role,
    where: part.where,
    tool: part.tool,
    isError: part.isError,
    text: part.text,
    time: found.timestamp,
    file,
    cwd: found.cwd,
  };
}
