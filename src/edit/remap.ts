/** S5: new names for the entries of a copy, and every reference to them. Message ids, tool ids and agent ids stay. */
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../format/json.ts';
import type { FreshUuid } from './ids.ts';

export interface Remap {
  readonly sessionId: string;
  /** The session stays the same one: neither uuids nor session ids change. */
  readonly inPlace: boolean;
  /** The new uuid of an entry that is carried over; the same each time. */
  keep(uuid: string): string;
  /** An entry of the source that is not carried over: references to it go. */
  leave(uuid: string): void;
  /** What a reference becomes: undefined when its entry was left out; one to another file stays as it is, if it can be one. */
  refer(uuid: string, isOwn?: boolean): string | undefined;
  /** Whether an entry of this uuid is carried over. */
  has(uuid: string): boolean;
}

export interface RemapOptions {
  readonly sessionId: string;
  readonly freshUuid: FreshUuid;
  readonly inPlace?: boolean;
}

export function createRemap({ sessionId, freshUuid, inPlace = false }: RemapOptions): Remap {
  const renamed = new Map<string, string | undefined>();
  return {
    sessionId,
    inPlace,
    keep: (uuid) => {
      const known = renamed.get(uuid);
      if (known !== undefined) return known;
      const given = inPlace ? uuid : freshUuid();
      renamed.set(uuid, given);
      return given;
    },
    leave: (uuid) => {
      if (renamed.get(uuid) === undefined) renamed.set(uuid, undefined);
    },
    refer: (uuid, isOwn = false) => {
      const known = renamed.get(uuid);
      return known !== undefined || isOwn || renamed.has(uuid) ? known : uuid;
    },
    has: (uuid) => renamed.get(uuid) !== undefined,
  };
}

/** What was said and what tools gave back: never a reference, whatever it looks like. */
const PAYLOAD: ReadonlySet<string> = new Set(['content', 'toolUseResult', 'input', 'rendered', 'usage']);
/** Where an entry was copied from: it names the original for good. */
const ORIGIN = 'forkedFrom';

const SESSION_KEYS: ReadonlySet<string> = new Set(['sessionId', 'session_id']);

/** `parentUuid`, `leafUuid`, `allUuids`, `sourceToolAssistantUUID`, `source_uuid`, `messageId`, … and those still to come. */
function namesEntries(key: string): boolean {
  // Most names end otherwise, which is told faster without the expression.
  const last = key.charCodeAt(key.length - 1) | 32;
  return (last === 100 || last === 115) && /(?:uuids?|messageid)$/i.test(key);
}

/** Always an entry of the same file: what names one that was never written goes. */
const OWN_ENTRY: ReadonlySet<string> = new Set([
  'parentUuid',
  'logicalParentUuid',
  'sourceToolAssistantUUID',
  'snapshotMessageId',
  'summarizedTurnPromptUuids',
]);

/** The same entry under its new names, as an object of its own; references that went are undefined in it. */
export function remapEntry(value: JsonObject, remap: Remap): JsonObject {
  const mapped = { ...value };
  for (const key of Object.keys(value)) {
    const now = remapValue(key, value[key], remap);
    if (now !== value[key]) mapped[key] = now;
  }
  const compact = asObject(value.compactMetadata);
  if (compact !== undefined) mapped.compactMetadata = remapCompaction(compact, remap);
  return mapped;
}

/** S6: who an entry was first. */
export function originOf(value: JsonObject, fallbackSession: string): JsonObject | undefined {
  const known = asObject(value.forkedFrom);
  if (known !== undefined && typeof known.messageUuid === 'string') return known;
  const messageUuid = asString(value.uuid);
  return messageUuid === undefined
    ? undefined
    : { sessionId: asString(value.sessionId) ?? fallbackSession, messageUuid };
}

/** The very same object where nothing in it changes. */
function remapObject(value: JsonObject, remap: Remap): JsonObject {
  let mapped: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    const now = remapValue(key, inner, remap);
    if (now === inner) continue;
    mapped ??= { ...value };
    if (now === undefined) delete mapped[key];
    else mapped[key] = now;
  }
  return mapped ?? value;
}

function remapValue(key: string, value: Json | undefined, remap: Remap): Json | undefined {
  if (PAYLOAD.has(key) || key === ORIGIN) return value;
  if (typeof value === 'string') {
    if (SESSION_KEYS.has(key)) return remap.inPlace ? value : remap.sessionId;
    return namesEntries(key) ? referFrom(key, value, remap) : value;
  }
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => remapItem(key, item, remap));
    return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
  }
  return isObject(value) ? remapObject(value, remap) : value;
}

function remapItem(key: string, item: Json, remap: Remap): Json[] {
  if (isObject(item)) return [remapObject(item, remap)];
  if (typeof item !== 'string' || !namesEntries(key)) return [item];
  const now = referFrom(key, item, remap);
  return now === undefined ? [] : [now];
}

function referFrom(key: string, uuid: string, remap: Remap): string | undefined {
  return remap.refer(uuid, OWN_ENTRY.has(key));
}

/** C2: a record of what was kept counts as a whole; one that lacks an entry is void. */
function remapCompaction(compact: JsonObject, remap: Remap): JsonObject {
  const { preservedMessages, preservedSegment, ...rest } = compact;
  const [listed, segment] = [asObject(preservedMessages), asObject(preservedSegment)];
  const has = (uuid: Json | undefined) => typeof uuid === 'string' && remap.has(uuid);
  const isListed = listed !== undefined && has(listed.anchorUuid) && (asArray(listed.uuids) ?? []).every(has);
  const isSegment = segment !== undefined && [segment.anchorUuid, segment.headUuid, segment.tailUuid].every(has);
  return {
    ...remapObject(rest, remap),
    ...(isListed && { preservedMessages: withAll(remapObject(listed, remap), listed, remap) }),
    ...(isSegment && { preservedSegment: remapObject(segment, remap) }),
  };
}

function withAll(mapped: JsonObject, listed: JsonObject, remap: Remap): JsonObject {
  const all = asArray(listed.allUuids);
  if (all === undefined) return mapped;
  return {
    ...mapped,
    allUuids: all.flatMap((uuid) => (typeof uuid === 'string' && remap.has(uuid) ? remap.keep(uuid) : [])),
  };
}
