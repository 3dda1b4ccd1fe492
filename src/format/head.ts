/** What is known of an entry without its payload. Built by one function from the whole object or from its skeleton, so both give the same answers. */
import { asArray, asBoolean, asNumber, asObject, asString, at, isObject, type Json, type JsonObject } from './json.ts';
import { lazy } from './lazy.ts';
import { sharedName, sharedString } from './share.ts';
import { type Keep, keepKeys } from './skeleton.ts';
import { type Usage, usageOf } from './usage.ts';

export interface BlockHead {
  readonly type: string;
  /** tool_use, server_tool_use and the like. */
  readonly id?: string;
  readonly name?: string;
  /** tool_result and the like. */
  readonly toolUseId?: string;
  readonly isError?: boolean;
}

export interface MessageHead {
  readonly id?: string;
  readonly role?: string;
  readonly model?: string;
  readonly stopReason?: string | null;
  readonly usage?: Usage;
}

/** An `agent_progress` or other progress payload; `copy` is the entry of a sub-agent that it repeats (E18). */
export interface ProgressHead {
  readonly type?: string;
  readonly agentId?: string;
  readonly copy?: {
    readonly type?: string;
    readonly uuid?: string;
    readonly timestamp?: string;
    readonly requestId?: string;
    readonly message?: MessageHead;
  };
}

/** What `toolUseResult` says about the call itself (E6); the output stays in the payload. */
export interface ResultHead {
  readonly status?: string;
  readonly agentId?: string;
  readonly backgroundTaskId?: string;
  readonly isAsync?: boolean;
  readonly interrupted?: boolean;
  /** As the tool measured it: `durationMs`, of a sub-agent `totalDurationMs`. */
  readonly durationMs?: number;
}

export interface Head {
  /** As written; undefined when missing (E15), so that the role decides. */
  readonly type?: string;
  readonly subtype?: string;
  /** Of an `api-request`, which `requestRef` names (E14). */
  readonly id?: string;
  /** Of a `queue-operation`. */
  readonly operation?: string;
  readonly uuid?: string;
  /** null is a root; undefined is a missing field. */
  readonly parentUuid?: string | null;
  readonly logicalParentUuid?: string;
  readonly leafUuid?: string;
  readonly sessionId?: string;
  /** ISO 8601 as written, from `timestamp` or else `message.timestamp` (E15). */
  readonly timestamp?: string;
  readonly cwd?: string;
  readonly version?: string;
  readonly gitBranch?: string;
  readonly agentId?: string;
  readonly requestId?: string;
  readonly requestRef?: string;
  readonly promptId?: string;
  readonly entrypoint?: string;
  readonly permissionMode?: string;
  readonly promptSource?: string;
  readonly originKind?: string;
  readonly sourceToolAssistantUUID?: string;
  readonly sourceToolUseID?: string;
  readonly toolUseID?: string;
  readonly parentToolUseID?: string;
  readonly toolDenialKind?: string;
  readonly interruptedMessageId?: string;
  readonly result?: ResultHead;
  readonly attachmentType?: string;
  readonly forkedFrom?: { readonly sessionId?: string; readonly messageUuid?: string };
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  readonly isVisibleInTranscriptOnly: boolean;
  readonly isApiErrorMessage: boolean;
  readonly message?: MessageHead;
  /** Whether content is there, and as what: `message.content`, else the top-level `content` (E15). */
  readonly contentForm: 'none' | 'string' | 'array';
  /** The blocks of an array content. A string content is one text block. */
  readonly blocks: readonly BlockHead[];
  readonly progress?: ProgressHead;
}

/** Everything headOf looks at; made for the first long line. */
export const headKeep = lazy((): Keep => {
  const content: Keep = {
    items: keepKeys({ type: 'value', id: 'value', name: 'value', tool_use_id: 'value', is_error: 'value' }),
  };
  const message = keepKeys({
    id: 'value',
    role: 'value',
    model: 'value',
    stop_reason: 'value',
    timestamp: 'value',
    usage: 'value',
    content,
  });
  return keepKeys({
    type: 'value',
    subtype: 'value',
    id: 'value',
    operation: 'value',
    uuid: 'value',
    parentUuid: 'value',
    logicalParentUuid: 'value',
    leafUuid: 'value',
    sessionId: 'value',
    timestamp: 'value',
    cwd: 'value',
    version: 'value',
    gitBranch: 'value',
    agentId: 'value',
    requestId: 'value',
    requestRef: 'value',
    promptId: 'value',
    entrypoint: 'value',
    permissionMode: 'value',
    promptSource: 'value',
    origin: keepKeys({ kind: 'value' }),
    sourceToolAssistantUUID: 'value',
    sourceToolUseID: 'value',
    toolUseID: 'value',
    parentToolUseID: 'value',
    toolDenialKind: 'value',
    interruptedMessageId: 'value',
    toolUseResult: keepKeys({
      status: 'value',
      agentId: 'value',
      backgroundTaskId: 'value',
      isAsync: 'value',
      interrupted: 'value',
      durationMs: 'value',
      totalDurationMs: 'value',
    }),
    attachment: keepKeys({ type: 'value' }),
    forkedFrom: keepKeys({ sessionId: 'value', messageUuid: 'value' }),
    isSidechain: 'value',
    isMeta: 'value',
    isCompactSummary: 'value',
    isVisibleInTranscriptOnly: 'value',
    isApiErrorMessage: 'value',
    message,
    content,
    data: keepKeys({
      type: 'value',
      agentId: 'value',
      message: keepKeys({ type: 'value', uuid: 'value', timestamp: 'value', requestId: 'value', message }),
    }),
  });
});

export function headOf(entry: JsonObject): Head {
  const message = asObject(entry.message);
  const content = message?.content ?? entry.content;
  const parent = entry.parentUuid;
  const fork = asObject(entry.forkedFrom);
  return {
    type: sharedString(entry.type),
    subtype: sharedString(entry.subtype),
    id: sharedString(entry.id),
    operation: sharedString(entry.operation),
    uuid: sharedString(entry.uuid),
    parentUuid: parent === null ? null : sharedString(parent),
    logicalParentUuid: sharedString(entry.logicalParentUuid),
    leafUuid: sharedString(entry.leafUuid),
    sessionId: sharedString(entry.sessionId),
    timestamp: asString(entry.timestamp) ?? asString(message?.timestamp),
    cwd: sharedString(entry.cwd),
    version: sharedString(entry.version),
    gitBranch: sharedString(entry.gitBranch),
    agentId: sharedString(entry.agentId),
    requestId: sharedName(entry.requestId),
    requestRef: sharedString(entry.requestRef),
    promptId: sharedString(entry.promptId),
    entrypoint: sharedString(entry.entrypoint),
    permissionMode: sharedString(entry.permissionMode),
    promptSource: sharedString(entry.promptSource),
    originKind: sharedString(at(entry.origin, 'kind')),
    sourceToolAssistantUUID: sharedString(entry.sourceToolAssistantUUID),
    sourceToolUseID: sharedString(entry.sourceToolUseID),
    toolUseID: sharedString(entry.toolUseID),
    parentToolUseID: sharedString(entry.parentToolUseID),
    toolDenialKind: sharedString(entry.toolDenialKind),
    interruptedMessageId: sharedString(entry.interruptedMessageId),
    result: resultHeadOf(entry.toolUseResult),
    attachmentType: sharedString(at(entry.attachment, 'type')),
    forkedFrom: fork && { sessionId: sharedString(fork.sessionId), messageUuid: sharedString(fork.messageUuid) },
    isSidechain: entry.isSidechain === true,
    isMeta: entry.isMeta === true,
    isCompactSummary: entry.isCompactSummary === true,
    isVisibleInTranscriptOnly: entry.isVisibleInTranscriptOnly === true,
    isApiErrorMessage: entry.isApiErrorMessage === true,
    message: message && messageHeadOf(message),
    contentForm: typeof content === 'string' ? 'string' : Array.isArray(content) ? 'array' : 'none',
    blocks: blockHeadsOf(content),
    progress: progressHeadOf(entry.data),
  };
}

function messageHeadOf(message: JsonObject): MessageHead {
  const stop = message.stop_reason;
  return {
    id: sharedName(message.id),
    role: sharedString(message.role),
    model: sharedString(message.model),
    stopReason: stop === null ? null : sharedString(stop),
    usage: usageOf(message.usage),
  };
}

function resultHeadOf(result: Json | undefined): ResultHead | undefined {
  if (!isObject(result)) return undefined;
  return {
    status: sharedString(result.status),
    agentId: sharedString(result.agentId),
    backgroundTaskId: sharedString(result.backgroundTaskId),
    isAsync: asBoolean(result.isAsync),
    interrupted: asBoolean(result.interrupted),
    durationMs: asNumber(result.durationMs) ?? asNumber(result.totalDurationMs),
  };
}

const NO_BLOCKS: readonly BlockHead[] = [];

function blockHeadsOf(content: Json | undefined): readonly BlockHead[] {
  const items = asArray(content);
  if (items === undefined || items.length === 0) return NO_BLOCKS;
  // A list that grows has room for many, and most lines have one block.
  if (items.length === 1) return isObject(items[0]) ? [blockHeadOf(items[0])] : NO_BLOCKS;
  return items.filter(isObject).map(blockHeadOf);
}

function blockHeadOf(block: JsonObject): BlockHead {
  return {
    type: sharedString(block.type) ?? '',
    id: sharedString(block.id),
    name: sharedString(block.name),
    toolUseId: sharedString(block.tool_use_id),
    isError: asBoolean(block.is_error),
  };
}

function progressHeadOf(data: Json | undefined): ProgressHead | undefined {
  if (!isObject(data)) return undefined;
  const copy = asObject(data.message);
  const inner = asObject(copy?.message);
  return {
    type: sharedString(data.type),
    agentId: sharedString(data.agentId),
    copy: copy && {
      type: sharedString(copy.type),
      uuid: sharedString(copy.uuid),
      timestamp: sharedString(copy.timestamp),
      requestId: sharedName(copy.requestId),
      message: inner && messageHeadOf(inner),
    },
  };
}
