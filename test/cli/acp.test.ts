/** `skein acp` driven by the SDK's own client: one process for many sessions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { PNG } from '../support/png.ts';
import { calls, hold, says, text, thinking } from '../support/scripted-model.ts';
import { openDesk, pick, refused, textOf } from './acp-editor.ts';

const desk = openDesk();
const { fileOf, begun } = desk;
const { session } = methods.agent;

test('the editor is told what there is', async () => {
  expect(desk.editor.welcome).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: 'skein' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [{ id: 'api-key' }],
  });
  const future = await desk.editor.agent.request(methods.agent.initialize, {
    protocolVersion: 99,
    clientCapabilities: { session: { notices: {} } },
  });
  expect(future.protocolVersion).toBe(1);
});

describe('a turn', () => {
  test('is streamed: thoughts, words, usage; commands and modes are told', async () => {
    desk.script.on('say hello', says([thinking('hmm'), text('Hello \u001b[31mthere')]));
    const { sessionId, modes, configOptions } = await desk.editor.begin(desk.place.cwd);
    expect(modes?.currentModeId).toBe('default');
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['default', 'acceptEdits', 'plan', 'dontAsk']);
    expect(configOptions?.map(({ id, category }) => [id, category])).toEqual([
      ['mode', 'mode'],
      ['model', 'model'],
    ]);
    expect(await desk.editor.prompt(sessionId, 'say hello')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(desk.editor.updates(sessionId, 'agent_thought_chunk'))).toBe('hmm');
    expect(textOf(desk.editor.updates(sessionId, 'agent_message_chunk'))).toBe('Hello there');
    expect(desk.editor.updates(sessionId, 'usage_update').at(-1)).toMatchObject({ used: 15, size: 1_000_000 });
    expect(desk.editor.updates(sessionId, 'session_info_update')).toMatchObject([{ title: 'say hello' }]);
    const [commands] = desk.editor.updates(sessionId, 'available_commands_update');
    expect(commands?.availableCommands.map(({ name }) => name)).toContain('compact');
    // It stands where every other session does, and what a person typed is remembered.
    expect(readFileSync(fileOf(sessionId), 'utf8')).toContain('"promptSource":"typed"');
    expect(readFileSync(join(desk.place.config, 'history.jsonl'), 'utf8')).toContain('say hello');
  });

  test('a command of ours is answered without the model', async () => {
    const id = await begun();
    expect(await desk.editor.prompt(id, '/model sonnet')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(desk.editor.updates(id, 'agent_message_chunk'))).toContain('claude-sonnet-5-5');
    const [, model] = desk.editor.updates(id, 'config_option_update').at(-1)?.configOptions ?? [];
    expect(model).toMatchObject({ id: 'model', currentValue: 'claude-sonnet-5-5' });
  });

  test('a list of things to do is a plan', async () => {
    const todos = [{ content: 'Look', status: 'completed', activeForm: 'Looking' }];
    desk.script.on('make a list', calls('TodoWrite', { todos }), says('Done'));
    const id = await begun();
    await desk.editor.prompt(id, 'make a list');
    expect(desk.editor.updates(id, 'plan').map(({ entries }) => entries)).toEqual([
      [{ content: 'Look', priority: 'medium', status: 'completed' }],
    ]);
    expect(desk.editor.updates(id, 'tool_call')).toEqual([]);
  });

  test('what is sent along reaches the model: images, files, texts', async () => {
    writeFileSync(join(desk.place.cwd, 'linked.txt'), 'words of the linked file');
    desk.script.on('look at these', says('Seen'));
    const id = await begun();
    const data = PNG;
    await desk.editor.agent.request(session.prompt, {
      sessionId: id,
      prompt: [
        { type: 'text', text: 'look at these' },
        { type: 'resource_link', name: 'linked.txt', uri: `file://${desk.place.cwd}/linked.txt` },
        { type: 'resource', resource: { uri: 'file:///x/unsaved.ts', text: 'const unsaved = 1;' } },
      ],
    });
    const sent = JSON.stringify(desk.script.model.requests.at(-1)?.messages);
    expect(sent).toContain('words of the linked file');
    expect(sent).toContain('const unsaved = 1;');
    desk.script.on('see this', says('Seen'));
    const image = { type: 'image' as const, mimeType: 'image/png', data };
    await desk.editor.agent.request(session.prompt, {
      sessionId: id,
      prompt: [{ type: 'text', text: 'see this' }, image],
    });
    expect(JSON.stringify(desk.script.model.requests.at(-1)?.messages.at(-1))).toContain(data);
  });

  test('a failure of the model is an error with its words', async () => {
    const id = await begun();
    const { code, message } = await refused(desk.editor.prompt(id, 'nothing of this is known'));
    expect([code, message]).toEqual([-32603, expect.stringContaining('API Error: 400')]);
    expect((await refused(desk.editor.prompt(id, '  '))).code).toBe(-32602);
  });
});

describe('permissions', () => {
  test('an edit is asked about with its diff, allowed once, and told to its end', async () => {
    const file = join(desk.place.cwd, 'a.txt');
    writeFileSync(file, 'one\ntwo\n');
    const edit = { file_path: file, old_string: 'two', new_string: 'three' };
    desk.script.on('change the file', calls('Read', { file_path: file }), calls('Edit', edit), says('Changed'));
    const id = await begun();
    desk.editor.answers(() => pick('once'));
    expect(await desk.editor.prompt(id, 'change the file')).toEqual({ stopReason: 'end_turn' });
    expect(readFileSync(file, 'utf8')).toBe('one\nthree\n');
    const diff = { type: 'diff', path: file, oldText: 'one\ntwo\n', newText: 'one\nthree\n' };
    const [asked] = desk.editor.asked(id);
    expect(asked?.toolCall).toMatchObject({ title: 'Edit a.txt', kind: 'edit', locations: [{ path: file, line: 2 }] });
    expect(asked?.toolCall.content?.[0]).toEqual(diff);
    expect(asked?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    const [read, told] = desk.editor.updates(id, 'tool_call');
    expect(read).toMatchObject({ title: 'Read a.txt', kind: 'read', status: 'pending' });
    expect(told).toMatchObject({ toolCallId: asked?.toolCall.toolCallId, content: [diff] });
    const states = desk.editor
      .updates(id, 'tool_call_update')
      .filter(({ toolCallId }) => toolCallId === told?.toolCallId);
    expect(states.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  });

  test('always holds for the same command and is kept as a rule; output is told', async () => {
    const bash = () => calls('Bash', { command: 'touch made && echo from the shell' });
    desk.script.on('run it twice', bash(), bash(), says('Ran'));
    const id = await begun();
    desk.editor.answers(() => pick('always'));
    await desk.editor.prompt(id, 'run it twice');
    expect(desk.editor.asked(id).length).toBe(1);
    expect(readFileSync(join(desk.place.cwd, '.claude', 'settings.local.json'), 'utf8')).toContain('Bash(touch made');
    const ends = desk.editor.updates(id, 'tool_call_update').filter(({ status }) => status === 'completed');
    expect(ends.length).toBe(2);
    expect(JSON.stringify(ends[0]?.content)).toContain('from the shell');
    expect(ends[0]?.rawOutput).toMatchObject({ stdout: expect.stringContaining('from the shell') });
  });

  test('a rejected call is not run, and the turn goes on without it', async () => {
    desk.script.on('run the bad one', calls('Bash', { command: 'touch bad' }), says('Then not'));
    const id = await begun();
    desk.editor.answers(() => pick('no'));
    expect(await desk.editor.prompt(id, 'run the bad one')).toEqual({ stopReason: 'end_turn' });
    expect(desk.editor.updates(id, 'tool_call_update').map(({ status }) => status)).toEqual(['failed']);
    expect(textOf(desk.editor.updates(id, 'agent_message_chunk'))).toBe('Then not');
    expect(() => readFileSync(join(desk.place.cwd, 'bad'))).toThrow('ENOENT');
  });

  test('an answer that was not offered is no, and ends the turn', async () => {
    desk.script.on('run the odd one', calls('Bash', { command: 'touch odd' }));
    const id = await begun();
    desk.editor.answers(() => pick('yes please'));
    await desk.editor.prompt(id, 'run the odd one');
    expect(() => readFileSync(join(desk.place.cwd, 'odd'))).toThrow('ENOENT');
    desk.script.on('run the broken one', calls('Bash', { command: 'touch broken' }));
    desk.editor.answers(() => {
      throw new Error('no dialog');
    });
    expect(await desk.editor.prompt(id, 'run the broken one')).toEqual({ stopReason: 'end_turn' });
    expect(desk.editor.updates(id, 'notice').map(({ title }) => title)).toEqual([
      expect.stringMatching('The editor could not be asked'),
    ]);
    expect(() => readFileSync(join(desk.place.cwd, 'broken'))).toThrow('ENOENT');
  });

  test('questions of the model are answered by choosing', async () => {
    const options = ['Red', 'Blue'].map((label) => ({ label, description: `${label} it is` }));
    const questions = [{ question: 'Which colour?', header: 'Colour', options }];
    desk.script.on('ask me', calls('AskUserQuestion', { questions }), says('Blue then'));
    const id = await begun();
    desk.editor.answers(({ options }) => pick(options.find(({ name }) => name === 'Blue')?.optionId ?? ''));
    await desk.editor.prompt(id, 'ask me');
    expect(JSON.stringify(desk.script.model.requests.at(-1)?.messages.at(-1))).toContain('Which colour?\\"=\\"Blue');
  });

  test('modes: edits pass in acceptEdits; a plan that is accepted changes the mode', async () => {
    const file = join(desk.place.cwd, 'b.txt');
    desk.script.on('write b', calls('Write', { file_path: file, content: 'new' }), says('Written'));
    const id = await begun();
    await desk.editor.agent.request(session.setMode, { sessionId: id, modeId: 'acceptEdits' });
    expect(desk.editor.updates(id, 'current_mode_update').map(({ currentModeId }) => currentModeId)).toEqual([
      'acceptEdits',
    ]);
    await desk.editor.prompt(id, 'write b');
    expect([readFileSync(file, 'utf8'), desk.editor.asked(id)]).toEqual(['new', []]);
    await desk.editor.agent.request(session.setConfigOption, { sessionId: id, configId: 'mode', value: 'plan' });
    desk.script.on('plan it', calls('ExitPlanMode', { plan: '1. do it' }), says('On it'));
    // Approved, it is carried out in the mode that was before.
    desk.editor.answers(() => pick('once'));
    await desk.editor.prompt(id, 'plan it');
    expect(JSON.stringify(desk.editor.asked(id)[0]?.toolCall.content)).toContain('1. do it');
    expect(desk.editor.updates(id, 'current_mode_update').at(-1)?.currentModeId).toBe('acceptEdits');
    const never = { sessionId: id, modeId: 'bypassPermissions' };
    expect((await refused(desk.editor.agent.request(session.setMode, never))).code).toBe(-32602);
  });
});

describe('cancelling', () => {
  test('in mid-stream, in mid-tool and while it asks', async () => {
    const id = await begun();
    const cancel = () => desk.editor.agent.notify(session.cancel, { sessionId: id });
    const held = hold();
    desk.script.on('a long story', says('Once upon a time there was', { holdAt: { at: { inside: 0 }, hold: held } }));
    const story = desk.editor.prompt(id, 'a long story');
    await desk.editor.until(() => desk.editor.updates(id, 'agent_message_chunk').length > 0);
    await cancel();
    expect(await story).toEqual({ stopReason: 'cancelled' });
    expect(desk.editor.updates(id, 'agent_message_chunk').length).toBe(1);
    held.release();
    desk.script.on('sleep long', calls('Bash', { command: 'echo awake; sleep 60' }));
    desk.editor.answers(() => pick('once'));
    const sleep = desk.editor.prompt(id, 'sleep long');
    await desk.editor.until(() =>
      desk.editor.updates(id, 'tool_call_update').some(({ status }) => status === 'in_progress'),
    );
    await cancel();
    expect(await sleep).toEqual({ stopReason: 'cancelled' });
    expect(desk.editor.updates(id, 'tool_call_update').at(-1)?.status).toBe('failed');
    desk.script.on('ask and wait', calls('Bash', { command: 'touch waited' }));
    desk.editor.answers(() => new Promise(() => {}));
    const waits = desk.editor.prompt(id, 'ask and wait');
    await desk.editor.until(() => desk.editor.asked(id).length === 1);
    await cancel();
    expect(await waits).toEqual({ stopReason: 'cancelled' });
    desk.script.on('go on then', says('Here I am'));
    expect(await desk.editor.prompt(id, 'go on then')).toEqual({ stopReason: 'end_turn' });
  });
});
