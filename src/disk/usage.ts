/** The usage a transcript tells of, message by message. Only lines that tell of some are looked into. */
import { jsonOf } from '../format/entry.ts';
import { isObject, type JsonObject, parseJson } from '../format/json.ts';
import { decode } from '../format/text.ts';
import { valuesOf } from '../format/values.ts';
import { copiedMessages, keyOfMessage, mergeMessages } from '../graph/messages.ts';
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
} from '../graph/usage/line.ts';
import { lastContentOf } from './lastcontent.ts';
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
const NONE: readonly LineUsage[] = [];

/** Each message of the file once, and once more where progress entries repeat it. Throws DiskError. */
export function usageOfFile(file: string, options: UsageOptions = {}): FileUsage[] {
  const counted = countLines(file, options);
  if (counted !== 'repeated') return counted ?? usageOfMerged(file, options);
  return countRepeated(file, options) ?? usageOfMerged(file, options);
}

/** `repeated` where a line occurs again; undefined where lines have no id: only those around them tell which message they belong to. */
function countLines(file: string, options: UsageOptions): FileUsage[] | 'repeated' | undefined {
  const uuids = { own: new Set<string>(), copies: new Set<string>() };
  return countEach(file, options, (line, add) => {
    if (line.key === undefined) return undefined;
    const seen = line.origin.isCopy ? uuids.copies : uuids.own;
    const { size } = seen;
    if (line.uuid !== undefined && seen.add(line.uuid).size === size) return 'repeated';
    add(line);
    return 'counted';
  });
}

/** Such a line belongs where its last content says (E12); the request of a message is the first that its lines tell. */
function countRepeated(file: string, options: UsageOptions): FileUsage[] | undefined {
  const last = lastContentOf(file);
  const requests = new Map<FileUsage, string>();
  const counted = countEach(file, options, (line, add) => {
    const said = { ...line, ...last.of(line) };
    if (said.key === undefined) return undefined;
    const message = add(said);
    if (line.requestId !== undefined && !requests.has(message)) requests.set(message, line.requestId);
    return 'counted';
  });
  for (const [message, requestId] of requests) Object.assign(message, { requestId });
  return counted === 'repeated' ? undefined : counted;
}

type Add = (line: LineUsage) => FileUsage;

/** `count`: adds a line to its message, or says why that cannot be told. */
function countEach(
  file: string,
  options: UsageOptions,
  count: (line: LineUsage, add: Add) => 'counted' | 'repeated' | undefined,
): FileUsage[] | 'repeated' | undefined {
  const own = createCounter(file);
  const copies = createCounter(file);
  const told: (readonly [LineUsage, FileUsage])[] = [];
  let part = PART_BYTES;
  for (const line of linesOfUsage(file, options.onLine !== undefined)) {
    if (line.origin.end >= part) {
      part = line.origin.end + PART_BYTES;
      options.onPart?.();
    }
    const { add } = line.origin.isCopy ? copies : own;
    const addTold: Add = (each) => {
      if (options.onLine === undefined) return add(each);
      const message = add({ ...each });
      told.push([each, message]);
      return message;
    };
    const done = count(line, (said) => {
      const counted = addTold(said);
      for (const each of said.usage.besides === undefined ? NONE : besidesOf(said)) addTold(each);
      return counted;
    });
    if (done !== 'counted') return done;
  }
  for (const [line, message] of told) options.onLine?.(line, message);
  return [...own.messages(), ...copies.messages()];
}

function* linesOfUsage(file: string, numbered: boolean): Generator<LineUsage> {
  for (const { line, bytes } of linesHolding(file, NEEDLE, { numbered })) {
    const json = valuesOf(line, bytes, USAGE_KEEP);
    const usage = json && usageInLine(json, { file, line: line.number, start: line.start, end: line.end });
    if (usage !== undefined) yield usage;
  }
}

/** The same by way of all entries, merged into messages. */
function usageOfMerged(file: string, { onLine }: UsageOptions): FileUsage[] {
  const entries = [...readEntriesOf(file)];
  return [mergeMessages(entries), copiedMessages(entries)].flatMap((messages) => {
    const counted = createCounter(file);
    const keyOf = keysOf(file);
    for (const line of messages.flatMap((message) => linesOf(message, file, keyOf))) {
      const message = counted.add({ ...line });
      onLine?.(line, message);
    }
    return counted.messages();
  });
}

function linesOf(
  message: Message,
  file: string,
  keyOf: (message: Message, lines: readonly LineUsage[]) => string,
): LineUsage[] {
  const lines = message.entries.flatMap((entry) => {
    const json = jsonOf(entry);
    const { number, start, end } = entry.line;
    const line = json && usageInLine(json, { file, line: number, start, end });
    return line === undefined ? [] : [line];
  });
  if (lines.length === 0) return [];
  const key = keyOf(message, lines);
  const own = { key, requestId: message.requestId, synthetic: message.synthetic };
  return lines.map((line) => ({ ...line, ...own })).flatMap((line) => [line, ...besidesOf(line)]);
}

/**
 * What tells messages apart, the same for their copies in other files, of which the end may be missing. Where there is no id at all
 * it is when they were said, by whom, and what they took; what only looks alike in one file is told apart by its order.
 */
function keysOf(file: string): (message: Message, lines: readonly LineUsage[]) => string {
  const alike = new Map<string, number>();
  return (message, [first]) => {
    const known = keyOfMessage(message);
    if (known !== undefined) return known;
    if (first?.time === undefined) return `${file}:${message.entries[0]?.line.start}`;
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
    const once = new Map(lines.map((line) => [line.uuid ?? line, line]));
    const read = ({ origin }: LineUsage): JsonObject => {
      const json = parseJson(decode(source.read(origin.start, origin.end)).replace(/^\ufeff/, ''));
      return isObject(json) ? json : {};
    };
    return estimatedOutput([...once.values()].map(read));
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
