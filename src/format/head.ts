/** What is known of an entry without its payload. Built by one function from the whole object or from its skeleton, so both give the same answers. */
import { asArray, asBoolean, asNumber, asObject, asString, at, isObject, type Json, type JsonObject } from './json.ts';
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

const CONTENT: Keep = {
  items: keepKeys({ type: 'value', id: 'value', name: 'value', tool_use_id: 'value', is_error: 'value' }),
};
const MESSAGE = keepKeys({
  id: 'value',
  role: 'value',
  model: 'value',
  stop_reason: 'value',
  timestamp: 'value',
  usage: 'value',
  content: CONTENT,
});

/** Everything headOf looks at. */
export const HEAD_KEEP: Keep = keepKeys(
  {
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
    message: MESSAGE,
    content: CONTENT,
    data: keepKeys({
      type: 'value',
      agentId: 'value',
      message: keepKeys({ type: 'value', uuid: 'value', timestamp: 'value', requestId: 'value', message: MESSAGE }),
    }),
  },
  { parentUuid: 'uuid', sourceToolAssistantUUID: 'parentUuid' },
);

export function headOf(entry: JsonObject): Head {
  const message = asObject(entry.message);
  const content = message?.content ?? entry.content;
  const parent = entry.parentUuid;
  const fork = asObject(entry.forkedFrom);
  return {
    type: asString(entry.type),
    subtype: asString(entry.subtype),
    id: asString(entry.id),
    operation: asString(entry.operation),
    uuid: asString(entry.uuid),
    parentUuid: parent === null ? null : asString(parent),
    logicalParentUuid: asString(entry.logicalParentUuid),
    leafUuid: asString(entry.leafUuid),
    sessionId: asString(entry.sessionId),
    timestamp: asString(entry.timestamp) ?? asString(message?.timestamp),
    cwd: asString(entry.cwd),
    version: asString(entry.version),
    gitBranch: asString(entry.gitBranch),
    agentId: asString(entry.agentId),
    requestId: asString(entry.requestId),
    requestRef: asString(entry.requestRef),
    promptId: asString(entry.promptId),
    entrypoint: asString(entry.entrypoint),
    permissionMode: asString(entry.permissionMode),
    promptSource: asString(entry.promptSource),
    originKind: asString(at(entry.origin, 'kind')),
    sourceToolAssistantUUID: asString(entry.sourceToolAssistantUUID),
    sourceToolUseID: asString(entry.sourceToolUseID),
    toolUseID: asString(entry.toolUseID),
    parentToolUseID: asString(entry.parentToolUseID),
    toolDenialKind: asString(entry.toolDenialKind),
    interruptedMessageId: asString(entry.interruptedMessageId),
    result: resultHeadOf(entry.toolUseResult),
    attachmentType: asString(at(entry.attachment, 'type')),
    forkedFrom: fork && { sessionId: asString(fork.sessionId), messageUuid: asString(fork.messageUuid) },
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
    id: asString(message.id),
    role: asString(message.role),
    model: asString(message.model),
    stopReason: stop === null ? null : asString(stop),
    usage: usageOf(message.usage),
  };
}

function resultHeadOf(result: Json | undefined): ResultHead | undefined {
  if (!isObject(result)) return undefined;
  return {
    status: asString(result.status),
    agentId: asString(result.agentId),
    backgroundTaskId: asString(result.backgroundTaskId),
    isAsync: asBoolean(result.isAsync),
    interrupted: asBoolean(result.interrupted),
    durationMs: asNumber(result.durationMs) ?? asNumber(result.totalDurationMs),
  };
}

const NO_BLOCKS: readonly BlockHead[] = [];

function blockHeadsOf(content: Json | undefined): readonly BlockHead[] {
  const items = asArray(content);
  if (items === undefined || items.length === 0) return NO_BLOCKS;
  const heads: BlockHead[] = [];
  for (const item of items) {
    if (!isObject(item)) continue;
    heads.push({
      type: asString(item.type) ?? '',
      id: asString(item.id),
      name: asString(item.name),
      toolUseId: asString(item.tool_use_id),
      isError: asBoolean(item.is_error),
    });
  }
  return heads;
}

function progressHeadOf(data: Json | undefined): ProgressHead | undefined {
  if (!isObject(data)) return undefined;
  const copy = asObject(data.message);
  const inner = asObject(copy?.message);
  return {
    type: asString(data.type),
    agentId: asString(data.agentId),
    copy: copy && {
      type: asString(copy.type),
      uuid: asString(copy.uuid),
      timestamp: asString(copy.timestamp),
      requestId: asString(copy.requestId),
      message: inner && messageHeadOf(inner),
    },
  };
}
