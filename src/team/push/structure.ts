/**
 * What is left of a line when nothing that was said may leave: the names of known fields with values of known kinds. What is not
 * listed here is dropped, and so is a value that is not of its kind: a field that is new tomorrow stays at home.
 */
import type { Entry } from '../../format/entry.ts';
import { asArray, asObject, type Json, type JsonObject } from '../../format/json.ts';
import { inputKind, isHumanTurnStart } from '../../format/prompt.ts';
import { parseTimestamp } from '../../format/time.ts';

/** Stands where a person or the model said something, so that turns are still turns. */
const NOT_SENT = '[not sent]';
const INTERRUPTED = '[Request interrupted by user]';

type Kind = (value: Json) => Json | undefined;
interface Fields {
  readonly [name: string]: Kind;
}

function text(pattern: RegExp): Kind {
  return (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined);
}

const id: Kind = text(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/);
const idOrNull: Kind = (value) => (value === null ? null : id(value));
/** Types and states as the client and the API name them: no spaces, no dots, no slashes. */
const word: Kind = text(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
const wordOrNull: Kind = (value) => (value === null ? null : word(value));
const tool: Kind = text(/^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/);
const model: Kind = text(/^<?[A-Za-z][A-Za-z0-9_.:@-]{0,99}>?$/);
const version: Kind = text(/^\d{1,5}(?:\.\d{1,5}){1,3}(?:-[a-z0-9.]{1,20})?$/);
const flag: Kind = (value) => (typeof value === 'boolean' ? value : undefined);
const number: Kind = (value) => (typeof value === 'number' ? value : undefined);
const time: Kind = (value) =>
  typeof value === 'string' && /^[0-9TZ:.+-]{10,40}$/.test(value) && !Number.isNaN(parseTimestamp(value))
    ? value
    : undefined;

function object(fields: Fields): Kind {
  return (value) => {
    const from = asObject(value);
    return from && keep(from, fields);
  };
}

function keep(from: JsonObject, fields: Fields): JsonObject {
  const kept: JsonObject = {};
  for (const [name, kind] of Object.entries(fields)) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    const shown = value === undefined ? undefined : kind(value);
    if (shown !== undefined) kept[name] = shown;
  }
  return kept;
}

const USAGE = object({
  input_tokens: number,
  output_tokens: number,
  cache_creation_input_tokens: number,
  cache_read_input_tokens: number,
  cache_creation: object({ ephemeral_5m_input_tokens: number, ephemeral_1h_input_tokens: number }),
  server_tool_use: object({ web_search_requests: number, web_fetch_requests: number }),
  service_tier: word,
});

const BLOCK: Fields = { type: word, id, name: tool, tool_use_id: id, is_error: flag };

const blocks: Kind = (value) => {
  if (typeof value === 'string') return value === '' ? '' : NOT_SENT;
  return asArray(value)?.flatMap((each) => {
    const from = asObject(each);
    return from === undefined ? [] : [block(from)];
  });
};

function block(from: JsonObject): JsonObject {
  const kept = keep(from, BLOCK);
  if (kept.type === 'text') return { ...kept, text: from.text === '' ? '' : NOT_SENT };
  if (kept.type === 'thinking') return { ...kept, thinking: '' };
  return typeof kept.type === 'string' && kept.type.endsWith('tool_use') ? { ...kept, input: {} } : kept;
}

const MESSAGE: Fields = {
  id,
  type: word,
  role: word,
  model,
  stop_reason: wordOrNull,
  timestamp: time,
  usage: USAGE,
  content: blocks,
};

/** As headKeep of format/head.ts, which names all that the graph looks at, without what a person or a machine named. */
const ENTRY: Fields = {
  type: word,
  subtype: word,
  id,
  operation: word,
  uuid: id,
  parentUuid: idOrNull,
  logicalParentUuid: idOrNull,
  leafUuid: id,
  messageId: id,
  sessionId: id,
  timestamp: time,
  version,
  agentId: id,
  requestId: id,
  requestRef: id,
  promptId: id,
  entrypoint: word,
  permissionMode: word,
  promptSource: word,
  userType: word,
  level: word,
  origin: object({ kind: word }),
  sourceToolAssistantUUID: id,
  sourceToolUseID: id,
  toolUseID: id,
  parentToolUseID: id,
  toolDenialKind: word,
  interruptedMessageId: id,
  toolUseResult: object({
    status: word,
    agentId: id,
    backgroundTaskId: id,
    isAsync: flag,
    interrupted: flag,
    durationMs: number,
    totalDurationMs: number,
    totalTokens: number,
    totalToolUseCount: number,
  }),
  attachment: object({ type: word }),
  forkedFrom: object({ sessionId: id, messageUuid: id }),
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isVisibleInTranscriptOnly: flag,
  isApiErrorMessage: flag,
  isSnapshotUpdate: flag,
  costUSD: number,
  durationMs: number,
  compactMetadata: object({ trigger: word, preTokens: number, postTokens: number }),
  message: object(MESSAGE),
  content: blocks,
  data: object({
    type: word,
    agentId: id,
    message: object({ type: word, uuid: id, timestamp: time, requestId: id, message: object(MESSAGE) }),
  }),
};

/** `cwd`: what the policy lets the project be called. */
export function structureOf(entry: Entry, json: JsonObject, cwd: string | undefined): JsonObject {
  const kept = keep(json, ENTRY);
  const shaped = entry.kind === 'user' ? withPrompt(entry, kept) : kept;
  return cwd === undefined || json.cwd === undefined ? shaped : { ...shaped, cwd };
}

/** What begins no turn must not seem to; what interrupts one still does. */
function withPrompt(entry: Entry, kept: JsonObject): JsonObject {
  const message = asObject(kept.message);
  if (message === undefined || entry.head.blocks.some(({ type }) => type === 'tool_result')) return kept;
  const kind = inputKind(entry);
  const said = isHumanTurnStart(kind) || kind === 'agent_prompt' ? NOT_SENT : kind === 'interrupt' ? INTERRUPTED : '';
  return { ...kept, message: { ...message, content: said } };
}

const META: Fields = { toolUseId: id, spawnDepth: number, parentAgentId: id };

/** Of the small file beside a sub-agent's transcript. */
export function metaStructure(json: JsonObject): JsonObject {
  return keep(json, META);
}
