/** `skein acp`: several sessions in one process, gone on with, listed, left; agents; an editor that vanishes. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type McpServer, methods } from '@agentclientprotocol/sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readSessionOf } from '../../src/disk/read.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { calls, hold, says, text, toolUse } from '../support/scripted-model.ts';
import { newHome, openDesk, pick, refused, startEditor, textOf } from './acp-editor.ts';

const desk = openDesk();
const { fileOf, begun } = desk;
const { session } = methods.agent;

describe('sessions', () => {
  test('two at once, each with its own agent and transcript', async () => {
    const held = hold();
    desk.script.on('the first of two', says('First done', { hold: held }));
    desk.script.on('the second of two', says('Second done'));
    const [a, b] = [await begun(), await begun()];
    const first = desk.editor.prompt(a, 'the first of two');
    await held.reached;
    expect(await desk.editor.prompt(b, 'the second of two')).toEqual({ stopReason: 'end_turn' });
    held.release();
    expect(await first).toEqual({ stopReason: 'end_turn' });
    expect([a, b].map((id) => textOf(desk.editor.updates(id, 'agent_message_chunk')))).toEqual([
      'First done',
      'Second done',
    ]);
    expect(readFileSync(fileOf(a), 'utf8')).not.toContain('Second done');
  });

  test('listed, closed, loaded with all that was said, and gone on with', async () => {
    const file = join(desk.place.cwd, 'c.txt');
    const todos = [{ content: 'Write c', status: 'pending', activeForm: 'Writing c' }];
    desk.script.on(
      'remember this talk',
      calls('TodoWrite', { todos }),
      says([text('I write'), toolUse('Write', { file_path: file, content: 'c' })]),
      says('Written it is'),
    );
    const id = await begun();
    desk.editor.answers(() => pick('once'));
    await desk.editor.prompt(id, 'remember this talk');
    const { sessions } = await desk.editor.agent.request(session.list, { cwd: desk.place.cwd });
    expect(sessions.find(({ sessionId }) => sessionId === id)).toMatchObject({
      cwd: desk.place.cwd,
      title: 'remember this talk',
    });
    expect((await desk.editor.agent.request(session.list, { cwd: '/nowhere' })).sessions).toEqual([]);
    await desk.editor.agent.request(session.close, { sessionId: id });
    expect((await refused(desk.editor.prompt(id, 'still there?'))).code).toBe(-32002);
    desk.editor.heard.length = 0;
    const loaded = await desk.editor.agent.request(session.load, {
      sessionId: id,
      cwd: desk.place.cwd,
      mcpServers: [],
    });
    expect(loaded.modes?.currentModeId).toBe('default');
    const replayed = desk.editor.heard.flatMap((each) =>
      'update' in each && each.sessionId === id ? [each.update] : [],
    );
    expect(replayed.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'user_message_chunk',
      'plan',
      'agent_message_chunk',
      'tool_call',
      'agent_message_chunk',
    ]);
    expect(replayed[3]).toMatchObject({
      title: 'Write c.txt',
      status: 'completed',
      content: [{ type: 'diff', newText: 'c' }],
    });
    desk.script.on('and now on', says('We go on'));
    expect(await desk.editor.prompt(id, 'and now on')).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(desk.script.model.requests.at(-1)?.messages)).toContain('remember this talk');
    desk.editor.heard.length = 0;
    const resumed = await desk.editor.agent.request(session.resume, { sessionId: id, cwd: desk.place.cwd });
    expect([resumed.modes?.currentModeId, desk.editor.updates(id, 'user_message_chunk')]).toEqual(['default', []]);
    const turns = turnsOf(readSessionOf(fileOf(id)).entries);
    expect(turns.map(({ state, kind }) => [state, kind])).toEqual([
      ['complete', 'text'],
      ['complete', 'text'],
    ]);
  });

  test('what is not there is refused by name, and garbage harms nobody', async () => {
    const gone = '00000000-0000-4000-8000-000000000000';
    const load = (sessionId: string, cwd = desk.place.cwd) =>
      refused(desk.editor.agent.request(session.load, { sessionId, cwd, mcpServers: [] }));
    expect((await load(gone)).code).toBe(-32002);
    expect((await load('../../etc/passwd')).code).toBe(-32002);
    expect((await load('@last')).code).toBe(-32002);
    expect((await refused(desk.editor.prompt(gone, 'hello?'))).code).toBe(-32002);
    const { code, message } = await refused(desk.editor.begin(join(desk.place.cwd, 'no-such-folder')));
    expect([code, message]).toEqual([-32602, expect.stringContaining('There is no such folder.')]);
    expect((await refused(desk.editor.begin('relative/path'))).code).toBe(-32602);
    expect((await refused(desk.editor.agent.request('session/unheard_of', {}))).code).toBe(-32601);
    // What the client's side says of answers to nothing.
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => quiet.mockRestore());
    const odd = join(desk.place.cwd, 'odd');
    mkdirSync(join(odd, '.claude'), { recursive: true });
    writeFileSync(join(odd, '.claude', 'settings.json'), '{');
    const { sessionId: told } = await desk.editor.begin(odd);
    await desk.editor.until(() =>
      desk.editor.updates(told, 'notice').some(({ title }) => title.includes('settings.json')),
    );
    for (const line of ['{', '[]', '"words"', 'null', '{"jsonrpc":"2.0"}', '\u0000\u0001', '{"id":7,"method":3}']) {
      desk.editor.child.stdin?.write(`${line}\n`);
    }
    desk.editor.agent.notify(session.cancel, { sessionId: gone });
    desk.script.on('after garbage', says('Fine'));
    expect(await desk.editor.prompt(await begun(), 'after garbage')).toEqual({ stopReason: 'end_turn' });
  });
});

describe('agents', () => {
  test('their calls are told and asked about under their name', async () => {
    const task = { description: 'Make it', prompt: 'the task of the agent', subagent_type: 'general-purpose' };
    desk.script.on('start an agent', calls('Agent', task), says('All done'));
    desk.script.on('the task of the agent', calls('Bash', { command: 'touch by-agent' }), says('Made'));
    const id = await begun();
    desk.editor.answers(() => pick('once'));
    await desk.editor.prompt(id, 'start an agent');
    expect(desk.editor.asked(id).map(({ toolCall }) => toolCall.title)).toEqual(['general-purpose: touch by-agent']);
    const [agent, inner] = desk.editor.updates(id, 'tool_call');
    expect([agent?.kind, inner?.title]).toEqual(['think', 'general-purpose: touch by-agent']);
    const done = desk.editor.updates(id, 'tool_call_update').filter(({ status }) => status === 'completed');
    expect(done.map(({ toolCallId }) => toolCallId)).toEqual([inner?.toolCallId, agent?.toolCallId]);
    expect(textOf(desk.editor.updates(id, 'agent_message_chunk'))).toBe('All done');
  });

  test('one in the background: the turn ends, and its report begins another by itself', async () => {
    const task = { description: 'Look', prompt: 'the slow task', subagent_type: 'Explore', run_in_background: true };
    const held = hold();
    desk.script.on('look behind', calls('Agent', task), says('Meanwhile'));
    desk.script.on('the slow task', says('The report', { hold: held }));
    const id = await begun();
    expect(await desk.editor.prompt(id, 'look behind')).toEqual({ stopReason: 'end_turn' });
    desk.script.on('something else', says('Of course'));
    expect(await desk.editor.prompt(id, 'something else')).toEqual({ stopReason: 'end_turn' });
    desk.script.on('The report', says('I have read it'));
    held.release();
    await desk.editor.until(() => textOf(desk.editor.updates(id, 'agent_message_chunk')).includes('I have read it'));
  });
});

test('MCP servers that the editor names are there, and what they say is told', async () => {
  const server = fileURLToPath(new URL('../support/mcp-odd.ts', import.meta.url));
  const mcpServers: McpServer[] = [{ name: 'odd', command: process.execPath, args: [server], env: [] }];
  const { sessionId: id } = await desk.editor.agent.request(session.new, { cwd: desk.place.cwd, mcpServers });
  desk.script.on('echo this', calls('mcp__odd__echo', { text: 'hi' }), says('It did'));
  desk.editor.answers(() => pick('once'));
  await desk.editor.prompt(id, 'echo this');
  expect(desk.editor.asked(id)[0]?.options[1]?.name).toBe('Always allow mcp__odd__echo');
  const [end] = desk.editor.updates(id, 'tool_call_update').filter(({ status }) => status === 'completed');
  expect(JSON.stringify(end?.content)).toContain('you said hi');
});

test('an editor that vanishes in mid-tool: the session is whole, the command ended, the process gone', async () => {
  desk.script.on('never ends', calls('Bash', { command: 'echo $$ > pid; exec sleep 60' }));
  const id = await begun();
  desk.editor.answers(() => pick('once'));
  const lost = desk.editor.prompt(id, 'never ends').catch((error) => error);
  await desk.editor.until(() =>
    desk.editor.updates(id, 'tool_call_update').some(({ status }) => status === 'in_progress'),
  );
  await expect.poll(() => exists(join(desk.place.cwd, 'pid'))).toBe(true);
  expect(await desk.editor.leave()).toBe(0);
  expect(await lost).toBeInstanceOf(Error);
  const pid = Number(readFileSync(join(desk.place.cwd, 'pid'), 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
  const lines = readFileSync(fileOf(id), 'utf8');
  expect(lines).toContain('tool_result');
  expect(lines).toContain('[Request interrupted by user');
});

test('a message without end closes the connection, with a word', async () => {
  const own = newHome();
  onTestFinished(() => rmSync(own.root, { recursive: true, force: true }));
  const other = await startEditor(own, {});
  const exit = once(other.child, 'exit');
  other.child.stdin?.on('error', () => {});
  other.child.stdin?.write(Buffer.alloc(33 << 20, 'x'));
  expect(await exit).toEqual([0, null]);
  expect(other.errors()).toContain('the connection is closed');
});

test('without a key the editor is told how to set one', async () => {
  const own = newHome();
  onTestFinished(() => rmSync(own.root, { recursive: true, force: true }));
  const other = await startEditor(own, {});
  expect(await refused(other.agent.request(methods.agent.authenticate, { methodId: 'api-key' }))).toEqual({
    code: -32000,
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
  const { sessionId } = await other.begin(own.cwd);
  expect((await refused(other.prompt(sessionId, 'hello'))).code).toBe(-32000);
  other.child.kill('SIGTERM');
  const [code] = await once(other.child, 'exit');
  expect([code, other.errors()]).toEqual([143, '']);
});

function exists(path: string): boolean {
  try {
    return readFileSync(path, 'utf8') !== '';
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
