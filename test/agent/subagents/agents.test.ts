/** Agents that a session starts: what they write, what they are told, and how they end. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asObject, asString } from '../../../src/format/json.ts';
import { runHere } from '../../support/inprocess.ts';
import { calls, says, text, thinking, toolUse } from '../../support/scripted-model.ts';
import { talkWith } from '../talkwith.ts';
import { linesOf, wrongIn } from '../world.ts';
import { byPrompt, named } from './script.ts';
import { results, task, told, written } from './support.ts';

describe('an agent', () => {
  test('L3, E6: has a transcript of its own; its report and what it took are the result', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [says([thinking('Hm.'), toolUse('Agent', task('SUB look'), 'toolu_main')]), says('Done.')],
        SUB: [calls('Read', { file_path: 'a.txt' }), says('It says alpha.', { usage: { input_tokens: 40 } })],
      }),
      { 'a.txt': 'alpha\n' },
    );
    const end = await it.say('Begin');
    expect(end).toMatchObject({ reason: 'end_turn', text: 'Done.', rounds: 2 });
    const { file, main, agents } = written(it);
    const [agent] = agents;
    const id = /agent-(a[0-9a-f]{16})\.jsonl$/.exec(agent?.file ?? '')?.[1] ?? 'none';
    const sessionId = basename(file, '.jsonl');
    expect(agent?.file).toBe(join(dirname(file), sessionId, 'subagents', `agent-${id}.jsonl`));
    expect(agent?.meta).toEqual({
      agentType: 'general-purpose',
      isBuiltIn: true,
      description: 'A task',
      toolUseId: 'toolu_main',
      spawnDepth: 1,
      finished: true,
    });
    const prompt = main.find(({ type }) => type === 'user');
    expect(agent?.lines.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    for (const line of agent?.lines ?? []) expect(line).toMatchObject({ isSidechain: true, agentId: id, sessionId });
    expect(agent?.lines[0]).toMatchObject({
      parentUuid: null,
      promptId: prompt?.promptId,
      message: { content: 'SUB look' },
    });
    expect(agent?.lines[0]).not.toHaveProperty('promptSource');
    const [result] = results(main);
    expect(result?.entry.toolUseResult).toMatchObject({
      status: 'completed',
      prompt: 'SUB look',
      agentId: id,
      content: [{ type: 'text', text: 'It says alpha.' }],
      totalTokens: 45,
      totalToolUseCount: 1,
      usage: { input_tokens: 40, output_tokens: 5 },
    });
    expect(JSON.stringify(result?.block.content)).toContain(`agentId: ${id}`);
    // All four answers count, in the turn and in what the session keeps of it.
    expect(Object.values(end.usage)[0]).toMatchObject({ input_tokens: 70, output_tokens: 20 });
    const cost = main.findLast(({ type }) => type === 'cost-state');
    expect(Object.values(asObject(cost?.modelUsage) ?? {})[0]).toMatchObject({ inputTokens: 70, outputTokens: 20 });
  });

  test('what it is told: its own words and tools, not the conversation of the session', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Task', task('SUB look', { subagent_type: 'reader', model: 'haiku' })), says('Done.')],
        SUB: [calls('Write', { file_path: 'x', content: 'x' }), says('Seen.')],
      }),
      {
        '.claude/agents/reader.md': '---\nname: reader\ndescription: Reads.\ntools: Read, Grep\n---\nYou read. MARKER',
        '~/.claude/agents/reader.md': '---\nname: reader\ndescription: The user’s own.\n---\nOTHER',
        'CLAUDE.md': 'PROJECT MEMORY',
      },
    );
    expect(await it.say('Begin')).toMatchObject({ text: 'Done.' });
    const [main, sub, , back] = it.model.requests;
    const tools = (request: typeof main) => asArray(request?.body.tools)?.map((each) => asString(asObject(each)?.name));
    expect(JSON.stringify(main?.body.tools)).toContain('- reader: Reads. (Tools: Read, Grep)');
    expect(tools(sub)).toEqual(['Read', 'Grep']);
    expect(sub?.body.model).toBe('claude-haiku-5-5');
    const system = JSON.stringify(sub?.body.system);
    for (const words of ['MARKER', 'PROJECT MEMORY']) expect(system).toContain(words);
    expect(sub?.messages).toEqual([{ role: 'user', content: [text('SUB look')] }]);
    expect(JSON.stringify(it.model.requests[2]?.messages)).toContain('There is no tool named Write');
    // R15: the call is sent by the newest name.
    expect(JSON.stringify(back?.messages)).toContain('"name":"Agent"');
    expect(existsSync(join(it.cwd, 'x'))).toBe(false);
  });

  test('what it is sent stays whole, however long it works', async () => {
    const steps = Array.from({ length: 12 }, (_, i) =>
      says([thinking(`${i}`), toolUse('Bash', { command: `echo ${i}a` }), toolUse('Bash', { command: `echo ${i}b` })]),
    );
    const it = await talkWith(
      byPrompt({ Begin: [calls('Agent', task('SUB')), says('Done.')], SUB: [...steps, says('Report.')] }),
    );
    await it.say('Begin', 'bypassPermissions');
    const asked = it.model.requests.filter(named('SUB'));
    expect(asked.map(({ messages }) => messages.length)).toEqual(steps.concat(says('')).map((_, i) => 1 + 2 * i));
    const [call] = results(written(it).agents[0]?.lines ?? []);
    expect(JSON.stringify(asked.at(-1)?.messages[2])).toContain(String(call?.block.tool_use_id));
  });

  test('may start agents of its own, three deep', async () => {
    const next = (name: string) => [calls('Agent', task(name)), says('Back.')];
    const it = await talkWith(
      byPrompt({ Begin: next('ONE'), ONE: next('TWO'), TWO: next('THREE'), THREE: next('FOUR') }),
    );
    expect(await it.say('Begin')).toMatchObject({ text: 'Back.' });
    const { agents } = written(it);
    const by = (depth: number) => agents.find(({ meta }) => meta.spawnDepth === depth);
    expect(agents).toHaveLength(3);
    const idOf = (depth: number) => by(depth)?.lines[0]?.agentId;
    expect(by(1)?.meta).not.toHaveProperty('parentAgentId');
    expect([by(2)?.meta.parentAgentId, by(3)?.meta.parentAgentId]).toEqual([idOf(1), idOf(2)]);
    expect(JSON.stringify(by(3)?.lines)).toContain('There is no tool named Agent');
    const chat = await told(it, 'tree', '@last');
    expect(JSON.stringify(chat)).toContain(String(idOf(3)));
  });

  test('Explore changes nothing, whatever the mode', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB', { subagent_type: 'Explore' })), says('Done.')],
        SUB: [
          says([toolUse('Bash', { command: 'ls' }), toolUse('Bash', { command: 'touch made' }), toolUse('Write', {})]),
          says('Looked.'),
        ],
      }),
      { 'a.txt': 'alpha' },
    );
    const end = await it.say('Begin', 'bypassPermissions');
    expect(end.denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch made' } }]);
    const [ls, touch, write] = results(written(it).agents[0]?.lines ?? []);
    expect(ls?.block.content).toContain('a.txt');
    expect(touch?.block).toMatchObject({ is_error: true });
    expect(write?.block.content).toContain('There is no tool named Write');
    expect(existsSync(join(it.cwd, 'made'))).toBe(false);
  });

  test.each(['Task', 'Agent'])('R15: forbidden as %s it is not offered', async (name) => {
    const settings = { permissions: { deny: [name] } };
    const it = await talkWith([says('Hello.')], { '~/.claude/settings.json': settings });
    await it.say('Hi');
    expect(JSON.stringify(it.model.requests[0]?.body.tools)).not.toContain('"name":"Agent"');
  });

  test('a rule that forbids a kind of agent holds; so do those about what it does', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [
          says([
            toolUse('Agent', task('NO', { subagent_type: 'Plan' })),
            toolUse('Agent', task('SUB', { subagent_type: 'general-purpose' })),
          ]),
          says('Done.'),
        ],
        SUB: [calls('Bash', { command: 'cd sub' }), calls('Read', { file_path: 'secret' }), says('No luck.')],
      }),
      { '.claude/settings.json': { permissions: { deny: ['Task(Plan)', 'Read(./sub/secret)'] } }, 'sub/secret': 'KEY' },
    );
    await it.say('Begin');
    const { main, agents } = written(it);
    expect(results(main)[0]?.block).toMatchObject({ is_error: true });
    expect(agents).toHaveLength(1);
    // Where it went is its own: the session stays where it was.
    expect(JSON.stringify(agents[0]?.lines)).not.toContain('KEY');
    expect(new Set(main.flatMap(({ cwd }) => cwd ?? []))).toEqual(new Set([it.cwd]));
    expect(agents[0]?.lines.at(-1)?.cwd).toBe(join(it.cwd, 'sub'));
  });
});

describe('around it', () => {
  test('U1: hooks hear of its start, its calls and its stop, and may send it back to work', async () => {
    const log = (event: string) => [{ hooks: [{ type: 'command', command: `cat >> "$HOME/${event}.log"` }] }];
    const once = 'if [ -e "$HOME/once" ]; then exit 0; fi; touch "$HOME/once"; echo "Look twice" >&2; exit 2';
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), says('Done.')],
        SUB: [calls('Bash', { command: 'echo hi' }), says('First.'), says('Second.')],
      }),
      {
        '~/.claude/settings.json': {
          hooks: {
            UserPromptSubmit: log('prompt'),
            PreToolUse: log('pre'),
            Stop: log('stop'),
            SubagentStart: [
              {
                hooks: [
                  {
                    type: 'command',
                    command:
                      'tee -a "$HOME/start.log" >/dev/null; echo "{\\"hookSpecificOutput\\":{\\"hookEventName\\":\\"SubagentStart\\",\\"additionalContext\\":\\"BE KIND\\"}}"',
                  },
                ],
              },
            ],
            SubagentStop: [...log('substop'), { hooks: [{ type: 'command', command: once }] }],
          },
        },
      },
    );
    await it.say('Begin', 'bypassPermissions');
    const heard = (name: string) => linesOf(join(it.home, `${name}.log`));
    const { agents, main } = written(it);
    const [agent] = agents;
    const who = { agent_id: agent?.lines[0]?.agentId, agent_type: 'general-purpose' };
    expect(heard('prompt')).toHaveLength(1);
    expect(heard('stop')).toHaveLength(1);
    expect(heard('start')).toMatchObject([{ hook_event_name: 'SubagentStart', ...who }]);
    expect(heard('pre')).toMatchObject([{ tool_name: 'Agent' }, { tool_name: 'Bash', ...who }]);
    expect(heard('pre')[0]).not.toHaveProperty('agent_id');
    expect(heard('substop')).toMatchObject([
      { ...who, stop_hook_active: false, agent_transcript_path: agent?.file, last_assistant_message: 'First.' },
      { ...who, stop_hook_active: true, last_assistant_message: 'Second.' },
    ]);
    expect(JSON.stringify(it.model.requests.find(named('SUB'))?.messages)).toContain('BE KIND');
    expect(JSON.stringify(agent?.lines)).toContain('Look twice');
    expect(results(main)[0]?.entry.toolUseResult).toMatchObject({ content: [{ text: 'Second.' }] });
  });

  test('what it changed is kept for a rewind, with the turn that called it', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), says('Done.')],
        SUB: [
          calls('Read', { file_path: 'a.txt' }),
          calls('Write', { file_path: 'a.txt', content: 'new' }),
          says('Ok.'),
        ],
      }),
      { 'a.txt': 'old' },
    );
    await it.say('Begin', 'bypassPermissions');
    expect(readFileSync(join(it.cwd, 'a.txt'), 'utf8')).toBe('new');
    const env = { HOME: it.home, CLAUDE_CONFIG_DIR: join(it.home, '.claude') };
    const rewound = await runHere(['rewind', '@last', '--to', '1'], env);
    expect([rewound.code, rewound.text]).toMatchObject([0, expect.any(String)]);
    expect(readFileSync(join(it.cwd, 'a.txt'), 'utf8')).toBe('old');
  });
});

describe('our own readers', () => {
  test('L3: show, tree, usage and check see it at its call, counted once', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB look', { description: 'Look around' })), says('Done.')],
        SUB: [calls('Bash', { command: 'echo hi' }), says('A report.')],
      }),
    );
    await it.say('Begin', 'bypassPermissions');
    const { file, agents } = written(it);
    const id = String(agents[0]?.lines[0]?.agentId);
    expect(wrongIn(file)).toEqual([]);
    const check = await told(it, 'check');
    expect(asArray(check.issues)?.filter((issue) => asObject(issue)?.severity !== 'info')).toEqual([]);
    const totals = asObject((await told(it, 'usage', '@last')).totals);
    expect([totals?.input, totals?.output]).toEqual([40, 20]);
    const [chat] = asArray((await told(it, 'tree', '@last')).chats) ?? [];
    const attached = { agentId: id, how: 'meta', sure: 'certain', status: 'completed', description: 'Look around' };
    expect(asObject(chat)).toMatchObject({ subagents: [attached], unattached: [], usage: { input: 40, agents: 1 } });
    const show = await runHere(['show', '@last'], { HOME: it.home, CLAUDE_CONFIG_DIR: join(it.home, '.claude') });
    expect(show.text).toContain('agent general-purpose: 1 call, 30 tokens');
  });
});
