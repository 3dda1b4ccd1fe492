/** Prompts, answers and tool results: what every chat is made of (E4, E5, E7). */
import type { Json, JsonObject } from '../../src/format/json.ts';
import type { Change } from './file-history.ts';
import { noteChange, takeSnapshot } from './file-history.ts';
import { countChanges, structuredPatch } from './patch.ts';
import { appendRequest, sendAssistant, sendUser } from './requests.ts';
import { attachSurroundings, openSession } from './surroundings.ts';
import { book, countRequest, estimateTokens, type Usage } from './usage.ts';
import { append, appendBare, userEntry, type Writer } from './writer.ts';

export interface Thinking {
  readonly thinking: string;
}

export interface Outcome {
  /** What the model sees. */
  readonly content: Json;
  /** `toolUseResult`: structured data, or the text of an error (E6). */
  readonly result?: Json;
  readonly isError?: boolean;
  readonly ms: number;
  readonly change?: Change;
  /** More fields of the result's entry. */
  readonly fields?: JsonObject;
  /** Whether the client puts `tool_use_id` first: results that tools made themselves. */
  readonly idFirst?: boolean;
}

export interface Running {
  readonly w: Writer;
  readonly toolUseId: string;
  readonly start: number;
}

export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Changes something, so it waits for the calls before it. */
  readonly serial?: boolean;
  run(running: Running): Outcome;
}

export type Part = string | Thinking | ToolCall;

export function think(thinking: string): Thinking {
  return { thinking };
}

/** A prompt typed by the person, `after` seconds from the last thing that happened. */
export function prompt(w: Writer, text: string, after: number): string {
  const uuid = w.ids.uuid();
  startTurn(w, after);
  openSession(w);
  w.promptIndex += 1;
  w.promptUuid = uuid;
  w.lastPrompt = text;
  if (w.version !== '1.0.111') {
    w.root.history.push({ display: text, timestamp: w.now + 3, project: w.cwd, sessionId: w.sessionId });
  }
  takeSnapshot(w, uuid, w.now + 14);
  userEntry(w, text, { uuid, tail: promptFields(w) });
  hear(w, text);
  attachSurroundings(w);
  return uuid;
}

export function startTurn(w: Writer, after: number): void {
  w.now += after * 1000 + w.ids.between(0, 999);
  w.promptId = w.ids.uuid();
  w.turnIndex += 1;
  w.turnStart = w.now;
}

function promptFields(w: Writer): JsonObject {
  if (w.version === '1.0.111') return {};
  if (w.version === '2.1.80') return { permissionMode: w.permissionMode };
  return {
    permissionMode: w.permissionMode,
    origin: { kind: 'human' },
    promptSource: 'typed',
    turnOrigin: 'human',
    turnPosition: turnPosition(w),
  };
}

export function turnPosition(w: Writer): JsonObject {
  return { promptIndex: w.promptIndex, turnIndex: w.turnIndex };
}

/** Counts text that goes to the model with the next request. */
export function hear(w: Writer, content: Json): void {
  w.meter.context += Math.round(tokensOf(content) * w.weight);
  sendUser(w, content);
}

function tokensOf(content: Json): number {
  return estimateTokens(typeof content === 'string' ? content : JSON.stringify(content));
}

/** One answer of the model: one line for each part, then the results of its calls. Without calls the turn is over. */
export function reply(w: Writer, ...parts: Part[]): void {
  const { called } = generate(w, parts, parts.some(isCall) ? 'tool_use' : 'end_turn');
  if (called.length === 0) endTurn(w);
  else runCalls(w, called);
}

/** An answer that was stopped while it was being written; gives its message id. */
export function replyInterrupted(w: Writer, ...parts: (string | Thinking)[]): string {
  return generate(w, parts, null).messageId;
}

interface Called {
  readonly call: ToolCall;
  readonly id: string;
  readonly uuid: string;
  readonly time: number;
}

interface Generated {
  readonly called: readonly Called[];
  readonly messageId: string;
}

function isCall(part: Part): part is ToolCall {
  return typeof part !== 'string' && 'run' in part;
}

/** Tokens a second. */
function speedOf(model: string): number {
  if (model.includes('haiku')) return 130;
  return model.includes('opus') ? 62 : 78;
}

function generate(w: Writer, parts: readonly Part[], stopReason: string | null): Generated {
  const blocks = parts.map((part) => toBlock(w, part));
  const sizes = blocks.map((block) => Math.round(tokensOf(JSON.stringify(block.shown)) + 4));
  const output = sizes.reduce((sum, size) => sum + size, 0);
  const thinking = sizes.filter((_, index) => blocks[index]?.kind === 'thinking').reduce((sum, size) => sum + size, 0);
  w.now += w.ids.between(60, 240);
  const requestRef = appendRequest(w);
  const started = w.now;
  const usage = countRequest(w.meter, w.ids.between(2, 9), output, thinking, started);
  book(w.ledger, w.model, usage);
  w.now += w.ids.between(900, 2600);
  noteTools(w, parts);
  const message = { id: w.ids.message(), requestId: w.ids.request(), stopReason, usage, requestRef };
  const called: Called[] = [];
  for (const [index, block] of blocks.entries()) {
    const spent = Math.round(((sizes[index] ?? 0) * 1000) / speedOf(w.model));
    w.now += spent;
    const place = { index, last: index === blocks.length - 1, spent };
    const uuid = append(w, assistantLine(w, message, block, place));
    const part = parts[index];
    if (part !== undefined && isCall(part)) called.push({ call: part, id: block.id, uuid, time: w.now });
  }
  w.ledger.apiMs += w.now - started;
  sendAssistant(
    w,
    blocks.map((block) => block.json),
  );
  return { called, messageId: message.id };
}

interface MadeBlock {
  readonly kind: 'thinking' | 'text' | 'tool_use';
  readonly id: string;
  readonly json: JsonObject;
  /** What its size is counted by. */
  readonly shown: Json;
}

function toBlock(w: Writer, part: Part): MadeBlock {
  if (typeof part === 'string') return { kind: 'text', id: '', json: { type: 'text', text: part }, shown: part };
  if (isCall(part)) {
    const id = w.ids.tool();
    const json = { type: 'tool_use', id, name: part.name, input: part.input };
    return { kind: 'tool_use', id, json, shown: part.input };
  }
  const signature = w.ids.signature(120);
  return { kind: 'thinking', id: '', json: { type: 'thinking', ...part, signature }, shown: part.thinking };
}

interface MessageHead {
  readonly id: string;
  readonly requestId: string;
  readonly stopReason: string | null;
  readonly usage: Usage;
  readonly requestRef: string | undefined;
}

interface Place {
  readonly index: number;
  readonly last: boolean;
  readonly spent: number;
}

function assistantLine(w: Writer, head: MessageHead, block: MadeBlock, place: Place) {
  const { id, requestId } = head;
  // Which lines of a message say why it stopped depends on the version (E4).
  const stop = w.version === '2.1.325' || place.last ? head.stopReason : null;
  const message: JsonObject = { id, type: 'message', role: 'assistant', model: w.model, content: [block.json] };
  message.stop_reason = stop;
  message.stop_sequence = null;
  message.usage = usageFields(w, head.usage, place.last);
  if (w.version !== '2.1.325') return { head: { message, requestId, type: 'assistant' } };
  message.stop_details = null;
  const timing: JsonObject = {};
  if (block.kind === 'thinking') {
    timing.thinkingDurationMs = place.spent;
    timing.thinkingDisplay = 'updates';
  }
  if (block.kind === 'tool_use') timing.toolInputStreamMs = place.spent;
  const ref = head.requestRef === undefined ? {} : { requestRef: head.requestRef };
  const request = { requestId, ...ref };
  const agent = w.agent ? { attributionAgent: w.agent.type } : {};
  return {
    head: { message, ...timing, apiBlockIndex: place.index, ...request, ...agent, type: 'assistant' },
    tail: { effort: 'medium', madeBy: 'model' },
  };
}

function usageFields(w: Writer, usage: Usage, last: boolean): JsonObject {
  const early = w.version === '2.1.80' && !last;
  const counts: JsonObject = {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheCreation,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: early ? 1 : usage.output,
  };
  const creation = { ephemeral_5m_input_tokens: usage.cacheCreation, ephemeral_1h_input_tokens: 0 };
  if (w.version === '1.0.111' || early) return { ...counts, cache_creation: creation, service_tier: 'standard' };
  const newest = w.version === '2.1.325';
  return {
    ...counts,
    ...(newest ? { output_tokens_details: { thinking_tokens: usage.thinking } } : {}),
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: usage.cacheCreation },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    ...(newest ? { fallback_credit: null } : {}),
  };
}

function noteTools(w: Writer, parts: readonly Part[]): void {
  const before = w.toolsUsed.size;
  for (const part of parts) if (isCall(part)) w.toolsUsed.add(part.name);
  if (w.version !== '2.1.325' || w.agent || w.toolsUsed.size === before) return;
  appendBare(w, { type: 'tools-used', tools: [...w.toolsUsed], sessionId: w.sessionId });
}

/** Runs the calls of one answer; results are written in the order in which they come (E5). */
function runCalls(w: Writer, calls: readonly Called[]): void {
  let free = 0;
  const done = calls.map((called) => {
    const start = called.call.serial ? Math.max(called.time, free) : called.time;
    const outcome = called.call.run({ w, toolUseId: called.id, start });
    const end = start + outcome.ms;
    if (called.call.serial) free = end;
    return { called, outcome, end };
  });
  // Older clients hang each result on the entry before it, newer ones on its call.
  for (const { called, outcome, end } of done.toSorted((a, b) => a.end - b.end)) {
    w.now = Math.max(w.now, end);
    w.ledger.toolMs += outcome.ms;
    writeResult(w, called, outcome);
  }
}

function writeResult(w: Writer, called: Called, outcome: Outcome): void {
  const { change } = outcome;
  if (change) {
    const { added, removed } = countChanges(structuredPatch(change.before ?? '', change.after));
    w.ledger.linesAdded += added;
    w.ledger.linesRemoved += removed;
    noteChange(w, change, called.uuid, w.promptUuid, w.now);
  }
  const error = outcome.isError === undefined ? {} : { is_error: outcome.isError };
  const said = { type: 'tool_result', content: outcome.content, ...error };
  const id = { tool_use_id: called.id };
  const block = outcome.idFirst === false ? { ...said, ...id } : { ...id, ...said };
  const old = w.version === '1.0.111';
  w.slugKnown ||= w.version === '2.1.80';
  // A sub-agent's transcript of 2.1.325 keeps no structured results.
  const result = outcome.result !== undefined && !w.agent ? { toolUseResult: outcome.result } : {};
  const source = old ? {} : { sourceToolAssistantUUID: called.uuid };
  const fields = w.version === '2.1.325' ? outcome.fields : {};
  userEntry(w, [block], { tail: { ...result, ...source, ...fields }, ...(old ? {} : { parent: called.uuid }) });
  hear(w, [block]);
}

export function endTurn(w: Writer): void {
  if (w.version !== '2.1.325' || w.agent) return;
  w.now += w.ids.between(5, 40);
  append(w, {
    head: { type: 'system', subtype: 'turn_duration', durationMs: w.now - w.turnStart, messageCount: w.messageCount },
    tail: { isMeta: false },
  });
}
