/** SendMessage: agents that are told more, while they work and after they are done. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { asArray, asObject, asString, type Json } from '../../../src/format/json.ts';
import { runHere } from '../../support/inprocess.ts';
import { calls, fails, hold, type ScriptedRequest, says, text, toolUse } from '../../support/scripted-model.ts';
import { type TalkWith, talkWith } from '../talkwith.ts';
import { wrongIn } from '../world.ts';
import { byPrompt, named } from './script.ts';
import { results, task, told, written } from './support.ts';

const send = (to: string, message: string) => calls('SendMessage', { to, message, summary: 'more' });
const idIn = ({ messages }: Pick<ScriptedRequest, 'messages'>) =>
  /agentId: (a[0-9a-f]{16})/.exec(JSON.stringify(messages))?.[1] ?? 'none';
const sendMore = (message: string) => (request: ScriptedRequest) => send(idIn(request), message);
const coordinator = (message: string) =>
  `The coordinator sent a message while you were working:\n${message}\n\nAddress this before completing your current task.`;
const drained = { drain: true };

/** Nothing is wrong to our own readers, and there is one agent, counted once. */
async function expectOneAgent(it: TalkWith, tokens: readonly [number, number], toolUses: number): Promise<void> {
  const { file, agents } = written(it);
  expect(wrongIn(file)).toEqual([]);
  const check = await told(it, 'check');
  expect(asArray(check.issues)?.filter((issue) => asObject(issue)?.severity !== 'info')).toEqual([]);
  expect(agents).toHaveLength(1);
  const totals = asObject((await told(it, 'usage', '@last')).totals);
  expect([totals?.input, totals?.output]).toEqual(tokens);
  const [chat] = asArray((await told(it, 'tree', '@last')).chats) ?? [];
  const { agentId } = agents[0]?.lines[0] ?? {};
  expect(asObject(chat)).toMatchObject({
    subagents: [{ agentId, how: 'meta', sure: 'certain', status: 'completed' }],
    unattached: [],
    usage: { input: tokens[0], agents: 1, toolCalls: toolUses },
  });
}

describe('an agent that is done', () => {
  test('L3: goes on with its own transcript, in the background; the model is told', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB look')), sendMore('And b?'), says('Sent.'), says('Both.')],
        SUB: [
          calls('Read', { file_path: 'a.txt' }),
          says('It says alpha.'),
          calls('Read', { file_path: 'b.txt' }),
          says('It says beta.'),
        ],
      }),
      { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
    );
    expect(await it.say('Begin', 'default', drained)).toMatchObject({ reason: 'end_turn', text: 'Both.' });
    const { main, agents } = written(it);
    const [agent] = agents;
    const agentId = agent?.lines[0]?.agentId;
    expect(agent?.lines.map(({ type }) => type)).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
      ...['user', 'assistant', 'user', 'assistant'],
    ]);
    const [more] = agent?.lines.slice(4) ?? [];
    expect(more).toMatchObject({
      parentUuid: agent?.lines[3]?.uuid,
      isSidechain: true,
      agentId,
      isMeta: true,
      origin: { kind: 'coordinator' },
      message: { content: coordinator('And b?') },
    });
    expect(agent?.meta).toMatchObject({ finished: true, spawnDepth: 1 });
    // What it is sent is all that it did, and the message.
    const asked = it.model.requests.filter(named('SUB')).map(({ messages }) => messages);
    expect(asked.map(({ length }) => length)).toEqual([1, 3, 5, 7]);
    expect(asked[2]?.slice(3)).toEqual([
      { role: 'assistant', content: [text('It says alpha.')] },
      { role: 'user', content: [text(coordinator('And b?'))] },
    ]);
    const [first, second] = results(main);
    expect(first?.entry.toolUseResult).toMatchObject({ agentId, canContinueAgent: true });
    expect(second?.entry.toolUseResult).toMatchObject({ success: true, resumedAgentId: agentId });
    const notice = main.find(({ promptSource }) => promptSource === 'system');
    const words = asString(asObject(notice?.message)?.content) ?? '';
    expect(words).toContain('<result>It says beta.</result>');
    expect(words).toContain(`<tool-use-id>${String(second?.block.tool_use_id)}</tool-use-id>`);
    await expectOneAgent(it, [80, 40], 4);
    const show = await runHere(['show', '@last'], { HOME: it.home, CLAUDE_CONFIG_DIR: `${it.home}/.claude` });
    expect(show.text.match(/agent general-purpose: 1 call, 30 tokens/g)).toHaveLength(2);
  });

  test('also after the session was resumed, with the model it had; what it changes is of the turn that told it', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [
          calls('Agent', task('SUB', { model: 'haiku' })),
          says('First.'),
          sendMore('Now write'),
          says('Sent.'),
          says('All.'),
        ],
        SUB: [says('Ready.'), calls('Write', { file_path: 'made.txt', content: 'new' }), says('Written.')],
      }),
    );
    await it.say('Begin', 'bypassPermissions');
    expect(await it.say('Go on', 'bypassPermissions', drained)).toMatchObject({ text: 'All.' });
    const models = it.model.requests.filter(named('SUB')).map(({ body }) => body.model);
    expect(new Set(models)).toEqual(new Set(['claude-haiku-5-5']));
    const { main, agents } = written(it);
    const prompts = main.filter(({ type, promptSource }) => type === 'user' && promptSource === 'sdk');
    expect(agents[0]?.lines.map(({ promptId }) => promptId).filter(Boolean)).toEqual([
      prompts[0]?.promptId,
      ...Array(2).fill(prompts[1]?.promptId),
    ]);
    expect(readFileSync(`${it.cwd}/made.txt`, 'utf8')).toBe('new');
    const env = { HOME: it.home, CLAUDE_CONFIG_DIR: `${it.home}/.claude` };
    const kept = (await runHere(['rewind', '@last', '--to', '2', '--dry-run'], env)).text;
    expect(kept).toContain('made.txt');
    await expectOneAgent(it, [80, 40], 3);
  });

  test('R13: one that was killed within a call goes on with what the API accepts', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), says('First.'), sendMore('Again'), says('Sent.'), says('All.')],
        SUB: [calls('Bash', { command: 'echo hi' }), says('Never seen.'), says('Back.')],
      }),
    );
    await it.say('Begin', 'bypassPermissions');
    const file = written(it).agents[0]?.file ?? '';
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${lines.slice(0, 2).join('\n')}\n{"type":"assis`);
    expect(await it.say('Go on', 'bypassPermissions', drained)).toMatchObject({ text: 'All.' });
    const last = it.model.requests.filter(named('SUB')).at(-1);
    expect(last?.refused).toBeUndefined();
    expect(JSON.stringify(last?.messages.at(-1))).toContain('Again');
    expect(JSON.stringify(written(it).main)).toContain('<result>Back.</result>');
  });
});

describe('an agent that works', () => {
  test('E9: is told with its next results', async () => {
    const gate = hold();
    const it = await talkWith(
      byPrompt({
        Begin: [
          calls('Agent', task('SUB', { run_in_background: true })),
          sendMore('And b?'),
          () => {
            gate.release();
            return says('Sent.');
          },
          says('All.'),
        ],
        SUB: [{ ...calls('Bash', { command: 'echo hi' }), hold: gate }, says('Both.')],
      }),
    );
    expect(await it.say('Begin', 'bypassPermissions', drained)).toMatchObject({ text: 'All.' });
    const { main, agents } = written(it);
    expect(results(main)[1]?.entry.toolUseResult).toMatchObject({ success: true });
    const [agent] = agents;
    expect(agent?.lines.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'attachment', 'assistant']);
    expect(agent?.lines[3]?.attachment).toMatchObject({
      type: 'queued_command',
      prompt: 'And b?',
      origin: { kind: 'coordinator' },
      isMeta: true,
    });
    const last = JSON.stringify(it.model.requests.filter(named('SUB')).at(-1)?.messages);
    expect(last).toContain('And b?');
    await expectOneAgent(it, [60, 30], 3);
  });

  test('told too late for that, it goes on and reports again', async () => {
    const gate = hold();
    const it = await talkWith(
      byPrompt({
        Begin: [
          calls('Agent', task('SUB', { run_in_background: true })),
          sendMore('And b?'),
          () => {
            gate.release();
            return says('Sent.');
          },
          says('One.'),
          says('Two.'),
        ],
        SUB: [{ ...says('First.'), hold: gate }, says('Second.')],
      }),
    );
    expect(await it.say('Begin', 'default', drained)).toMatchObject({ text: 'Two.' });
    const notices = written(it).main.filter(({ promptSource }) => promptSource === 'system');
    expect(notices.map(({ message }) => /<result>(.*)<\/result>/.exec(JSON.stringify(message))?.[1])).toEqual([
      'First.',
      'Second.',
    ]);
    await expectOneAgent(it, [70, 35], 2);
  });
});

describe('what cannot be', () => {
  test.each<[string, Record<string, Json>, string]>([
    ['no such agent', { to: 'a0123456789abcdef', message: 'x' }, 'This session has no agent a0123456789abcdef'],
    ['a path', { to: '../../x', message: 'x' }, 'This session has no agent ../../x'],
    ['nothing said', { to: 'a0123456789abcdef', message: ' ' }, 'The message is empty'],
    ['nobody named', { message: 'x' }, 'The input of SendMessage is not right'],
  ])('%s', async (_, input, why) => {
    const it = await talkWith([says([toolUse('SendMessage', input)]), says('So.')]);
    expect(await it.say('Begin')).toMatchObject({ text: 'So.' });
    const [result] = results(written(it).main);
    expect(result?.block).toMatchObject({ is_error: true, content: expect.stringContaining(why) });
  });

  test('one of a kind that is gone, one that fails again', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), sendMore('On'), says('Sent.'), says('So.'), sendMore('On'), says('No.')],
        SUB: [says('Ready.'), fails(400, { message: 'no such thing' })],
      }),
    );
    expect(await it.say('Begin', 'default', drained)).toMatchObject({ text: 'So.' });
    expect(JSON.stringify(written(it).main)).toContain('<status>failed</status>');
    const { file, meta } = written(it).agents[0] ?? { file: '', meta: {} };
    writeFileSync(file.replace('.jsonl', '.meta.json'), JSON.stringify({ ...meta, agentType: 'wizard' }));
    expect(await it.say('Again', 'default', drained)).toMatchObject({ text: 'No.' });
    expect(String(results(written(it).main).at(-1)?.block.content)).toContain('no kind of agent named wizard');
  });

  test('one of a kind that a rule forbids by now', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB', { subagent_type: 'Plan' })), says('So.'), sendMore('On'), says('No.')],
        SUB: [says('Ready.')],
      }),
    );
    await it.say('Begin');
    const settings = `${it.home}/.claude/settings.json`;
    writeFileSync(settings, JSON.stringify({ permissions: { deny: ['Agent(Plan)'] } }));
    expect(await it.say('Go on', 'bypassPermissions', drained)).toMatchObject({ text: 'No.' });
    expect(results(written(it).main).at(-1)?.block).toMatchObject({ is_error: true });
    expect(it.model.requests.filter(named('SUB'))).toHaveLength(1);
  });

  test('one that works for another agent is left to it: two would write into one transcript', async () => {
    const gate = hold();
    const inner = (it: TalkWith) => written(it).agents.find(({ meta }) => meta.spawnDepth === 2)?.lines[0]?.agentId;
    const tellInner = async () => {
      await vi.waitFor(() => expect(inner(it)).toBeDefined());
      return send(asString(inner(it) as Json) ?? '', 'More');
    };
    const letGo = () => {
      gate.release();
      return says('So be it.');
    };
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB', { run_in_background: true })), tellInner, letGo, says('All.')],
        SUB: [calls('Agent', task('INNER')), says('Outer.')],
        INNER: [{ ...says('Inner.'), hold: gate }],
      }),
    );
    expect(await it.say('Begin', 'bypassPermissions', drained)).toMatchObject({ text: 'All.' });
    expect(results(written(it).main)[1]?.block).toMatchObject({
      is_error: true,
      content: expect.stringContaining('works for another agent'),
    });
    expect(it.model.requests.filter(named('INNER'))).toHaveLength(1);
    expect(wrongIn(written(it).file)).toEqual([]);
  });

  test('agents have no agents of the session to tell; where Agent is forbidden neither has it', async () => {
    const tools = (request: ScriptedRequest | undefined) => JSON.stringify(request?.body.tools);
    const it = await talkWith(byPrompt({ Begin: [calls('Agent', task('SUB')), says('Done.')], SUB: [says('Ready.')] }));
    await it.say('Begin');
    expect(tools(it.model.requests[0])).toContain('"name":"SendMessage"');
    expect(tools(it.model.requests[1])).not.toContain('"name":"SendMessage"');
    const settings = { permissions: { deny: ['Task'] } };
    const other = await talkWith([says('Hello.')], { '~/.claude/settings.json': settings });
    await other.say('Hi');
    expect(tools(other.model.requests[0])).not.toContain('"name":"SendMessage"');
  });
});
