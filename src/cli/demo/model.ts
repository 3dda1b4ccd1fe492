/** A Messages API on loopback, inside the process, that answers by the demo's script. It is asked over HTTP as any other. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../format/json.ts';
import { type DemoAnswer, demoAnswer } from './script.ts';

export interface DemoModel {
  readonly url: string;
  close(): void;
}

export async function startDemoModel(answer = demoAnswer): Promise<DemoModel> {
  const server = createServer((request, response) => {
    answerTo(request, response, answer).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It does not keep the process alive.
  server.unref();
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerTo(request: IncomingMessage, response: ServerResponse, answer: typeof demoAnswer): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = asObject(parseJson(Buffer.concat(chunks).toString('utf8'))) ?? {};
  if (request.url?.includes('count_tokens')) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1200}');
    return;
  }
  const system = (asArray(body.system) ?? []).map((part) => asString(asObject(part)?.text) ?? '').join('\n');
  const messages = asArray(body.messages) ?? [];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_demo' });
  const tokens = 900 + Math.round(JSON.stringify(messages).length / 4);
  await stream(answer(messages, system), asString(body.model) ?? 'demo', tokens, response);
}

let answers = 0;

async function stream(
  { blocks, pace }: DemoAnswer,
  model: string,
  input: number,
  response: ServerResponse,
): Promise<void> {
  const send = (event: JsonObject) =>
    response.destroyed || response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  answers += 1;
  const id = `msg_demo${String(answers).padStart(6, '0')}`;
  const output = Math.round(JSON.stringify(blocks).length / 4);
  const usage = { input_tokens: input, output_tokens: 1 };
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  send({ type: 'message_start', message: { ...message, usage } });
  for (const [index, block] of blocks.entries()) {
    await sendBlock(block, index, pace, send);
    if (response.destroyed) return;
  }
  const stop = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  send({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } });
  send({ type: 'message_stop' });
  response.end();
}

type Send = (event: JsonObject) => boolean;

async function sendBlock(block: JsonObject, index: number, pace: number, send: Send): Promise<void> {
  const delta = (fields: JsonObject) => send({ type: 'content_block_delta', index, delta: fields });
  const words = asString(block.type === 'thinking' ? block.thinking : block.text) ?? '';
  const empty =
    block.type === 'tool_use'
      ? { ...block, input: {} }
      : block.type === 'thinking'
        ? { ...block, thinking: '', signature: '' }
        : { ...block, text: '' };
  send({ type: 'content_block_start', index, content_block: empty });
  if (block.type === 'tool_use') delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
  // Four characters are about a token.
  const pieces = words.match(/[\s\S]{1,4}/g) ?? [];
  const began = performance.now();
  for (const [i, piece] of pieces.entries()) {
    const due = began + (1000 * i) / pace - performance.now();
    if (due > 1) await new Promise((resolve) => setTimeout(resolve, due));
    const isThought = block.type === 'thinking';
    delta(isThought ? { type: 'thinking_delta', thinking: piece } : { type: 'text_delta', text: piece });
  }
  if (block.type === 'thinking') delta({ type: 'signature_delta', signature: asString(block.signature) ?? '' });
  send({ type: 'content_block_stop', index });
}
