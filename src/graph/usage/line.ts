/** The usage a line tells of, from as little of the line as is needed: own messages and copies in progress entries (E18). */
import { asName, asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import { sharedString } from '../../format/share.ts';
import { keepKeys } from '../../format/skeleton.ts';
import { dollarsOf, usageOf } from '../../format/usage.ts';
import { millisOf } from '../time.ts';
import type { Sighting } from './fold.ts';
import { timeOfUse } from './time.ts';

/** Stands in every line that tells of usage. */
export const USAGE_NEEDLE = '"usage"';

const MESSAGE = keepKeys({
  id: 'value',
  role: 'value',
  model: 'value',
  stop_reason: 'value',
  timestamp: 'value',
  usage: 'value',
});

/** Everything `usageInLine` looks at. */
export const USAGE_KEEP = keepKeys({
  type: 'value',
  uuid: 'value',
  timestamp: 'value',
  requestId: 'value',
  agentId: 'value',
  isSidechain: 'value',
  cwd: 'value',
  gitBranch: 'value',
  costUSD: 'value',
  forkedFrom: 'type',
  message: MESSAGE,
  data: keepKeys({
    agentId: 'value',
    message: keepKeys({ type: 'value', uuid: 'value', timestamp: 'value', requestId: 'value', message: MESSAGE }),
  }),
});

/** Where a message was said, as the line has it. */
export interface LineOrigin {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly agentId?: string;
  readonly isSidechain: boolean;
  /** A copy inside a progress entry (E18). */
  readonly isCopy: boolean;
  /** A copy that says so itself (H1). */
  readonly isFork: boolean;
}

export interface LineUsage extends Sighting<LineOrigin> {
  /** Only where it is asked for: of very many messages it takes memory. */
  readonly uuid?: string;
  /** Of what was done besides the message of its line: which of them. */
  readonly besides?: number;
}

/** Of a line that tells of usage: its own, or that of the line it repeats. */
export function uuidInLine(entry: JsonObject): string | undefined {
  return asString((entry.type === 'progress' ? asObject(asObject(entry.data)?.message) : entry)?.uuid);
}

type Place = Pick<LineOrigin, 'file' | 'line' | 'start' | 'end'>;

/** undefined when the line tells of none. */
export function usageInLine(entry: JsonObject, place: Place): LineUsage | undefined {
  const message = asObject(entry.message);
  if ((asString(entry.type) ?? asString(message?.role)) === 'assistant') return toUsage(entry, entry, message, place);
  const copy = entry.type === 'progress' ? asObject(asObject(entry.data)?.message) : undefined;
  const inner = asObject(copy?.message);
  if (copy === undefined || (asString(copy.type) ?? asString(inner?.role)) !== 'assistant') return undefined;
  return toUsage(entry, copy, inner, place);
}

/** `told` is the entry that holds the message: the line itself, or what a progress entry repeats. */
function toUsage(
  entry: JsonObject,
  told: JsonObject,
  message: JsonObject | undefined,
  { file, line, start, end }: Place,
): LineUsage | undefined {
  const usage = usageOf(message?.usage);
  if (usage === undefined) return undefined;
  const isCopy = told !== entry;
  const requestId = asName(told.requestId);
  const model = sharedString(message?.model);
  return {
    key: asName(message?.id) ?? requestId,
    requestId,
    usage,
    ended: asString(message?.stop_reason) !== undefined,
    synthetic: model === '<synthetic>',
    model,
    time: timeOfUse(millisOf(asString(told.timestamp) ?? asString(message?.timestamp))),
    costUSD: dollarsOf(told.costUSD),
    origin: {
      file,
      line,
      start,
      end,
      cwd: sharedString(entry.cwd),
      gitBranch: sharedString(entry.gitBranch),
      agentId: sharedString(isCopy ? asObject(entry.data)?.agentId : entry.agentId),
      isSidechain: isCopy || entry.isSidechain === true,
      isCopy,
      isFork: isThere(entry.forkedFrom),
    },
  };
}

function isThere(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

/** A message is counted where it was said first: under its own line rather than a copy; of equals the first met. */
export function isBetterOrigin(now: LineOrigin, before: LineOrigin): boolean {
  return rank(now) < rank(before);
}

function rank({ isCopy, isFork }: LineOrigin): number {
  return (isCopy ? 2 : 0) + (isFork ? 1 : 0);
}
