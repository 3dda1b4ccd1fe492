/** The parts of lines that are particular to their kind, as the newest client writes them. */
import { asNumber, type Json, type JsonObject } from '../../format/json.ts';
import { NO_RESPONSE, UNKNOWN_OUTCOME } from '../../graph/context/close.ts';
import type { AnswerFields, ApiFailure, CallPlace, ResultNotes } from '../ports.ts';
import type { ToolOutcome } from '../tools/tool.ts';

/** What is told before and after the uuid of a line. */
export interface Shape {
  readonly before: JsonObject;
  readonly after?: JsonObject;
}

/** The client's words: others look for them (E7). */
export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_TOOL = '[Request interrupted by user for tool use]';
/** What a call is told that the person stopped. */
export const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

export function userShape(content: Json, promptId: string, extra: JsonObject = {}): JsonObject {
  return { promptId, type: 'user', message: { role: 'user', content }, ...extra };
}

export function blockShape(block: JsonObject, answer: AnswerFields): Shape {
  const { id, model, index, stopReason, stopSequence = null, usage, requestId, aborted } = answer;
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [block],
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage,
  };
  const before: JsonObject = { message, apiBlockIndex: index, ...(requestId && { requestId }), type: 'assistant' };
  return { before, ...(aborted && { after: { isAbortedMidStream: true } }) };
}

export function resultShape(call: CallPlace, outcome: ToolOutcome, promptId: string, notes: ResultNotes): Shape {
  const content = typeof outcome.content === 'string' ? outcome.content : [...outcome.content];
  const block = {
    tool_use_id: call.toolUseId,
    type: 'tool_result',
    content,
    ...(outcome.isError && { is_error: true }),
  };
  return {
    before: userShape([block], promptId),
    after: {
      toolUseResult: outcome.result,
      ...outcome.beside,
      ...(notes.denial && { toolDenialKind: notes.denial }),
      sourceToolAssistantUUID: call.entryUuid,
      ...(notes.decision && { permissionDecision: notes.decision }),
    },
  };
}

export function attachmentShape(attachment: JsonObject, rendered: readonly Json[], role = 'user'): Shape {
  return {
    before: { attachment, type: 'attachment' },
    ...(rendered.length > 0 && {
      after: { rendered: rendered.map((content) => ({ content })), renderedRole: role },
    }),
  };
}

const NO_USAGE: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/** E13: an answer that no model gave. */
export function syntheticShape(text: string, id: string, extra: JsonObject): JsonObject {
  const message = {
    id,
    model: '<synthetic>',
    role: 'assistant',
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    type: 'message',
    usage: NO_USAGE,
    content: [{ type: 'text', text }],
  };
  return { type: 'assistant', message, ...extra };
}

export function apiErrorShape(failure: ApiFailure, id: string): JsonObject {
  const status = failure.status === undefined ? '' : `${failure.status} `;
  return syntheticShape(`API Error: ${status}${failure.message}`, id, {
    ...(failure.requestId && { requestId: failure.requestId }),
    error: failure.type,
    isApiErrorMessage: true,
    ...(failure.status !== undefined && { apiErrorStatus: failure.status }),
    apiErrorType: failure.type,
  });
}

export function noResponseShape(id: string): JsonObject {
  return syntheticShape(NO_RESPONSE, id, { isApiErrorMessage: false });
}

/** R13: the result of a call whose outcome nobody knows. */
export const UNKNOWN: ToolOutcome = { content: UNKNOWN_OUTCOME, result: UNKNOWN_OUTCOME, isError: true };

/** An attempt that failed and is tried again. */
export function apiErrorFields(failure: ApiFailure, retry: JsonObject): JsonObject {
  return {
    level: 'error',
    error: {
      message: failure.message,
      ...(failure.status !== undefined && { status: failure.status }),
      type: failure.type,
      ...(failure.requestId && { requestId: failure.requestId }),
      formatted: failure.status === undefined ? failure.message : `${failure.status} ${failure.message}`,
    },
    retryInMs: asNumber(retry.retryInMs) ?? 0,
    retryAttempt: asNumber(retry.retryAttempt) ?? 1,
    maxRetries: asNumber(retry.maxRetries) ?? 0,
    source: 'request_retry',
  };
}
