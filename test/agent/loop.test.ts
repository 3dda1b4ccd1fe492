import { describe, expect, test } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import type { Gate, HookAnswer, Hooks } from '../../src/agent/ports.ts';
import { resumeSession } from '../../src/agent/session.ts';
import { asString, at, type JsonObject } from '../../src/format/json.ts';
import { type Bench, bench, call, done, echo, says, text, thinking, tool, toolsOf } from './parts.ts';
import { idOf, lineOf, linesWith, NEVER, story, turn } from './turns.ts';
import { contextOf, linesOf } from './world.ts';

describe('a turn', () => {
  test('prompt, answer, end', async () => {
    const it = bench([says(thinking(), 'Hello.')]);
    const end = await turn(it);
    expect(end).toMatchObject({ reason: 'end_turn', text: 'Hello.', rounds: 1, costUSD: 0.01 });
    expect(end.usage).toMatchObject({ 'claude-opus-5-5': { input_tokens: 10, output_tokens: 5 } });
    expect(story(it)).toEqual(['user Go', 'thinking', 'text Hello.', 'system turn_duration']);
    const [first, last] = linesWith(it, 'assistant');
    expect(at(first, 'message', 'stop_reason')).toBeNull();
    expect(at(last, 'message', 'stop_reason')).toBe('end_turn');
    expect(at(last, 'message', 'usage', 'output_tokens')).toBe(5);
    expect(linesWith(it, 'last-prompt')).toMatchObject([{ lastPrompt: 'Go' }]);
  });

  test('W4: the prompt is in the file before the model is asked, each block before the next', async () => {
    const seen: string[][] = [];
    const it: Bench = bench(() => {
      seen.push(story(it));
      return says('Hello.');
    });
    await turn(it);
    expect(seen).toEqual([['user Go']]);
  });

  test('E5: parallel calls run together; their results stand in one chain and name their calls', async () => {
    let running = 0;
    let most = 0;
    const both = tool('Both', async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return done('x');
    });
    const it = bench([says(call('Both'), call('Both'), call('Both')), says('Done.')], { tools: toolsOf(both) });
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', rounds: 2 });
    expect(most).toBe(3);
    for (const line of linesOf(it.session.transcript.file).filter((each) => each.toolUseResult !== undefined)) {
      expect(asString(line.sourceToolAssistantUUID)).toBe(lineOf(it, idOf(line)));
    }
    expect(it.requests[1]?.messages.at(-1)?.content).toHaveLength(3);
    const parents = linesOf(it.session.transcript.file).flatMap(({ parentUuid }) => asString(parentUuid) ?? []);
    expect(new Set(parents).size).toBe(parents.length);
  });

  test('calls that act run one after the other, between those that may run together', async () => {
    const order: string[] = [];
    const slow = tool('R', async ({ n }) => {
      order.push(`start ${n}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(`end ${n}`);
      return done('r');
    });
    const act = tool(
      'W',
      async ({ n }) => {
        order.push(`write ${n}`);
        return done('w');
      },
      { parallel: () => false },
    );
    const answer = says(call('R', { n: 1 }), call('R', { n: 2 }), call('W', { n: 3 }), call('R', { n: 4 }));
    await turn(bench([answer, says('Done.')], { tools: toolsOf(slow, act) }));
    expect(order).toEqual(['start 1', 'start 2', 'end 1', 'end 2', 'write 3', 'start 4', 'end 4']);
  });

  test('no such tool, a bad input, a tool that throws: is_error results, and the model goes on', async () => {
    const it = bench([says(call('Nope'), call('Echo', { bad: true }), call('Broken')), says('Done.')]);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn' });
    const results = it.requests[1]?.messages.at(-1)?.content ?? [];
    expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true]);
    expect(results.map(({ content }) => content).sort()).toEqual([
      'Broken failed: it broke',
      'There is no tool named Nope.',
      'bad is not allowed.',
    ]);
  });

  test('A3: a backend that gives every answer the same ids', async () => {
    const same = { ...says(call('Echo', { text: 'a' }, 'call_0')), id: 'msg' };
    const it = bench([same, same, { ...says('Done.'), id: 'msg' }]);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', rounds: 3 });
    expect(it.requests[2]?.messages).toHaveLength(5);
  });

  test('what was typed meanwhile is told beside the results (E9)', async () => {
    const queued = [{ content: 'Hurry', uuid: 'u', typed: '2026-01-01T00:00:00.000Z' }];
    const queue = { take: () => queued.splice(0) };
    const it = bench([says(call('Echo', { text: 'a' })), says('Done.')], { queue });
    await turn(it);
    expect(story(it)).toContain('attachment queued_command');
    expect(JSON.stringify(it.requests[1]?.messages)).toContain('Hurry');
    expect(linesWith(it, 'queue-operation')).toMatchObject([{ operation: 'remove', reason: 'absorbed_mid_turn' }]);
  });
});

describe('what is never sent', () => {
  test('A: a history that the API would refuse; the failure names the rule and what helps', async () => {
    const it = bench([says('Never.')]);
    const bad = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }] }] as const;
    const transcript = Object.create(it.parts.transcript, {
      messages: { value: () => bad.map(({ role, content }) => ({ role, content: [...content] })) },
    });
    const end = await runTurn({ ...it.parts, transcript }, { content: 'Go', source: 'typed' }, NEVER);
    expect(end).toMatchObject({ reason: 'failed', rounds: 0, failure: { type: 'invalid_history' } });
    expect(end.failure?.message).toMatch(/A2.*skein repair/);
    expect(it.requests).toHaveLength(0);
  });

  test('an empty prompt', async () => {
    const it = bench([says('Never.')]);
    const end = await runTurn(it.parts, { content: ' \n', source: 'typed' }, NEVER);
    expect(end).toMatchObject({ reason: 'failed', failure: { type: 'empty_prompt' } });
    expect(it.session.transcript.leaf).toBeUndefined();
  });
});

describe('permissions', () => {
  test('a denied call is told why and the model goes on', async () => {
    const gate = { mode: 'default', decide: async () => ({ allow: false, message: 'Not here.' }) } as const;
    const it = bench([says(call('Echo', { text: 'a' })), says('Fine.')], { gate });
    const end = await turn(it);
    expect(end.reason).toBe('end_turn');
    expect(end.denials).toMatchObject([{ tool_name: 'Echo', tool_input: { text: 'a' } }]);
    expect(it.requests[1]?.messages.at(-1)?.content).toMatchObject([{ content: 'Not here.', is_error: true }]);
  });

  test('a person who says no ends the turn; the other calls are not run', async () => {
    const decide = async ({ input }: { input: JsonObject }) =>
      input.text === 'b' ? ({ allow: false, message: 'no', interrupt: true } as const) : ({ allow: true } as const);
    const answer = says(call('Write', { text: 'a' }), call('Write', { text: 'b' }), call('Write', { text: 'c' }));
    const it = bench([answer], { gate: { mode: 'default', decide } });
    expect((await turn(it)).reason).toBe('interrupted');
    expect(it.events.filter(({ kind }) => kind === 'tool-start')).toHaveLength(1);
    expect(linesWith(it, 'user').map(({ toolDenialKind }) => toolDenialKind)).toEqual([
      undefined,
      undefined,
      'user-rejected',
      'user-rejected',
      undefined,
    ]);
    expect(story(it)).toContain('text [Request interrupted by user for tool us');
  });

  test('the gate may change the input', async () => {
    const decide = async () => ({ allow: true, input: { text: 'changed' } }) as const;
    const it = bench([says(call('Echo', { text: 'a' })), says('Done.')], { gate: { mode: 'default', decide } });
    await turn(it);
    expect(it.requests[1]?.messages.at(-1)?.content).toMatchObject([{ content: 'changed' }]);
  });
});

describe('interrupts', () => {
  test('in the middle of an answer: whole blocks and the half text stay', async () => {
    const stop = new AbortController();
    const hangs = { partial: text('Half a sen') };
    const it = bench([{ ...says(thinking(), 'One.'), hangs, onTold: () => setTimeout(() => stop.abort(), 1) }]);
    expect(await turn(it, 'Go', stop.signal)).toMatchObject({ reason: 'interrupted' });
    expect(story(it).slice(0, 5)).toEqual([
      'user Go',
      'thinking',
      'text One.',
      'text Half a sen',
      'text [Request interrupted by user]',
    ]);
    expect(linesWith(it, 'assistant').map((line) => line.isAbortedMidStream)).toEqual([undefined, undefined, true]);
  });

  test('before anything came', async () => {
    const stop = new AbortController();
    const it = bench([{ ...says(), hangs: {}, onTold: () => setTimeout(() => stop.abort(), 1) }]);
    expect(await turn(it, 'Go', stop.signal)).toMatchObject({ reason: 'interrupted', text: '' });
    expect(story(it)).toEqual(['user Go', 'text [Request interrupted by user]', 'system turn_duration']);
  });

  test('after a whole call: it is not run and gets a result', async () => {
    const stop = new AbortController();
    const it = bench([{ ...says(call('Echo')), hangs: {}, onTold: () => setTimeout(() => stop.abort(), 1) }]);
    await turn(it, 'Go', stop.signal);
    expect(story(it)[2]).toMatch(/^tool_result The user doesn/);
  });

  test('while tools run: the running ones are told, the others not started', async () => {
    const stop = new AbortController();
    const it = bench([says(call('Slow'), call('Slow'), call('Write'))]);
    setTimeout(() => stop.abort(), 20);
    const end = await turn(it, 'Go', stop.signal);
    expect(end.reason).toBe('interrupted');
    const results = linesOf(it.session.transcript.file).filter((line) => line.toolUseResult !== undefined);
    expect(results.map(({ toolUseResult }) => toolUseResult)).toEqual([
      'Error: stopped',
      'Error: stopped',
      'User rejected tool use',
    ]);
    expect(linesWith(it, 'progress')).toHaveLength(2);
  });

  test('while a person is asked who does not answer, and a tool that does not listen', async () => {
    const stop = new AbortController();
    const deaf = tool('Deaf', () => new Promise(() => {}));
    const decide = (asked: { tool: { name: string } }) =>
      asked.tool.name === 'Deaf' ? Promise.resolve({ allow: true } as const) : new Promise<never>(() => {});
    const gate = { mode: 'default', decide };
    const it = bench([says(call('Deaf'), call('Echo'))], { gate, tools: toolsOf(deaf, echo) });
    setTimeout(() => stop.abort(), 10);
    expect(await turn(it, 'Go', stop.signal)).toMatchObject({ reason: 'interrupted' });
    expect(linesWith(it, 'user').filter(({ toolDenialKind }) => toolDenialKind === 'user-rejected')).toHaveLength(2);
  });

  test('the next turn goes on', async () => {
    const stop = new AbortController();
    const first = bench([{ ...says('One.'), hangs: {}, onTold: () => setTimeout(() => stop.abort(), 1) }]);
    await turn(first, 'Go', stop.signal);
    const session = resumeSession(first.world.options, first.session.transcript.file);
    const second = bench([says('Two.')], {}, { world: first.world, session });
    expect(await turn(second, 'Again')).toMatchObject({ reason: 'end_turn', text: 'Two.' });
  });
});

describe('hooks (U1)', () => {
  function hooks(answers: Record<string, HookAnswer | HookAnswer[]>): { hooks: Hooks; asked: [string, JsonObject][] } {
    const asked: [string, JsonObject][] = [];
    const run: Hooks['run'] = async (event, fields) => {
      asked.push([event, fields]);
      const answer = answers[event];
      return (Array.isArray(answer) ? answer.shift() : answer) ?? {};
    };
    return { hooks: { run }, asked };
  }

  test('are asked at their places, with their fields', async () => {
    const { hooks: given, asked } = hooks({});
    await turn(bench([says(call('Echo', { text: 'a' }), call('Broken')), says('Done.')], { hooks: given }));
    expect(asked.map(([event]) => event).sort()).toEqual(
      ['PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'PreToolUse', 'Stop', 'UserPromptSubmit'].sort(),
    );
    expect(asked.find(([event]) => event === 'PostToolUse')?.[1]).toMatchObject({
      tool_name: 'Echo',
      tool_input: { text: 'a' },
      tool_response: { stdout: 'a' },
    });
    expect(asked.at(-1)?.[1]).toEqual({ stop_hook_active: false, last_assistant_message: 'Done.' });
  });

  test('a blocked prompt is not written', async () => {
    const it = bench([says('Never.')], { hooks: hooks({ UserPromptSubmit: { block: 'Not that.' } }).hooks });
    const end = await runTurn(it.parts, { content: 'Go', source: 'typed' }, NEVER);
    expect(end).toMatchObject({ reason: 'stopped', text: 'Not that.' });
    expect(it.requests).toHaveLength(0);
  });

  test('PreToolUse blocks, speaks to the gate, changes the input', async () => {
    const decide: Gate['decide'] = async ({ hook }) =>
      hook?.what === 'allow' ? { allow: true } : { allow: false, message: 'gate' };
    const deny = { mode: 'default', decide };
    const answers = [{ block: 'Mind the hook.' }, { decision: { allow: true } as const, input: { text: 'new' } }];
    const answer = says(call('Write', { text: 'a' }), call('Echo', { text: 'b' }));
    const it = bench([answer, says('Done.')], { gate: deny, hooks: hooks({ PreToolUse: answers }).hooks });
    await turn(it);
    const results = it.requests[1]?.messages.at(-1)?.content.map(({ content }) => content);
    expect(results).toEqual(['Mind the hook.', 'new']);
  });

  test('Stop sends it back to work once', async () => {
    const { hooks: given, asked } = hooks({ Stop: [{ block: 'Tests are missing.' }] });
    const it = bench([says('Done.'), says('Now done.')], { hooks: given });
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Now done.', rounds: 2 });
    expect(asked.at(-1)?.[1]).toMatchObject({ stop_hook_active: true });
    expect(JSON.stringify(it.requests[1]?.messages.at(-1))).toContain('Tests are missing.');
  });

  test('context is told to the model, entries are written, stop ends the turn', async () => {
    const PostToolUse = { context: ['Mind the gap.'], stop: 'Enough.', entries: [{ type: 'system', subtype: 'x' }] };
    const it = bench([says(call('Echo', { text: 'a' }))], { hooks: hooks({ PostToolUse }).hooks });
    expect(await turn(it)).toMatchObject({ reason: 'stopped', text: 'Enough.' });
    expect(story(it)).toContain('attachment hook_additional_context');
    expect(JSON.stringify(contextOf(it.session.transcript.file).messages)).toContain('Mind the gap.');
  });
});
