/**
 * Every known entry type with its own fields (E3, E6, E14, E16), read from the whole object. A missing or odd field is
 * undefined; what is not named here stays in the object. `typedOf` never throws.
 */
import { blocksOf } from './content.ts';
import { asArray, asBoolean, asNumber, asObject, asString, at, isObject, type Json, type JsonObject } from './json.ts';
import type { EntryType } from './kinds.ts';
import { usageOf } from './usage.ts';

/** A checkpoint of one file; in older files the content itself stands where the backup's record would (E16). */
export interface FileBackup {
  readonly path: string;
  readonly backupFileName?: string | null;
  readonly version?: number;
  readonly backupTime?: string;
  /** The folder the file really lies in, whatever links lead there. */
  readonly realParentDir?: string;
  readonly content?: string;
}

const READERS = {
  user: (json: JsonObject) => ({
    blocks: blocksOf(json),
    /** Client-side structured data of a tool result (E6); its shape depends on the tool. */
    toolUseResult: json.toolUseResult,
    permissionMode: asString(json.permissionMode),
    promptSource: asString(json.promptSource),
    originKind: asString(at(json.origin, 'kind')),
    planContent: asString(json.planContent),
    sourceToolUseID: asString(json.sourceToolUseID),
    toolDenialKind: asString(json.toolDenialKind),
    interruptedMessageId: asString(json.interruptedMessageId),
  }),
  assistant: (json: JsonObject) => {
    const message = asObject(json.message) ?? {};
    return {
      blocks: blocksOf(json),
      model: asString(message.model),
      stopReason: message.stop_reason === null ? null : asString(message.stop_reason),
      usage: usageOf(message.usage),
      contextManagement: message.context_management,
      requestId: asString(json.requestId),
      error: json.error,
      apiErrorStatus: asNumber(json.apiErrorStatus),
    };
  },
  system: (json: JsonObject) => ({
    subtype: asString(json.subtype),
    content: asString(json.content),
    level: asString(json.level),
    compact: compactOf(json.compactMetadata),
    durationMs: asNumber(json.durationMs),
    messageCount: asNumber(json.messageCount),
    error: json.error,
    retryInMs: asNumber(json.retryInMs),
    retryAttempt: asNumber(json.retryAttempt),
    maxRetries: asNumber(json.maxRetries),
    hookCount: asNumber(json.hookCount),
    hookErrors: asArray(json.hookErrors),
    stopReason: asString(json.stopReason),
  }),
  summary: (json: JsonObject) => ({ summary: asString(json.summary), leafUuid: asString(json.leafUuid) }),
  progress: (json: JsonObject) => ({
    progress: asString(at(json.data, 'type')),
    data: asObject(json.data) ?? {},
    toolUseID: asString(json.toolUseID),
    parentToolUseID: asString(json.parentToolUseID),
  }),
  attachment: (json: JsonObject) => ({
    attachment: asString(at(json.attachment, 'type')),
    data: asObject(json.attachment) ?? {},
    /** What the client sends for it, as content blocks or messages (R15). */
    rendered: asArray(json.rendered),
    renderedRole: asString(json.renderedRole),
  }),
  'file-history-snapshot': (json: JsonObject) => ({
    messageId: asString(json.messageId),
    isSnapshotUpdate: asBoolean(json.isSnapshotUpdate),
    snapshotMessageId: asString(at(json.snapshot, 'messageId')),
    timestamp: asString(at(json.snapshot, 'timestamp')),
    backups: Object.entries(asObject(at(json.snapshot, 'trackedFileBackups')) ?? {}).map(([path, backup]) =>
      toBackup(path, backup),
    ),
  }),
  'file-history-delta': (json: JsonObject) => ({
    messageId: asString(json.messageId),
    snapshotMessageId: asString(json.snapshotMessageId),
    timestamp: asString(json.timestamp),
    backup: toBackup(asString(json.trackingPath) ?? '', json.backup),
  }),
  'queue-operation': (json: JsonObject) => ({
    operation: asString(json.operation),
    content: asString(json.content),
    reason: asString(json.reason),
  }),
  'pr-link': (json: JsonObject) => ({
    prNumber: asNumber(json.prNumber),
    prUrl: asString(json.prUrl),
    prRepository: asString(json.prRepository),
  }),
  'custom-title': (json: JsonObject) => ({ title: asString(json.customTitle) }),
  'ai-title': (json: JsonObject) => ({ title: asString(json.aiTitle) }),
  'agent-name': (json: JsonObject) => ({ name: asString(json.agentName) }),
  tag: (json: JsonObject) => ({ tag: asString(json.tag) }),
  mode: (json: JsonObject) => ({ mode: asString(json.mode) }),
  'permission-mode': (json: JsonObject) => ({ permissionMode: asString(json.permissionMode) }),
  'last-prompt': (json: JsonObject) => ({
    lastPrompt: asString(json.lastPrompt),
    leafUuid: asString(json.leafUuid),
    explicit: asBoolean(json.explicit),
  }),
  'cost-state': (json: JsonObject) => ({
    totalCostUSD: asNumber(json.totalCostUSD),
    totalAPIDuration: asNumber(json.totalAPIDuration),
    totalToolDuration: asNumber(json.totalToolDuration),
    totalLinesAdded: asNumber(json.totalLinesAdded),
    totalLinesRemoved: asNumber(json.totalLinesRemoved),
    modelUsage: asObject(json.modelUsage),
  }),
  'tools-used': (json: JsonObject) => ({ tools: json.tools }),
  'atis-latch': (json: JsonObject) => ({ atis: json.atis }),
  'api-request': (json: JsonObject) => ({
    id: asString(json.id),
    timestamp: asString(json.timestamp),
    querySource: asString(json.querySource),
    shapeHash: asString(json.shapeHash),
    model: asString(at(json.params, 'model')),
    /** messages = base.messages[0:keep] + tail (E14). */
    base: asString(json.base),
    keep: asNumber(json.keep),
    tail: asArray(json.tail),
  }),
  'api-request-shape': (json: JsonObject) => ({ shapeHash: asString(json.shapeHash), shape: json.shape }),
  'api-request-blob': (json: JsonObject) => ({ hash: asString(json.hash), message: asObject(json.message) }),
} satisfies Record<EntryType, (json: JsonObject) => object>;

type Readers = typeof READERS;

/** The fields of one type. */
export type TypedEntry<T extends EntryType> = ReturnType<Readers[T]>;

export function typedOf<T extends EntryType>(type: T, json: JsonObject): TypedEntry<T>;
export function typedOf(type: EntryType, json: JsonObject): object {
  return READERS[type](json);
}

export interface Compaction {
  readonly trigger?: string;
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly durationMs?: number;
  /** C2: these messages follow the anchor. */
  readonly anchorUuid?: string;
  readonly preservedUuids: readonly string[];
  readonly preservedSegment?: { readonly headUuid?: string; readonly anchorUuid?: string; readonly tailUuid?: string };
}

function compactOf(metadata: Json | undefined): Compaction | undefined {
  if (!isObject(metadata)) return undefined;
  const segment = asObject(metadata.preservedSegment);
  const uuids = asArray(at(metadata.preservedMessages, 'uuids')) ?? [];
  return {
    trigger: asString(metadata.trigger),
    preTokens: asNumber(metadata.preTokens),
    postTokens: asNumber(metadata.postTokens),
    durationMs: asNumber(metadata.durationMs),
    anchorUuid: asString(at(metadata.preservedMessages, 'anchorUuid')),
    preservedUuids: uuids.filter((uuid) => typeof uuid === 'string'),
    preservedSegment: segment && {
      headUuid: asString(segment.headUuid),
      anchorUuid: asString(segment.anchorUuid),
      tailUuid: asString(segment.tailUuid),
    },
  };
}

function toBackup(path: string, backup: Json | undefined): FileBackup {
  if (typeof backup === 'string') return { path, content: backup };
  const record = asObject(backup) ?? {};
  return {
    path,
    backupFileName: record.backupFileName === null ? null : asString(record.backupFileName),
    version: asNumber(record.version),
    backupTime: asString(record.backupTime),
    realParentDir: asString(record.realParentDir),
  };
}
