/** The usage a transcript tells of, message by message. Only lines that tell of some are looked into. */
import { type Entry, jsonOf } from '../format/entry.ts';
import { isObject, type JsonObject, parseJson } from '../format/json.ts';
import { decode } from '../format/text.ts';
import { valuesOf } from '../format/values.ts';
import { copiedMessages, idsOfMessage, mergeMessages, withIds } from '../graph/messages.ts';
import type { Message } from '../graph/types.ts';
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
import { linesHolding } from './needle.ts';
import { readEntriesOf } from './read.ts';
import { fileSource } from './source.ts';

export type FileUsage = MessageUsage<LineOrigin>;

export interface UsageOptions {
  /** Told of every line, with the message it belongs to. Lines have their numbers then. */
  readonly onLine?: (line: LineUsage, message: FileUsage) => void;
  /** Called after each part of a large file. */
  readonly onPart?: () => void;
}

const PART_BYTES = 16 << 20;

const NEEDLE = Buffer.from(USAGE_NEEDLE);

/** Each message of the file once, and once more where progress entries repeat it. Throws DiskError. */
export function usageOfFile(file: string, options: UsageOptions = {}): FileUsage[] {
  return usageOfLines(file, options) ?? usageOfMerged(file, options);
}

/** undefined where lines have no id and no request: only those around them tell which message they belong to. */
function usageOfLines(file: string, { onLine, onPart }: UsageOptions): FileUsage[] | undefined {
  const own = createCounter(file);
  const copies = createCounter(file);
  const told: (readonly [LineUsage, FileUsage])[] = [];
  let part = PART_BYTES;
  for (const line of linesOfUsage(file, onLine !== undefined)) {
    if (line.key === undefined) return undefined;
    if (line.origin.end >= part) {
      part = line.origin.end + PART_BYTES;
      onPart?.();
    }
    const { add } = line.origin.isCopy ? copies : own;
    for (const each of line.usage.besides === undefined ? [line] : [line, ...besidesOf(line)]) {
      if (onLine === undefined) add(each);
      else told.push([each, add({ ...each })]);
    }
  }
  for (const [line, message] of told) onLine?.(line, message);
  return [...own.messages(), ...copies.messages()];
}

function* linesOfUsage(file: string, numbered: boolean): Generator<LineUsage> {
  for (const { line, bytes } of linesHolding(file, NEEDLE, { numbered })) {
    const json = valuesOf(line, bytes, USAGE_KEEP) ?? {};
    const usage = usageInLine(json, { file, line: line.number, start: line.start, end: line.end });
    if (usage !== undefined) yield numbered ? { ...usage, uuid: uuidInLine(json) } : usage;
  }
}

/** Of what stands between messages only as much as keeps them apart, and what repeats them. */
function isBetween({ kind, head }: Entry, before: readonly Entry[]): boolean {
  if (kind === 'progress') return head.progress?.copy !== undefined;
  return kind === 'user' && before.at(-1)?.kind !== 'user';
}

/** The same by way of all entries, merged into messages. */
function usageOfMerged(file: string, { onLine }: UsageOptions): FileUsage[] {
  const entries: Entry[] = [];
  for (const entry of readEntriesOf(file))
    if (entry.kind === 'assistant' || isBetween(entry, entries)) entries.push(entry);
  return [mergeMessages(entries), copiedMessages(entries)].flatMap((messages) => {
    const counted = createCounter(file);
    const unnamed = createNames(file);
    const lines = messages.flatMap((message) => linesOf(message, file, unnamed));
    for (const line of lines.sort((a, b) => a.origin.start - b.origin.start)) {
      for (const each of [line, ...besidesOf(line)]) {
        const message = counted.add({ ...each });
        onLine?.(each, message);
      }
    }
    return counted.messages();
  });
}

function linesOf(message: Message, file: string, unnamed: (message: Message, first: LineUsage) => string): LineUsage[] {
  const lines = message.entries.flatMap((entry) => {
    const json = jsonOf(entry) ?? {};
    const { number, start, end } = entry.line;
    const line = usageInLine(json, { file, line: number, start, end });
    return line === undefined ? [] : [{ ...line, uuid: uuidInLine(json) }];
  });
  const [first] = lines;
  if (first === undefined) return [];
  const ids = idsOfMessage(message, () => unnamed(message, first));
  return lines.map((line) => withIds(line, ids));
}

/**
 * What tells messages without any id apart, the same for their copies in other files: when they were said, by whom, and what they took; what
 * only looks alike in one file is told apart by its order.
 */
function createNames(file: string): (message: Message, first: LineUsage) => string {
  const alike = new Map<string, number>();
  return (message, first) => {
    if (first.time === undefined) return `${file}:${message.entries[0]?.line.start}`;
    const { input, output, cacheCreation, cacheRead } = first.usage;
    const said = [new Date(first.time).toISOString(), first.model, input, output, cacheCreation, cacheRead].join(' ');
    const before = alike.get(said) ?? 0;
    alike.set(said, before + 1);
    return `${said} #${before}`;
  };
}

/** One file's messages. What is needed to guess at missing output is remembered while it is missing. */
function createCounter(file: string) {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin);
  const untold = new Map<FileUsage, LineUsage[]>();
  return {
    add(line: LineUsage): FileUsage {
      const message = fold.add(line);
      if (!isIncomplete(message)) untold.delete(message);
      else untold.set(message, [...(untold.get(message) ?? []), line]);
      return message;
    },
    messages(): FileUsage[] {
      for (const [message, lines] of untold) Object.assign(message, { estimate: estimateOf(file, lines) });
      return fold.messages();
    },
  };
}

function estimateOf(file: string, lines: readonly LineUsage[]): number {
  const source = fileSource(file);
  try {
    const once = new Map<unknown, JsonObject>();
    for (const { origin } of lines) {
      const json = parseJson(decode(source.read(origin.start, origin.end)).replace(/^\ufeff/, ''));
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
