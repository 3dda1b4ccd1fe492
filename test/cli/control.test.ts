import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSession, resumeSession } from '../../src/agent/session.ts';
import { HANDLERS } from '../../src/cli/chat/control/handlers.ts';
import { createHeartbeat } from '../../src/cli/chat/heartbeat.ts';
import { asObject, type JsonObject } from '../../src/format/json.ts';
import { createWorld, wrongIn } from '../agent/world.ts';
import { calls, hold, says } from '../support/scripted-model.ts';
import { isResult, type Program, program } from './control-program.ts';

const ONE = '11111111-1111-4111-8111-111111111111';
const TWO = '22222222-2222-4222-8222-222222222222';

const namesOf = ({ told }: Program) =>
  told.map(({ type, subtype, state }) => [type, subtype, state].filter((part) => part !== undefined).join('/'));

describe('initialize', () => {
  test('what the program wants holds from the first prompt on; a second one changes nothing', async () => {
    const it = await program([says('ok')]);
    const agents = { finder: { description: 'finds', prompt: 'You find.' }, broken: { prompt: 'no description' } };
    const first = await it.ask({
      subtype: 'initialize',
      systemPrompt: ['Be a cat.'],
      appendSystemPrompt: 'Purr.',
      agents,
    });
    expect(first).toMatchObject({ subtype: 'success', pending_permission_requests: [] });
    const told = asObject(first.response);
    expect(told?.agents).toContainEqual({ name: 'finder', description: 'finds' });
    expect(JSON.stringify(told?.agents)).not.toContain('broken');
    expect(told).toMatchObject({ output_style: 'default', account: { apiKeySource: 'ANTHROPIC_API_KEY' } });
    const hooks = { PreToolUse: [{ hookCallbackIds: ['late'] }] };
    const again = await it.ask({ subtype: 'initialize', hooks });
    expect(again.response).toMatchObject({ hooks_applied: false });
    it.say('hi');
    await it.next(isResult);
    const { body } = await it.model.request(0);
    expect(JSON.stringify(body.system)).toContain('Be a cat.');
    expect(JSON.stringify(body.system)).toContain('Purr.');
    it.end();
    expect(await it.done).toBe(true);
  });

  test('without it a session begins with the first message', async () => {
    const it = await program([says('ok')]);
    expect(await it.ask({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: [] } });
    it.say('hi');
    expect(await it.next(isResult)).toMatchObject({ result: 'ok' });
  });

  test('nothing said is nothing done', async () => {
    const it = await program([]);
    it.end();
    expect(await it.done).toBe(true);
    expect(it.told).toEqual([]);
  });
});

describe('prompts with names', () => {
  test('the name is that of the line, unless the session has one of that name', () => {
    const { options } = createWorld();
    const prompt = { source: 'sdk', permissionMode: 'default', uuid: ONE } as const;
    const begun = newSession(options);
    expect(begun.transcript.prompt('one', prompt).uuid).toBe(ONE);
    expect(begun.transcript.prompt('two', prompt).uuid).not.toBe(ONE);
    begun.close();
    const again = resumeSession(options, begun.transcript.file);
    expect(again.transcript.prompt('three', prompt).uuid).not.toBe(ONE);
    expect(again.transcript.prompt('four', { ...prompt, uuid: TWO }).uuid).toBe(TWO);
    again.close();
    expect(wrongIn(begun.transcript.file)).toEqual([]);
  });

  test('what waits can be taken back; sent twice is said once', async () => {
    const gate = hold();
    const it = await program([says('one', { hold: gate }), says('two')]);
    it.say('one', ONE);
    await gate.reached;
    it.say('two', TWO);
    it.say('two', TWO);
    expect(await it.ask({ subtype: 'cancel_async_message', message_uuid: TWO })).toMatchObject({
      response: { cancelled: true },
    });
    expect(await it.ask({ subtype: 'cancel_async_message', message_uuid: TWO })).toMatchObject({
      response: { cancelled: false },
    });
    gate.release();
    expect(await it.next(isResult)).toMatchObject({ user_message_uuid: ONE, user_message_uuids: [ONE] });
    it.end();
    await it.done;
    expect(it.model.requests).toHaveLength(1);
    expect(namesOf(it).filter((name) => name.startsWith('command_lifecycle'))).toEqual(
      ['queued', 'started', 'queued', 'cancelled', 'completed'].map((state) => `command_lifecycle/${state}`),
    );
  });

  test('an interrupt leaves what waits, or takes it along', async () => {
    const gates = [hold(), hold()];
    const it = await program([says('1', { hold: gates[0] ?? hold() }), says('2', { hold: gates[1] ?? hold() })]);
    it.say('one', ONE);
    await gates[0]?.reached;
    it.say('two', TWO);
    expect(await it.ask({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: [TWO] } });
    await gates[1]?.reached;
    it.say('three', '33333333-3333-4333-8333-333333333333');
    const all = await it.ask({ subtype: 'interrupt', cancel_queued: true });
    expect(all.response).toEqual({ still_queued: [], cancelled: ['33333333-3333-4333-8333-333333333333'] });
    for (const gate of gates) gate.release();
    it.end();
    await it.done;
    expect(it.model.requests).toHaveLength(2);
  });
});

describe('what comes in may be anything', () => {
  test('a line that is no message ends it with what is wrong, and the turn as it should', async () => {
    const gate = hold();
    const it = await program([says('never', { hold: gate })]);
    it.say('hi');
    await gate.reached;
    it.send('not json');
    const wrong = await it.done;
    expect(wrong).toMatchObject({ message: expect.stringContaining('Line 2 of the input is not a message') });
    expect(await it.next(isResult)).toMatchObject({ subtype: 'error_during_execution' });
    gate.release();
  });

  test('a line without an end is not kept for ever', async () => {
    const it = await program([]);
    const part = Buffer.alloc(8 << 20, 'x');
    for (let i = 0; i < 9; i += 1) it.raw(part);
    expect(await it.done).toMatchObject({
      message: expect.stringContaining('Line 1 of the input is longer than 64 MB'),
    });
  });

  test('every known request is answered once, whatever is in it; the session goes on', async () => {
    const it = await program(() => says('ok'));
    const subtype = fc.constantFrom(...HANDLERS.keys(), 'nonsense', '__proto__', 'constructor');
    const keys = fc.constantFrom(
      'mode',
      'model',
      'max_thinking_tokens',
      'serverName',
      'servers',
      'title',
      'message_uuid',
      'user_message_id',
      'hooks',
      'cancel_queued',
    );
    const request = fc.tuple(subtype, fc.dictionary(keys, fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(request, async ([name, fields]) => {
        const { subtype: how } = await it.ask(JSON.parse(JSON.stringify({ ...fields, subtype: name })));
        expect(['success', 'error']).toContain(how);
      }),
      { numRuns: 100 },
    );
    const answers = it.told.filter(({ type }) => type === 'control_response');
    const ids = answers.map(({ response }) => asObject(response)?.request_id);
    expect(new Set(ids).size).toBe(ids.length);
    it.say('still there?');
    expect(await it.next(isResult)).toMatchObject({ result: 'ok' });
  });

  test('the answer to a request that was taken back is not sent', async () => {
    const it = await program([says('ok')]);
    it.send(JSON.stringify({ type: 'control_cancel_request', request_id: 'x' }));
    it.send(JSON.stringify({ type: 'control_request', request_id: 'x', request: { subtype: 'mcp_status' } }));
    it.send(JSON.stringify({ type: 'keep_alive' }));
    it.say('hi');
    await it.next(isResult);
    expect(it.told.some(({ type }) => type === 'control_response')).toBe(false);
  });
});

test('an agent in the background can be stopped', async () => {
  const gate = hold();
  const it = await program((request) => {
    const sent = JSON.stringify(request.body.messages);
    if (sent.includes('find it') && !sent.includes('start one')) return says('never', { hold: gate });
    if (sent.includes('task-notification')) return says('told');
    const input = { description: 'look', prompt: 'find it', run_in_background: true };
    return sent.includes('tool_result') ? says('started') : calls('Agent', input);
  });
  it.say('start one');
  const { task_id = '' } = await it.next(({ subtype }) => subtype === 'task_started');
  await gate.reached;
  await it.next(isResult);
  expect(await it.ask({ subtype: 'stop_task', task_id })).toMatchObject({ subtype: 'success' });
  expect(await it.next(({ subtype }) => subtype === 'task_notification')).toMatchObject({ task_id, status: 'stopped' });
  expect(await it.next(isResult)).toMatchObject({ result: 'told' });
  expect(await it.ask({ subtype: 'stop_task', task_id: 'nobody' })).toMatchObject({ subtype: 'success' });
  gate.release();
});

describe('an answer in a form of its own', () => {
  test('a schema that cannot be checked is passed on, and whatever comes is taken', async () => {
    const it = await program([calls('StructuredOutput', { a: 1 })]);
    const jsonSchema = { type: 'object', properties: { a: { $ref: 'https://example.invalid/x' } } };
    await it.ask({ subtype: 'initialize', jsonSchema });
    it.say('hi');
    expect(await it.next(isResult)).toMatchObject({ structured_output: { a: 1 }, result: '{"a":1}' });
    const { body } = await it.model.request(0);
    expect(JSON.stringify(body.tools)).toContain('example.invalid');
  });
});

test('a call that takes long tells that it goes on', async () => {
  const told: JsonObject[] = [];
  const beat = createHeartbeat(
    (message) => void told.push(message),
    () => 's',
    5,
  );
  beat({ kind: 'tool-start', id: 'toolu_1', name: 'Bash', input: {} });
  beat({ kind: 'tool-start', id: 'toolu_2', name: 'Agent', input: {} });
  await expect.poll(() => told.length).toBeGreaterThan(1);
  beat({ kind: 'tool-end', id: 'toolu_1', name: 'Bash', outcome: { content: '', result: '' } });
  const [first, second] = told;
  expect(first).toMatchObject({
    type: 'tool_progress',
    tool_use_id: 'toolu_1-heartbeat-0',
    parent_tool_use_id: 'toolu_1',
  });
  expect(second).toMatchObject({ tool_use_id: 'toolu_1-heartbeat-1', tool_name: 'Bash', heartbeat: true });
  const { length } = told;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(told).toHaveLength(length);
});
