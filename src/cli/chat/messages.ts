/** What happens in a turn as the messages of `--output-format stream-json`, in the shapes of the published client. */
import { randomUUID } from 'node:crypto';
import type { LoopEvent, ModelEvent } from '../../agent/ports.ts';
import { asArray, asBoolean, asNumber, asObject, asString, isObject, type JsonObject } from '../../format/json.ts';

export interface MessageOptions {
  readonly sessionId: string;
  /** `--include-partial-messages` */
  readonly partial: boolean;
  /** `--replay-user-messages` */
  readonly replay: boolean;
}

/** What to print when something happened; most events are told by the entry they leave, agents by tasks.ts. */
export function messagesOf(event: LoopEvent, options: MessageOptions): JsonObject[] {
  if (event.kind === 'entry') return entryMessages(event.entry, options);
  if (event.kind === 'model') return modelMessages(event.event, options);
  if (event.kind === 'compacting') return [system('status', { status: 'compacting' }, options)];
  if (event.kind === 'compacted') return [system('status', compactedFields(event.error), options)];
  // Whoever was asked, or whose hook said no, knows it.
  if (event.kind !== 'denied' || event.source === 'hook' || event.source === 'user_reject') return [];
  const { id, name, message } = event;
  return [system('permission_denied', { tool_name: name, tool_use_id: id, message }, options)];
}

function entryMessages(entry: JsonObject, options: MessageOptions): JsonObject[] {
  if (entry.type === 'assistant')
    return [{ type: 'assistant', message: entry.message, ...common(entry, options), ...answerFields(entry) }];
  if (entry.type === 'user') return userMessages(entry, options);
  if (entry.type === 'system' && entry.subtype === 'informational') {
    return [system('informational', { content: entry.content, level: entry.level }, options)];
  }
  if (entry.subtype === 'compact_boundary') return [boundaryMessage(entry, options)];
  if (entry.subtype === 'stop_hook_summary') return stopHookMessages(entry, options);
  return entry.type === 'attachment' ? queuedMessages(entry, options) : [];
}

function stopHookMessages({ hookErrors }: JsonObject, options: MessageOptions): JsonObject[] {
  if ((asArray(hookErrors) ?? []).length === 0) return [];
  const text = 'A Stop hook sent the model back to work, or failed';
  return [system('notification', { key: 'stop-hook-error', text, priority: 'immediate' }, options)];
}

function compactedFields(error: string | undefined): JsonObject {
  const result = error === undefined ? 'success' : 'failed';
  return { status: null, compact_result: result, ...(error !== undefined && { compact_error: error }) };
}

const BOUNDARY_FIELDS = ['trigger', 'preTokens', 'postTokens', 'cumulativeDroppedTokens', 'durationMs'];

function boundaryMessage(entry: JsonObject, options: MessageOptions): JsonObject {
  const meta = Object.entries(asObject(entry.compactMetadata) ?? {});
  const told = snakeCase(Object.fromEntries(meta.filter(([key]) => BOUNDARY_FIELDS.includes(key))));
  const fields = { compact_metadata: told, logical_parent_uuid: entry.logicalParentUuid };
  return { ...system('compact_boundary', fields, options), uuid: entry.uuid };
}

function common(entry: JsonObject, { sessionId }: MessageOptions): JsonObject {
  const { uuid, timestamp } = entry;
  return { parent_tool_use_id: null, session_id: sessionId, uuid, timestamp };
}

function answerFields(entry: JsonObject): JsonObject {
  const request = asString(entry.requestId);
  if (entry.isApiErrorMessage !== true) return request === undefined ? {} : { request_id: request };
  const status = asNumber(entry.apiErrorStatus);
  return {
    error: asString(entry.error) ?? 'unknown',
    is_api_error_message: true,
    ...(status !== undefined && { api_error_status: status }),
    ...(request !== undefined && { request_id: request }),
  };
}

function userMessages(entry: JsonObject, options: MessageOptions): JsonObject[] {
  const message = { type: 'user', message: entry.message, ...common(entry, options) };
  const results =
    asArray(asObject(entry.message)?.content)
      ?.filter(isObject)
      .filter(({ type }) => type === 'tool_result') ?? [];
  const [result] = results;
  if (result !== undefined) {
    return [{ ...message, tool_use_result: entry.toolUseResult, tool_result_meta: [resultMeta(result, entry)] }];
  }
  if (asBoolean(entry.isMeta) || asBoolean(entry.isCompactSummary)) return [{ ...message, isSynthetic: true }];
  if (isCommandOutput(entry)) return [{ ...message, isReplay: true }];
  if (!isPrompt(entry)) return [message];
  return options.replay ? [{ ...message, isReplay: true }] : [];
}

function isCommandOutput({ message }: JsonObject): boolean {
  return asString(asObject(message)?.content)?.startsWith('<local-command-stdout>') === true;
}

/** Markers of an interrupt have no source. */
function isPrompt(entry: JsonObject): boolean {
  return entry.promptSource !== undefined;
}

function resultMeta(result: JsonObject, entry: JsonObject): JsonObject {
  const decision = asObject(entry.permissionDecision);
  const kind = asString(entry.toolDenialKind);
  return {
    id: result.tool_use_id,
    ...(kind !== undefined && { non_execution_kind: kind }),
    ...(decision && { permission_decision: snakeCase(decision) }),
  };
}

function snakeCase(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([key, value]) => [
    key.replace(/[A-Z]/g, (l) => `_${l.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(entries);
}

/** What was sent while the model was busy stands in an attachment. */
function queuedMessages(entry: JsonObject, options: MessageOptions): JsonObject[] {
  const attachment = asObject(entry.attachment);
  if (attachment?.type !== 'queued_command' || !options.replay) return [];
  const message = { role: 'user', content: attachment.prompt };
  return [{ type: 'user', message, ...common(entry, options), isReplay: true }];
}

function modelMessages(event: ModelEvent, options: MessageOptions): JsonObject[] {
  if (event.kind === 'retry') {
    const { attempt, maxRetries, delayMs, failure } = event;
    return [
      system(
        'api_retry',
        {
          attempt,
          max_retries: maxRetries,
          retry_delay_ms: delayMs,
          error_status: failure.status ?? null,
          error: errorName(failure.status),
        },
        options,
      ),
    ];
  }
  if (event.kind === 'fallback') {
    const content = `${event.from} is overloaded; ${event.to} is asked instead`;
    return [system('informational', { content, level: 'notice' }, options)];
  }
  if (event.kind !== 'raw' || !options.partial) return [];
  const { sessionId } = options;
  const begins = event.event.type === 'message_start';
  return [
    ...(begins ? [system('status', { status: 'requesting' }, options)] : []),
    { type: 'stream_event', event: event.event, session_id: sessionId, parent_tool_use_id: null, uuid: randomUUID() },
  ];
}

/** The published client's names. */
function errorName(status: number | undefined): string {
  if (status === undefined) return 'unknown';
  const names: Readonly<Record<number, string>> = {
    400: 'invalid_request',
    401: 'authentication_failed',
    403: 'authentication_failed',
    429: 'rate_limit',
    529: 'overloaded',
  };
  return names[status] ?? (status >= 500 ? 'server_error' : 'unknown');
}

export function system(
  subtype: string,
  fields: JsonObject,
  { sessionId }: Pick<MessageOptions, 'sessionId'>,
): JsonObject {
  return { type: 'system', subtype, ...fields, session_id: sessionId, uuid: randomUUID() };
}
