/** The usage a transcript tells of, message by message. Only lines that tell of some are looked into. */
import { createIds, type Ids } from '../format/ids.ts';
import { isObject, type JsonObject, parseJson } from '../format/json.ts';
import { decode } from '../format/text.ts';
import { valuesOf } from '../format/values.ts';
import type { MessageIds } from '../graph/messages.ts';
import { estimatedOutput } from '../graph/usage/estimate.ts';
import { besidesOf, createUsageFold, isIncomplete, type MessageUsage } from '../graph/usage/fold.ts';
import {
  isBetterOrigin,
  type LineOrigin,
  type LineUsage,
  USAGE_KEEP,
  USAGE_NEEDLE,
  usageInLine,
  uuidInLine,
} from '../graph/usage/line.ts';
import { createLineOrigins } from '../graph/usage/origins.ts';
import { idsAround } from './nameless.ts';
import { linesHolding } from './needle.ts';
import { fileSource } from './source.ts';

export type FileUsage = MessageUsage<LineOrigin>;

export interface UsageOptions {
  /** Told of every line, with the number of the message it belongs to in this file. Lines have their numbers then. */
  readonly onLine?: (line: LineUsage, message: number) => void;
  /** Called after each part of a large file. */
  readonly onPart?: () => void;
  /** The ids of messages, where several files are read. */
  readonly ids?: () => Ids;
}

/** A message, and its number in the file. */
export type VisitUsage = (message: FileUsage, number: number) => void;

const PART_BYTES = 16 << 20;
/** Of one file: more are hardly in any. */
const MOST_AT_HAND = 8192;

const NEEDLE = Buffer.from(USAGE_NEEDLE);

/** Each message of the file once, and once more where progress entries repeat it. Throws DiskError. */
export function usageOfFile(file: string, options: UsageOptions = {}): FileUsage[] {
  const messages: FileUsage[] = [];
  readUsage(file, (message) => messages.push(message), options);
  return messages;
}

/** The same one by one: all of the file is read before the first. */
export function readUsage(file: string, visit: VisitUsage, options: UsageOptions = {}): void {
  const { onLine, onPart, ids = createIdsOnce() } = options;
  const own = createCounter(file, ids);
  const copies = createCounter(file, ids);
  let around: ((line: LineUsage) => MessageIds | undefined) | undefined;
  let part = PART_BYTES;
  const add = (line: LineUsage, isCopy: boolean) => {
    const counter = isCopy ? copies : own;
    if (onLine === undefined) counter.add(line);
    else onLine(line, numberIn(counter.add({ ...line }), isCopy));
  };
  for (const line of linesOfUsage(file, onLine !== undefined)) {
    if (line.origin.end >= part) {
      part = line.origin.end + PART_BYTES;
      onPart?.();
    }
    if (line.key === undefined) around ??= idsAround(file);
    const said = line.key === undefined ? { ...line, ...around?.(line) } : line;
    const { isCopy } = line.origin;
    add(said, isCopy);
    if (said.usage.besides !== undefined)
      besidesOf(said).forEach((each, besides) => {
        add({ ...each, besides }, isCopy);
      });
  }
  own.drain(visit);
  copies.drain((message, number) => visit(message, numberIn(number, true)));
}

/** Copies are messages of their own until files are joined. */
function numberIn(number: number, isCopy: boolean): number {
  return isCopy ? -1 - number : number;
}

export function createIdsOnce(): () => Ids {
  let ids: Ids | undefined;
  return () => {
    ids ??= createIds();
    return ids;
  };
}

function* linesOfUsage(file: string, numbered: boolean): Generator<LineUsage> {
  for (const { line, bytes } of linesHolding(file, NEEDLE, { numbered })) {
    const json = valuesOf(line, bytes, USAGE_KEEP) ?? {};
    const usage = usageInLine(json, { file, line: line.number, start: line.start, end: line.end });
    if (usage !== undefined) yield numbered ? { ...usage, uuid: uuidInLine(json) } : usage;
  }
}

/** One file's messages. What is needed to guess at missing output is remembered while it is missing. */
function createCounter(file: string, ids: () => Ids) {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin, {
    most: () => MOST_AT_HAND,
    ids,
    origins: createLineOrigins,
  });
  const untold = createUntold();
  return {
    add(line: LineUsage): number {
      const number = fold.add(line);
      // What is told once stays told.
      if (isIncomplete(line) && isIncomplete(fold.at(number))) untold.add(number, line.origin);
      return number;
    },
    drain(visit: VisitUsage): void {
      fold.drain((message, number) => {
        const lines = isIncomplete(message) ? untold.linesOf(number) : [];
        if (lines.length > 0) Object.assign(message, { estimate: estimateOf(file, lines) });
        visit(message, number);
      });
    },
  };
}

type Span = Pick<LineOrigin, 'start' | 'end'>;

/** The lines of messages that may be told no output. */
function createUntold() {
  const starts: number[] = [];
  const ends: number[] = [];
  /** Of the same message, the one before. */
  const before: number[] = [];
  const last = new Map<number, number>();
  return {
    add(message: number, { start, end }: Span): void {
      before.push(last.get(message) ?? -1);
      last.set(message, starts.push(start) - 1);
      ends.push(end);
    },
    linesOf(message: number): Span[] {
      const lines: Span[] = [];
      for (let at = last.get(message) ?? -1; at >= 0; at = before[at] ?? -1)
        lines.push({ start: starts[at] ?? 0, end: ends[at] ?? 0 });
      return lines.reverse();
    },
  };
}

function estimateOf(file: string, lines: readonly Span[]): number {
  const source = fileSource(file);
  try {
    const once = new Map<unknown, JsonObject>();
    for (const { start, end } of lines) {
      const json = parseJson(decode(source.read(start, end)).replace(/^\ufeff/, ''));
      if (isObject(json)) once.set(uuidInLine(json) ?? json, json);
    }
    return estimatedOutput(once.values());
  } finally {
    source.close();
  }
}

/** Lines of old agents do not say whose they are; the name of their file does (L3). */
export function ofAgent(message: FileUsage, agentId: string): FileUsage {
  const { origin } = message;
  if (origin.isCopy || origin.agentId !== undefined) return message;
  return Object.assign(message, { origin: { ...origin, agentId } });
}
