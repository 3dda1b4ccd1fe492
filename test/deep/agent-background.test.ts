/** Agents in the background: the turn goes on without them, and the model is told when they are done. */
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { asObject, asString, type JsonObject } from '../../src/format/json.ts';
import { byPrompt } from '../agent/subagents/script.ts';
import { chatWith, entriesOf } from '../support/chat.ts';
import { runHere } from '../support/inprocess.ts';
import { calls, hold, says, toolUse } from '../support/scripted-model.ts';

const behind = (prompt: string) => ({ description: 'Look', prompt, run_in_background: true });
const UNASKED = ['--permission-mode', 'bypassPermissions'];

function isAgent(file: string): boolean {
  return basename(dirname(file)) === 'subagents';
}

function kinds(lines: readonly JsonObject[]): string[] {
  return lines.map(({ type, subtype }) => [type, subtype].filter(Boolean).join(' '));
}

describe('an agent in the background', () => {
  test('E7: -p goes on, then tells the model of it in a turn of its own, as the client records it', async () => {
    const gate = hold();
    const chat = await chatWith(
      byPrompt({
        Begin: [calls('Agent', behind('SUB look')), says('Started.'), says('It found alpha.')],
        SUB: [{ ...calls('Bash', { command: 'echo alpha' }), hold: gate }, says('Report: alpha.')],
      }),
    );
    const started = chat.start(['-p', 'Begin', ...UNASKED, '--output-format', 'stream-json', '--verbose']);
    await started.printed('Started.');
    gate.release();
    const { code, lines } = await started.done;
    expect(code).toBe(0);
    expect(lines.flatMap(({ type, result }) => (type === 'result' ? [result] : []))).toEqual([
      'Started.',
      'It found alpha.',
    ]);
    const file = chat.sessions().find((each) => !isAgent(each)) ?? '';
    const main = entriesOf(file);
    const launched = asObject(main.find(({ toolUseResult }) => toolUseResult)?.toolUseResult);
    const id = asString(launched?.agentId) ?? '';
    const outputFile = join(file.replace('.jsonl', ''), 'subagents', `agent-${id}.jsonl`);
    expect(launched).toMatchObject({ isAsync: true, status: 'async_launched', description: 'Look', outputFile });
    const told = main.findIndex(({ promptSource }) => promptSource === 'system');
    expect(main[told]).toMatchObject({
      origin: { kind: 'task-notification', producer: 'session-task' },
      turnOrigin: 'task_notification',
      turnPosition: { turnIndex: 2 },
    });
    const words = asString(asObject(main[told]?.message)?.content) ?? '';
    for (const part of [`<task-id>${id}</task-id>`, '<status>completed</status>', '<result>Report: alpha.</result>'])
      expect(words).toContain(part);
    expect(main.slice(told - 2, told)).toMatchObject([
      { type: 'queue-operation', operation: 'enqueue', content: words },
      { type: 'queue-operation', operation: 'dequeue' },
    ]);
    expect(main.findLast(({ type }) => type === 'last-prompt')).toMatchObject({ lastPrompt: 'Begin' });
    expect(kinds(main).filter((kind) => kind === 'system turn_duration')).toHaveLength(2);
    // Counted once, though it ran beside both turns.
    const state = Object.values(asObject(main.findLast(({ type }) => type === 'cost-state')?.modelUsage) ?? {});
    expect(state).toMatchObject([{ inputTokens: 50, outputTokens: 25 }]);
    const env = { HOME: chat.home, CLAUDE_CONFIG_DIR: join(chat.home, '.claude') };
    const totals = asObject(asObject((await runHere(['usage', '@last', '--json'], env)).json())?.totals);
    expect([totals?.input, totals?.output]).toEqual([50, 25]);
    const tree = asObject((await runHere(['tree', '@last', '--json'], env)).json());
    expect(tree?.chats).toMatchObject([{ subagents: [{ agentId: id, background: true, status: 'completed' }] }]);
    expect(await chat.story()).toContain('It found alpha.');
  });

  test('as one result: only the last turn is told, with all that was used', async () => {
    const chat = await chatWith(
      byPrompt({
        Begin: [calls('Agent', behind('SUB')), says('Started.', { delayMs: 1 }), says('Done.')],
        SUB: [says('Report.', { delayMs: 40 })],
      }),
    );
    const { code, out, result } = await chat.run(['-p', 'Begin', ...UNASKED, '--output-format', 'json']);
    expect(code).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(result).toMatchObject({ result: 'Done.', is_error: false });
    expect(Object.values(asObject(result.modelUsage) ?? {})).toMatchObject([{ inputTokens: 40 }]);
  });

  test('E9: done while the model works, it is told beside the next results', async () => {
    const gate = hold();
    const chat = await chatWith(
      byPrompt({
        Begin: [
          calls('Agent', behind('SUB')),
          { ...calls('Bash', { command: 'sleep 0.5' }), hold: gate },
          says('Both.'),
        ],
        SUB: [says('Report.')],
      }),
    );
    const started = chat.start(['-p', 'Begin', ...UNASKED, '--output-format', 'json']);
    await chat.model.request(2);
    gate.release();
    const { result } = await started.done;
    expect(result).toMatchObject({ result: 'Both.' });
    const main = entriesOf(chat.sessions().find((each) => !isAgent(each)) ?? '');
    const queued = main.map(({ attachment }) => asObject(attachment)).find((each) => each?.type === 'queued_command');
    expect(queued).toMatchObject({ commandMode: 'task-notification', origin: { kind: 'task-notification' } });
    expect(JSON.stringify(chat.model.requests.at(-1)?.messages)).toContain('<result>Report.</result>');
    await chat.story();
  });

  test('in the console: told while nobody types, and hooks hear that it runs', async () => {
    const gate = hold();
    const chat = await chatWith(
      byPrompt({
        Begin: [calls('Agent', behind('SUB')), says('Started.'), says('It found alpha.')],
        SUB: [{ ...calls('Bash', { command: 'echo alpha' }), hold: gate }, says('Report.')],
      }),
    );
    const command = `cat >> ${join(chat.home, 'stop.log')}`;
    const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
    const started = chat.start([...UNASKED, '--settings', settings], { input: 'Begin\n' });
    await started.printed('Started.');
    gate.release();
    await started.printed('general-purpose: Bash echo alpha');
    await started.printed('It found alpha.');
    started.child.stdin?.end('/exit\n');
    const { code, out } = await started.done;
    expect(code).toBe(0);
    expect(out).not.toContain('task-notification');
    const [first, second] = entriesOf(join(chat.home, 'stop.log'));
    expect(first?.background_tasks).toMatchObject([{ type: 'subagent', description: 'Look', status: 'running' }]);
    expect(second?.background_tasks).toEqual([]);
  });

  test('ended with the session, it leaves a whole transcript', async () => {
    const chat = await chatWith(
      byPrompt({
        Begin: [calls('Agent', behind('SUB')), says('Started.')],
        SUB: [calls('Bash', { command: 'echo begun; sleep 60' })],
      }),
    );
    const started = chat.start(['-p', 'Begin', ...UNASKED, '--output-format', 'stream-json', '--verbose']);
    await started.printed('Started.');
    await chat.model.request(2);
    started.child.kill('SIGINT');
    expect((await started.done).code).toBe(130);
    const agent = entriesOf(chat.sessions().find(isAgent) ?? '');
    expect(JSON.stringify(agent.at(-1))).toContain('[Request interrupted by user');
    await chat.story();
  });

  test('killed within an agent: the session goes on, in a fork too, and the agent stays where it was called', async () => {
    const chat = await chatWith(
      byPrompt({
        Begin: [calls('Agent', { description: 'Look', prompt: 'SUB' }), says('Again.'), says('Forked.')],
        SUB: [calls('Bash', { command: 'echo begun; sleep 60' })],
      }),
    );
    const started = chat.start(['-p', 'Begin', ...UNASKED]);
    await chat.model.request(1);
    await vi.waitFor(() => expect(entriesOf(chat.sessions().find(isAgent) ?? '')).toHaveLength(2));
    started.child.kill('SIGKILL');
    await started.done;
    const resumed = await chat.run(['-p', 'Go on', '--continue', ...UNASKED]);
    expect([resumed.code, resumed.out]).toEqual([0, 'Again.\n']);
    await chat.story();
    const forked = await chat.run(['-p', 'Go on', '--continue', '--fork-session', ...UNASKED]);
    expect([forked.code, forked.out]).toEqual([0, 'Forked.\n']);
    await chat.story();
    const env = { HOME: chat.home, CLAUDE_CONFIG_DIR: join(chat.home, '.claude') };
    const tree = asObject((await runHere(['tree', '@last', '--json'], env)).json());
    expect(tree?.chats).toMatchObject([{ subagents: [{ description: 'Look', how: 'meta' }], unattached: [] }]);
  });

  test('in the foreground: stream-json tells what it says and does with the call it belongs to', async () => {
    const call = toolUse('Agent', { description: 'Look', prompt: 'SUB' }, 'toolu_outer');
    const chat = await chatWith(
      byPrompt({ Begin: [says([call]), says('Done.')], SUB: [calls('Bash', { command: 'echo hi' }), says('Report.')] }),
    );
    const { lines } = await chat.run(['-p', 'Begin', ...UNASKED, '--output-format', 'stream-json', '--verbose']);
    const said = lines.filter(({ type }) => type === 'assistant' || type === 'user');
    expect(said.map(({ type, parent_tool_use_id: of }) => `${String(type)} ${String(of)}`)).toEqual([
      'assistant null',
      // Its report is in the result.
      ...['user', 'assistant', 'user'].map((type) => `${type} toolu_outer`),
      'user null',
      'assistant null',
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Done.', num_turns: 2 });
  });
});
