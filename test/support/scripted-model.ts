/**
 * A Messages API on loopback that answers by a script, refuses what the real one refuses, and remembers what it was sent.
 *
 *   const model = await startScriptedModel([calls('Read', { file_path }), says('Done')]);
 *   … ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY=anything; a child process too …
 *   model.requests[1].messages
 *   await model.close();
 *
 * What it can answer is in replies.ts.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asString, type JsonObject } from '../../src/format/json.ts';
import {
  errorBody,
  headersRefused,
  randomId,
  readBody,
  requestRefused,
  sendJson,
  sentMessages,
  sseEvent,
} from './messages-api.ts';
import { type Answer, type Cut, eventsBefore, eventsOf, fails, type Refusal, type Reply, says } from './replies.ts';
import type { Message } from './resume-cases.ts';

export * from './replies.ts';

export interface ScriptedRequest {
  readonly body: JsonObject;
  readonly headers: IncomingHttpHeaders;
  /** Without system turns and cache marks; a string content is one text block. */
  readonly messages: readonly Message[];
  /** Why it was refused without asking the script. */
  readonly refused?: string;
  /** Resolves when the response is over or its connection is gone; true when the server had not finished. */
  readonly ended: Promise<boolean>;
}

/** A list is used up one by one; what comes after its end is refused, loudly. */
export type Script =
  | readonly (Reply | ((request: ScriptedRequest) => Reply))[]
  | ((request: ScriptedRequest, index: number) => Reply | Promise<Reply>);

export interface ScriptedOptions {
  /** Requests that the script is for; others (probes, titles of the published client) get a short answer and are not remembered. */
  readonly isTurn?: (body: JsonObject) => boolean;
  /** What `count_tokens` says. */
  readonly tokens?: number;
  /** Also judge the form of requests (default) and not only their messages. */
  readonly refuse?: (body: JsonObject) => string | undefined;
}

export interface ScriptedModel {
  readonly url: string;
  /** What a child process needs to ask it. */
  readonly env: { readonly ANTHROPIC_BASE_URL: string; readonly ANTHROPIC_API_KEY: string };
  /** Requests for an answer, in order; a test may empty it. */
  readonly requests: ScriptedRequest[];
  /** Paths of everything else it was asked: HEAD /, count_tokens … */
  readonly others: readonly string[];
  /** Resolves with the request of that index as soon as it is there. */
  request(index: number): Promise<ScriptedRequest>;
  /** Connections that are open now. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export async function startScriptedModel(script: Script, options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const { isTurn = () => true, tokens = 10, refuse = requestRefused } = options;
  const requests: ScriptedRequest[] = [];
  const others: string[] = [];
  const waiting: { readonly index: number; resolve(request: ScriptedRequest): void }[] = [];
  let closed = false;
  let count = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method, headers } = request;
    const body = await readBody(request);
    const isMessage = method === 'POST' && /^\/v1\/messages(\?|$)/.test(url);
    if (!isMessage) others.push(`${method} ${url}`);
    const bad = headersRefused(headers);
    if (!isMessage && url.includes('count_tokens')) {
      if (bad) await send({ body, headers }, fails(bad.status, { message: bad.message }), response);
      else sendJson(response, 200, { input_tokens: tokens });
    } else if (!isMessage) sendJson(response, 200, {});
    else if (!isTurn(body)) await send({ body, headers }, says('Title'), response);
    else {
      const refused = bad?.message ?? refuse(body);
      const asked = { body, headers, messages: sentMessages(body), ...(refused !== undefined && { refused }) };
      const remembered = { ...asked, ended: endOf(response) };
      const index = count;
      count += 1;
      requests.push(remembered);
      for (const one of waiting.filter((each) => each.index === index)) one.resolve(remembered);
      const reply =
        refused === undefined ? await replyTo(remembered, index) : fails(bad?.status ?? 400, { message: refused });
      if (!closed) await send(remembered, reply, response);
    }
  }

  async function replyTo(request: ScriptedRequest, index: number): Promise<Reply> {
    if (typeof script === 'function') return script(request, index);
    const step = script[index];
    if (step === undefined) return fails(400, { message: `the script has no step for request ${index}` });
    return typeof step === 'function' ? step(request) : step;
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  // Older clients try the outside once per start; the proxy they are given is this server, and it refuses.
  server.on('connect', (_request, socket) => {
    // A client may be gone before it is told.
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-scripted' },
    requests,
    others,
    request: (index) => {
      const { promise, resolve } = Promise.withResolvers<ScriptedRequest>();
      const there = requests[index];
      if (there) resolve(there);
      else waiting.push({ index, resolve });
      return promise;
    },
    connections: () =>
      new Promise((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n)))),
    close: () => {
      closed = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function endOf(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => response.on('close', () => resolve(!response.writableFinished)));
}

type Asked = Pick<ScriptedRequest, 'body' | 'headers'>;

async function send({ body }: Asked, reply: Reply, response: ServerResponse): Promise<void> {
  await reply.hold?.wait();
  if ('none' in reply) {
    if (reply.none === 'reset') response.socket?.resetAndDestroy();
  } else if ('status' in reply) refuseWith(reply, response);
  else await sendAnswer(reply, body, response);
}

function refuseWith(reply: Refusal, response: ServerResponse): void {
  const { status, type = 'api_error', message = '', retryAfter, text } = reply;
  const requestId = randomId('req');
  const headers = {
    'request-id': requestId,
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...reply.headers,
  };
  if (text === undefined) sendJson(response, status, errorBody(type, message, requestId), headers);
  else response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text);
}

async function sendAnswer(reply: Answer, body: JsonObject, response: ServerResponse): Promise<void> {
  const message = {
    id: reply.id ?? randomId('msg'),
    type: 'message',
    role: 'assistant',
    model: reply.model ?? asString(body.model) ?? 'claude',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  const headers = { 'request-id': randomId('req'), ...reply.headers };
  const events = eventsOf(reply, message);
  if (body.stream !== true) {
    const { delta, usage } = { delta: {}, usage: {}, ...events.find(({ type }) => type === 'message_delta') };
    sendJson(response, 200, { ...message, content: [...reply.blocks], ...delta, usage }, headers);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  response.flushHeaders();
  const cutAt = reply.cut ? eventsBefore(events, reply.cut.at) : events.length;
  const holdAt = reply.holdAt ? eventsBefore(events, reply.holdAt.at) : -1;
  for (const [i, event] of events.slice(0, cutAt).entries()) {
    if (i === holdAt) await reply.holdAt?.hold.wait();
    if (reply.delayMs !== undefined) await later(reply.delayMs);
    if (response.destroyed) return;
    await write(response, sseEvent(event), reply.chunk);
  }
  if (holdAt >= cutAt) await reply.holdAt?.hold.wait();
  if (reply.cut) await cutOff(reply.cut.how, response);
  else response.end();
}

async function write(response: ServerResponse, words: string, chunk: number | undefined): Promise<void> {
  const bytes = Buffer.from(words);
  for (let i = 0; i < bytes.length; i += chunk ?? bytes.length) {
    response.write(bytes.subarray(i, i + (chunk ?? bytes.length)));
    if (chunk !== undefined) await new Promise(setImmediate);
  }
}

async function cutOff(how: Cut, response: ServerResponse): Promise<void> {
  if (how === 'silence') return;
  if (how === 'close') response.end();
  else if (how === 'reset') {
    // What was written is given time to leave before the reset overtakes it.
    await later(20);
    response.socket?.resetAndDestroy();
  } else if ('garbage' in how) response.end(how.garbage);
  else response.end(sseEvent(errorBody(how.error, how.message ?? 'scripted error')));
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
