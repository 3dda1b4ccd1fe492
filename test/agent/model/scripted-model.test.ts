import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import { hold, type ScriptedModel, says, toolUse } from '../../support/scripted-model.ts';
import { serving } from './asking.ts';

const serve = serving();

const FINE: JsonObject = { model: 'm', max_tokens: 2000, messages: [{ role: 'user', content: 'hi' }] };
const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
const MARKED = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };

async function sent(
  { url }: ScriptedModel,
  body: JsonObject,
  headers: Record<string, string> = HEADERS,
): Promise<[number, JsonObject]> {
  const answer = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
  return [answer.status, await answer.json()];
}

test.each<[string, JsonObject]>([
  ['A1', { messages: [...messages('hi'), { role: 'assistant', content: [toolUse('Read', {})] }] }],
  ['A4', { messages: messages(' ') }],
  ['A8', { messages: [{ role: 'assistant', content: 'hi' }] }],
  ['model', { model: undefined }],
  ['max_tokens', { max_tokens: undefined }],
  ['budget_tokens', { thinking: { type: 'enabled', budget_tokens: 100 } }],
  ['thinking.type.enabled', { model: 'claude-opus-5-5', thinking: { type: 'enabled', budget_tokens: 1500 } }],
  ['adaptive', { model: 'claude-sonnet-4-5-20250929', thinking: { type: 'adaptive' } }],
  ['must be greater', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
  ['cache_control', { system: [MARKED, MARKED, MARKED, MARKED, MARKED] }],
  ['empty text', { system: [{ ...MARKED, text: '' }] }],
  ['unique', { tools: [{ name: 'a' }, { name: 'a' }] }],
])('it refuses what the API refuses: %s', async (words, change) => {
  const server = await serve(() => says('ok'));
  const [status, body] = await sent(server, { ...FINE, ...change });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(words);
  expect(server.requests[0]?.refused).toBeDefined();
});

test('it wants a key and a version, and answers what is right', async () => {
  const server = await serve(() => says('ok'));
  expect((await sent(server, FINE, { 'anthropic-version': '2023-06-01' }))[0]).toBe(401);
  expect((await sent(server, FINE, { 'x-api-key': 'k' }))[0]).toBe(400);
  const [status, body] = await sent(server, FINE);
  expect(status).toBe(200);
  expect(body).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' });
});

test('a script that is used up says so; other paths are answered', async () => {
  const server = await serve([]);
  expect((await sent(server, FINE))[1]).toMatchObject({ error: { message: 'the script has no step for request 0' } });
  expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
  expect(server.others).toEqual(['HEAD /', 'GET /v1/models']);
});

test('a child process asks it, and is held until the test lets go', async () => {
  const gate = hold();
  const server = await serve([says('late', { hold: gate })]);
  const program = `
    const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env;
    const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    fetch(url + '/v1/messages', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(FINE))} })
      .then((answer) => answer.json()).then((body) => console.log(body.content[0].text));`;
  const child = promisify(execFile)(process.execPath, ['-e', program], { env: { ...process.env, ...server.env } });
  await gate.reached;
  expect((await server.request(0)).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]);
  gate.release();
  expect((await child).stdout).toBe('late\n');
});

function messages(content: string): JsonObject[] {
  return [{ role: 'user', content }];
}
