/** `skein acp` driven by the SDK's own client: one process for many sessions. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transcriptsBelow } from '../support/files.ts';
import { PNG } from '../support/png.ts';
import { calls, hold, says, text, thinking } from '../support/scripted-model.ts';
import {
  type Editor,
  type Home,
  newHome,
  pick,
  refused,
  type Script,
  startEditor,
  startScript,
  textOf,
} from './acp-editor.ts';

let script: Script;
let place: Home;
let editor: Editor;

beforeAll(async () => {
  script = await startScript();
  place = newHome();
  editor = await startEditor(place, script.model.env);
});

afterAll(async () => {
  editor.child.kill('SIGKILL');
  await script.model.close();
  rmSync(place.root, { recursive: true, force: true });
});

const { session } = methods.agent;
const fileOf = (id: string) => transcriptsBelow(join(place.config, 'projects')).find((file) => file.includes(id)) ?? '';

async function begun(): Promise<string> {
  return (await editor.begin(place.cwd)).sessionId;
}

test('the editor is told what there is', async () => {
  expect(editor.welcome).toMatchObject({
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
  const future = await editor.agent.request(methods.agent.initialize, {
    protocolVersion: 99,
    clientCapabilities: { session: { notices: {} } },
  });
  expect(future.protocolVersion).toBe(1);
});

describe('a turn', () => {
  test('is streamed: thoughts, words, usage; commands and modes are told', async () => {
    script.on('say hello', says([thinking('hmm'), text('Hello \u001b[31mthere')]));
    const { sessionId, modes, configOptions } = await editor.begin(place.cwd);
    expect(modes?.currentModeId).toBe('default');
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['default', 'acceptEdits', 'plan', 'dontAsk']);
    expect(configOptions?.map(({ id, category }) => [id, category])).toEqual([
      ['mode', 'mode'],
      ['model', 'model'],
    ]);
    expect(await editor.prompt(sessionId, 'say hello')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates(sessionId, 'agent_thought_chunk'))).toBe('hmm');
    expect(textOf(editor.updates(sessionId, 'agent_message_chunk'))).toBe('Hello there');
    expect(editor.updates(sessionId, 'usage_update').at(-1)).toMatchObject({ used: 15, size: 1_000_000 });
    expect(editor.updates(sessionId, 'session_info_update')).toMatchObject([{ title: 'say hello' }]);
    const [commands] = editor.updates(sessionId, 'available_commands_update');
    expect(commands?.availableCommands.map(({ name }) => name)).toContain('compact');
    // It stands where every other session does, and what a person typed is remembered.
    expect(readFileSync(fileOf(sessionId), 'utf8')).toContain('"promptSource":"typed"');
    expect(readFileSync(join(place.config, 'history.jsonl'), 'utf8')).toContain('say hello');
  });

  test('a command of ours is answered without the model', async () => {
    const id = await begun();
    expect(await editor.prompt(id, '/model sonnet')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates(id, 'agent_message_chunk'))).toContain('claude-sonnet-5-5');
    const [, model] = editor.updates(id, 'config_option_update').at(-1)?.configOptions ?? [];
    expect(model).toMatchObject({ id: 'model', currentValue: 'claude-sonnet-5-5' });
  });

  test('a list of things to do is a plan', async () => {
    const todos = [{ content: 'Look', status: 'completed', activeForm: 'Looking' }];
    script.on('make a list', calls('TodoWrite', { todos }), says('Done'));
    const id = await begun();
    await editor.prompt(id, 'make a list');
    expect(editor.updates(id, 'plan').map(({ entries }) => entries)).toEqual([
      [{ content: 'Look', priority: 'medium', status: 'completed' }],
    ]);
    expect(editor.updates(id, 'tool_call')).toEqual([]);
  });

  test('what is sent along reaches the model: images, files, texts', async () => {
    writeFileSync(join(place.cwd, 'linked.txt'), 'words of the linked file');
    script.on('look at these', says('Seen'));
    const id = await begun();
    const data = PNG;
    await editor.agent.request(session.prompt, {
      sessionId: id,
      prompt: [
        { type: 'text', text: 'look at these' },
        { type: 'resource_link', name: 'linked.txt', uri: `file://${place.cwd}/linked.txt` },
        { type: 'resource', resource: { uri: 'file:///x/unsaved.ts', text: 'const unsaved = 1;' } },
      ],
    });
    const sent = JSON.stringify(script.model.requests.at(-1)?.messages);
    expect(sent).toContain('words of the linked file');
    expect(sent).toContain('const unsaved = 1;');
    script.on('see this', says('Seen'));
    const image = { type: 'image' as const, mimeType: 'image/png', data };
    await editor.agent.request(session.prompt, { sessionId: id, prompt: [{ type: 'text', text: 'see this' }, image] });
    expect(JSON.stringify(script.model.requests.at(-1)?.messages.at(-1))).toContain(data);
  });

  test('a failure of the model is an error with its words', async () => {
    const id = await begun();
    const { code, message } = await refused(editor.prompt(id, 'nothing of this is known'));
    expect([code, message]).toEqual([-32603, expect.stringContaining('API Error: 400')]);
    expect((await refused(editor.prompt(id, '  '))).code).toBe(-32602);
  });
});

describe('permissions', () => {
  test('an edit is asked about with its diff, allowed once, and told to its end', async () => {
    const file = join(place.cwd, 'a.txt');
    writeFileSync(file, 'one\ntwo\n');
    const edit = { file_path: file, old_string: 'two', new_string: 'three' };
    script.on('change the file', calls('Read', { file_path: file }), calls('Edit', edit), says('Changed'));
    const id = await begun();
    editor.answers(() => pick('once'));
    expect(await editor.prompt(id, 'change the file')).toEqual({ stopReason: 'end_turn' });
    expect(readFileSync(file, 'utf8')).toBe('one\nthree\n');
    const diff = { type: 'diff', path: file, oldText: 'one\ntwo\n', newText: 'one\nthree\n' };
    const [asked] = editor.asked(id);
    expect(asked?.toolCall).toMatchObject({ title: 'Edit a.txt', kind: 'edit', locations: [{ path: file, line: 2 }] });
    expect(asked?.toolCall.content?.[0]).toEqual(diff);
    expect(asked?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    const [read, told] = editor.updates(id, 'tool_call');
    expect(read).toMatchObject({ title: 'Read a.txt', kind: 'read', status: 'pending' });
    expect(told).toMatchObject({ toolCallId: asked?.toolCall.toolCallId, content: [diff] });
    const states = editor.updates(id, 'tool_call_update').filter(({ toolCallId }) => toolCallId === told?.toolCallId);
    expect(states.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  });

  test('always holds for the same command and is kept as a rule; output is told', async () => {
    const bash = () => calls('Bash', { command: 'touch made && echo from the shell' });
    script.on('run it twice', bash(), bash(), says('Ran'));
    const id = await begun();
    editor.answers(() => pick('always'));
    await editor.prompt(id, 'run it twice');
    expect(editor.asked(id).length).toBe(1);
    expect(readFileSync(join(place.cwd, '.claude', 'settings.local.json'), 'utf8')).toContain('Bash(touch made');
    const ends = editor.updates(id, 'tool_call_update').filter(({ status }) => status === 'completed');
    expect(ends.length).toBe(2);
    expect(JSON.stringify(ends[0]?.content)).toContain('from the shell');
    expect(ends[0]?.rawOutput).toMatchObject({ stdout: expect.stringContaining('from the shell') });
  });

  test('a rejected call is not run, and the turn goes on without it', async () => {
    script.on('run the bad one', calls('Bash', { command: 'touch bad' }), says('Then not'));
    const id = await begun();
    editor.answers(() => pick('no'));
    expect(await editor.prompt(id, 'run the bad one')).toEqual({ stopReason: 'end_turn' });
    expect(editor.updates(id, 'tool_call_update').map(({ status }) => status)).toEqual(['failed']);
    expect(textOf(editor.updates(id, 'agent_message_chunk'))).toBe('Then not');
    expect(() => readFileSync(join(place.cwd, 'bad'))).toThrow('ENOENT');
  });

  test('an answer that was not offered is no, and ends the turn', async () => {
    script.on('run the odd one', calls('Bash', { command: 'touch odd' }));
    const id = await begun();
    editor.answers(() => pick('yes please'));
    await editor.prompt(id, 'run the odd one');
    expect(() => readFileSync(join(place.cwd, 'odd'))).toThrow('ENOENT');
    script.on('run the broken one', calls('Bash', { command: 'touch broken' }));
    editor.answers(() => {
      throw new Error('no dialog');
    });
    expect(await editor.prompt(id, 'run the broken one')).toEqual({ stopReason: 'end_turn' });
    expect(editor.updates(id, 'notice').map(({ title }) => title)).toEqual([
      expect.stringMatching('The editor could not be asked'),
    ]);
    expect(() => readFileSync(join(place.cwd, 'broken'))).toThrow('ENOENT');
  });

  test('questions of the model are answered by choosing', async () => {
    const options = ['Red', 'Blue'].map((label) => ({ label, description: `${label} it is` }));
    const questions = [{ question: 'Which colour?', header: 'Colour', options }];
    script.on('ask me', calls('AskUserQuestion', { questions }), says('Blue then'));
    const id = await begun();
    editor.answers(({ options }) => pick(options.find(({ name }) => name === 'Blue')?.optionId ?? ''));
    await editor.prompt(id, 'ask me');
    expect(JSON.stringify(script.model.requests.at(-1)?.messages.at(-1))).toContain('Which colour?\\"=\\"Blue');
  });

  test('modes: edits pass in acceptEdits; a plan that is accepted changes the mode', async () => {
    const file = join(place.cwd, 'b.txt');
    script.on('write b', calls('Write', { file_path: file, content: 'new' }), says('Written'));
    const id = await begun();
    await editor.agent.request(session.setMode, { sessionId: id, modeId: 'acceptEdits' });
    expect(editor.updates(id, 'current_mode_update').map(({ currentModeId }) => currentModeId)).toEqual([
      'acceptEdits',
    ]);
    await editor.prompt(id, 'write b');
    expect([readFileSync(file, 'utf8'), editor.asked(id)]).toEqual(['new', []]);
    await editor.agent.request(session.setConfigOption, { sessionId: id, configId: 'mode', value: 'plan' });
    script.on('plan it', calls('ExitPlanMode', { plan: '1. do it' }), says('On it'));
    // Approved, it is carried out in the mode that was before.
    editor.answers(() => pick('once'));
    await editor.prompt(id, 'plan it');
    expect(JSON.stringify(editor.asked(id)[0]?.toolCall.content)).toContain('1. do it');
    expect(editor.updates(id, 'current_mode_update').at(-1)?.currentModeId).toBe('acceptEdits');
    const never = { sessionId: id, modeId: 'bypassPermissions' };
    expect((await refused(editor.agent.request(session.setMode, never))).code).toBe(-32602);
  });
});

describe('cancelling', () => {
  test('in mid-stream, in mid-tool and while it asks', async () => {
    const id = await begun();
    const cancel = () => editor.agent.notify(session.cancel, { sessionId: id });
    const held = hold();
    script.on('a long story', says('Once upon a time there was', { holdAt: { at: { inside: 0 }, hold: held } }));
    const story = editor.prompt(id, 'a long story');
    await editor.until(() => editor.updates(id, 'agent_message_chunk').length > 0);
    await cancel();
    expect(await story).toEqual({ stopReason: 'cancelled' });
    expect(editor.updates(id, 'agent_message_chunk').length).toBe(1);
    held.release();
    script.on('sleep long', calls('Bash', { command: 'echo awake; sleep 60' }));
    editor.answers(() => pick('once'));
    const sleep = editor.prompt(id, 'sleep long');
    await editor.until(() => editor.updates(id, 'tool_call_update').some(({ status }) => status === 'in_progress'));
    await cancel();
    expect(await sleep).toEqual({ stopReason: 'cancelled' });
    expect(editor.updates(id, 'tool_call_update').at(-1)?.status).toBe('failed');
    script.on('ask and wait', calls('Bash', { command: 'touch waited' }));
    editor.answers(() => new Promise(() => {}));
    const waits = editor.prompt(id, 'ask and wait');
    await editor.until(() => editor.asked(id).length === 1);
    await cancel();
    expect(await waits).toEqual({ stopReason: 'cancelled' });
    script.on('go on then', says('Here I am'));
    expect(await editor.prompt(id, 'go on then')).toEqual({ stopReason: 'end_turn' });
  });
});
