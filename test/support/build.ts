/** Lines of a transcript, made small: each function gives one line's object; `chain` fills in the envelope, `entriesOf` reads them. */
import type { Entry } from '../../src/format/entry.ts';
import type { Json, JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';

/** u1, u2, … as `chain` numbers them. */
export function uuidOf(number: number): string {
  return `u${number}`;
}

/** 10:00:00 plus some seconds. */
export function timeOf(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 2, 10, 0, 0) + seconds * 1000).toISOString();
}

export function text(content: string): JsonObject {
  return { type: 'text', text: content };
}

export function thinking(content: string, signature = 'sig'): JsonObject {
  return { type: 'thinking', thinking: content, signature };
}

export function toolUse(id: string, name = 'Bash', input: Json = {}): JsonObject {
  return { type: 'tool_use', id, name, input };
}

export function toolResult(id: string, content: Json = 'ok', isError?: boolean): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError };
}

export function image(): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
}

export function user(content: Json, more: JsonObject = {}): JsonObject {
  return { type: 'user', message: { role: 'user', content }, ...more };
}

/** The result of one tool call, with the client's own record of it. */
export function result(id: string, content: Json = 'ok', more: JsonObject & { isError?: boolean } = {}): JsonObject {
  const { isError, ...fields } = more;
  return user([toolResult(id, content, isError)], fields);
}

export interface MessageParts {
  readonly id?: string;
  readonly requestId?: string;
  readonly stop?: string | null;
  readonly output?: number;
  readonly model?: string;
  readonly usage?: Json;
}

/** One assistant line; a string is a text block. */
export function assistant(
  content: string | JsonObject | JsonObject[],
  parts: MessageParts = {},
  more: JsonObject = {},
): JsonObject {
  const blocks = typeof content === 'string' ? [text(content)] : Array.isArray(content) ? content : [content];
  const { id, requestId, stop = 'end_turn', output = 10, model = 'claude-test' } = parts;
  const counts = { input_tokens: 1, output_tokens: output, cache_creation_input_tokens: 2, cache_read_input_tokens: 3 };
  const usage = parts.usage === undefined ? counts : parts.usage;
  const message: JsonObject = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    stop_reason: stop,
    usage,
  };
  return { type: 'assistant', requestId, message, ...more };
}

/** What the client writes in the model's place (E13). */
export function synthetic(content: string, more: JsonObject = {}): JsonObject {
  return assistant(
    content,
    { id: `synthetic-${content}`, model: '<synthetic>', stop: 'stop_sequence', output: 0 },
    more,
  );
}

export function system(subtype: string, more: JsonObject = {}): JsonObject {
  return { type: 'system', subtype, ...more };
}

export function attachment(type: string, more: JsonObject = {}): JsonObject {
  return { type: 'attachment', attachment: { type, ...more } };
}

export function progress(data: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'progress', data, ...more };
}

/** A sub-agent's line repeated in an `agent_progress` entry (E18). */
export function agentProgress(line: JsonObject, agentId = 'a1', parentToolUseID = 'toolu_1'): JsonObject {
  return progress({ type: 'agent_progress', agentId, message: line }, { parentToolUseID });
}

export function queueOperation(operation: string, content?: string): JsonObject {
  return { type: 'queue-operation', operation, content };
}

const WITHOUT_UUID = new Set<Json | undefined>([
  'queue-operation',
  'file-history-snapshot',
  'summary',
  'cost-state',
  'api-request',
]);

/** Gives each line what it lacks: uuid, the line before as parent, one more second, session id, version. */
export function chain(lines: readonly JsonObject[], envelope: JsonObject = {}): JsonObject[] {
  let parent: Json = null;
  return lines.map((line, index) => {
    const timestamp = timeOf(index);
    const common = { isSidechain: false, sessionId: 'session-1', version: '2.1.325', ...envelope };
    if (WITHOUT_UUID.has(line.type)) return { timestamp, sessionId: common.sessionId, ...line };
    const full: JsonObject = { parentUuid: parent, uuid: uuidOf(index + 1), timestamp, ...common, ...line };
    parent = full.uuid ?? parent;
    return full;
  });
}

export function toJsonl(lines: readonly JsonObject[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function entriesOf(lines: readonly JsonObject[], file = 'built.jsonl'): readonly Entry[] {
  return readSession(encode(toJsonl(lines)), file).entries;
}

/** `entriesOf(chain(lines))`. */
export function conversation(lines: readonly JsonObject[], envelope: JsonObject = {}): readonly Entry[] {
  return entriesOf(chain(lines, envelope));
}

/** The one entry of one line. */
export function entryOf(line: JsonObject): Entry {
  const [entry] = entriesOf([line]);
  if (entry === undefined) throw new Error('no entry was read');
  return entry;
}
