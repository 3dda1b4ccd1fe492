/** The requests that 2.1.325 stores (E14): messages = base.messages[0:keep] + tail, each by the hash of its JSON. */
import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { appendBare, iso, type Writer } from './writer.ts';

interface ApiMessage {
  role: 'user' | 'assistant' | 'system';
  content: Json[];
  output_config?: JsonObject;
  /** Whether the message stands in no entry as it is and so has a line of its own. */
  own: boolean;
}

export interface Requests {
  /** What the next request sends. */
  messages: ApiMessage[];
  /** The hashes of the last request. */
  sent: string[];
  last: string | undefined;
  shapeHash: string | undefined;
  readonly blobs: Set<string>;
}

export function createRequests(): Requests {
  return { messages: [], sent: [], last: undefined, shapeHash: undefined, blobs: new Set() };
}

/** Adds user content; consecutive users are one message, with a line break at the seam of two texts (R11). */
export function sendUser(w: Writer, content: Json): void {
  const blocks = toBlocks(content);
  const last = w.requests.messages.at(-1);
  if (last?.role !== 'user') {
    w.requests.messages.push({ role: 'user', content: blocks, own: false });
    return;
  }
  const seam = last.content.at(-1);
  if (isObject(seam) && seam.type === 'text')
    last.content[last.content.length - 1] = { ...seam, text: `${seam.text}\n` };
  last.own ||= blocks.some((block) => isObject(block) && block.type === 'text');
  last.content.push(...blocks);
}

/** Adds what the client puts around the first prompt. */
export function sendSurroundings(w: Writer, reminder: string, system: string): void {
  const first = w.requests.messages[0];
  if (first) {
    first.content.unshift({ type: 'text', text: reminder });
    first.own = true;
  }
  const content = [{ type: 'text', text: system }];
  w.requests.messages.push({ role: 'system', content, output_config: { effort: 'medium' }, own: true });
}

export function sendAssistant(w: Writer, content: Json[]): void {
  w.requests.messages.push({ role: 'assistant', content, own: false });
}

/** Writes the request that the messages now make; gives its id. */
export function appendRequest(w: Writer): string | undefined {
  if (!w.storesRequests) return undefined;
  const agentId = w.agent ? { agentId: w.agent.id } : {};
  const shapeHash = w.requests.shapeHash ?? appendShape(w, agentId);
  const { messages, sent, last } = w.requests;
  const hashes = messages.map(hashOf);
  const differs = hashes.findIndex((hash, index) => hash !== sent[index]);
  const keep = last === undefined ? 0 : differs === -1 ? hashes.length : differs;
  for (const [index, message] of messages.entries()) {
    const hash = hashes[index] ?? '';
    if (!message.own || index < keep || w.requests.blobs.has(hash)) continue;
    w.requests.blobs.add(hash);
    appendBare(w, { type: 'api-request-blob', sessionId: w.sessionId, hash, message: bare(message), ...agentId });
  }
  const id = w.ids.uuid();
  const base = last === undefined ? {} : { base: last };
  const request = { shapeHash, params: paramsOf(w), ...base, keep, tail: hashes.slice(keep) };
  appendBare(w, {
    type: 'api-request',
    sessionId: w.sessionId,
    id,
    timestamp: iso(w.now),
    version: w.version,
    querySource: w.agent ? `agent:builtin:${w.agent.type}` : 'repl_main_thread',
    ...request,
    cacheControl: [{ path: ['messages', messages.length - 1, 'content', 0], value: { type: 'ephemeral' } }],
    requestDigest: digest({ ...request, hashes }),
    ...agentId,
  });
  w.requests.last = id;
  w.requests.sent = hashes;
  return id;
}

function appendShape(w: Writer, agentId: JsonObject): string {
  const system = [{ type: 'text', text: 'You help a developer with the code in the working directory.' }];
  const tools = ['Agent', 'Bash', 'Edit', 'Read', 'Write'].map((name) => ({ name, input_schema: { type: 'object' } }));
  const shape = { system, tools };
  const shapeHash = digest(shape);
  w.requests.shapeHash = shapeHash;
  const when = { timestamp: iso(w.now), version: w.version };
  appendBare(w, { type: 'api-request-shape', sessionId: w.sessionId, shapeHash, ...when, shape, ...agentId });
  return shapeHash;
}

function paramsOf(w: Writer): JsonObject {
  return { model: w.model, max_tokens: 64000, output_config: { effort: 'medium' } };
}

function toBlocks(content: Json): Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? [...content] : [];
}

function bare({ own: _, ...message }: ApiMessage): JsonObject {
  return message;
}

function hashOf(message: ApiMessage): string {
  return digest(bare(message));
}

function digest(value: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) ?? null);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
