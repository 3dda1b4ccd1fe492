/** A scripted Messages API on loopback that refuses what the real one refuses (A), and remembers what it was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asArray, asNumber, asString, isObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { validate } from '../../src/graph/validate.ts';
import { type Message, toMessages } from '../support/resume-cases.ts';

export interface Request {
  readonly body: JsonObject;
  /** Without system turns and cache marks; a string content is one text block. */
  readonly messages: readonly Message[];
  /** Why it was refused. */
  readonly refused?: string;
}

export interface Api {
  readonly url: string;
  /** Requests for a turn, in order; probes, titles and the like are answered and left out. */
  readonly turns: Request[];
  close(): Promise<void>;
}

export async function startApi(): Promise<Api> {
  const turns: Request[] = [];
  const server = createServer((request, response) => {
    read(request).then((body) => answer(request.url ?? '', body, response, turns));
  });
  // Older clients try the outside once per start; the proxy they are given is this server, and it refuses.
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    turns,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function read(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = parseJson(Buffer.concat(chunks).toString('utf8'));
  return isObject(body) ? body : {};
}

function answer(path: string, body: JsonObject, response: ServerResponse, turns: Request[]): void {
  if (path.includes('count_tokens')) sendJson(response, 200, { input_tokens: 10 });
  else if (path.includes('/v1/messages')) answerMessage(body, response, turns);
  else sendJson(response, 200, {});
}

function answerMessage(body: JsonObject, response: ServerResponse, turns: Request[]): void {
  const refused = refusal(body);
  if (isTurn(body)) turns.push({ body, messages: sentMessages(body), ...(refused && { refused }) });
  const text = isTurn(body) ? 'ok' : 'Title';
  if (refused !== undefined) {
    sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: refused } });
  } else if (body.stream === true) sendStream(response, body, text);
  else sendJson(response, 200, { ...emptyMessage(body), content: [{ type: 'text', text }], stop_reason: 'end_turn' });
}

/** Side requests have no tools, or ask for one token. */
function isTurn(body: JsonObject): boolean {
  return (asNumber(body.max_tokens) ?? 0) > 1 && (asArray(body.tools)?.length ?? 0) > 0;
}

function sentMessages(body: JsonObject): Message[] {
  return toMessages(body.messages)
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => ({ role, content: content.map(({ cache_control: _, ...block }) => block) }));
}

function refusal(body: JsonObject): string | undefined {
  const messages = sentMessages(body).map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content: [...content],
  }));
  const [first] = validate(messages);
  return first && `${first.rule}: ${first.what}`;
}

function emptyMessage(body: JsonObject): JsonObject {
  return {
    id: `msg_${Math.random().toString(36).slice(2, 12)}`,
    type: 'message',
    role: 'assistant',
    model: asString(body.model) ?? 'claude',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
}

function sendJson(response: ServerResponse, status: number, value: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function sendStream(response: ServerResponse, body: JsonObject, text: string): void {
  const events: [string, JsonObject][] = [
    ['message_start', { message: emptyMessage(body) }],
    ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text } }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } }],
    ['message_stop', {}],
  ];
  const lines = events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(lines.join(''));
}
