import { describe, expect, test } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import type { Gate, HookAnswer, Hooks, TurnEnd } from '../../src/agent/ports.ts';
import { resumeSession } from '../../src/agent/session.ts';
import { asObject, asString, at, type JsonObject } from '../../src/format/json.ts';
import {
  ALLOW,
  type Answer,
  type Bench,
  bench,
  call,
  done,
  echo,
  says,
  text,
  thinking,
  tool,
  toolsOf,
} from './parts.ts';
import { contextOf, linesOf, wrongIn } from './world.ts';

const NEVER = new AbortController().signal;

async function turn(it: Bench, content = 'Go', signal: AbortSignal = NEVER): Promise<TurnEnd> {
  const end = await runTurn(it.parts, { content, source: 'typed' }, signal);
  expect(wrongIn(it.session.transcript.file)).toEqual([]);
  expect(it.session.transcript.messages()).toEqual(contextOf(it.session.transcript.file).messages);
  it.session.close();
  return end;
}

/** The lines of the conversation in short: `user Go`, `tool_use Echo`, `tool_result x`. */
function story({ session }: Bench): string[] {
  return linesOf(session.transcript.file).flatMap((line) => {
    if (line.type === 'system') return [`system ${String(line.subtype)}`];
    if (line.type === 'attachment') return [`attachment ${String(at(line.attachment, 'type'))}`];
    if (line.type !== 'user' && line.type !== 'assistant') return [];
    const content = asObject(line.message)?.content;
    if (typeof content === 'string') return [`${String(line.type)} ${content.slice(0, 40)}`];
    return (Array.isArray(content) ? content : []).map((item) => {
      const block = asObject(item) ?? {};
      return `${String(block.type)} ${String(block.text ?? block.name ?? block.content ?? '').slice(0, 40)}`.trim();
    });
  });
}

/** The call that a result answers. */
function idOf(line: JsonObject): string {
  const content = at(line, 'message', 'content');
  return asString(at(Array.isArray(content) ? content[0] : undefined, 'tool_use_id')) ?? '';
}

/** The line that makes a call. */
function lineOf(it: Bench, id: string): string | undefined {
  const made = linesWith(it, 'assistant').find((line) => JSON.stringify(line.message).includes(`"id":"${id}"`));
  return asString(made?.uuid);
}

function linesWith(it: Bench, type: string): JsonObject[] {
  return linesOf(it.session.transcript.file).filter((line) => line.type === type);
}

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

describe('how answers end', () => {
  test('max_tokens: it may go on three times, then the turn ends and says so', async () => {
    const it = bench(() => ({ ...says('Half'), stopReason: 'max_tokens' }));
    const end = await turn(it);
    expect(end).toMatchObject({ reason: 'max_tokens', rounds: 4, failure: { type: 'max_output_tokens' } });
    expect(linesWith(it, 'user').filter(({ isMeta }) => isMeta)).toHaveLength(3);
  });

  test('max_tokens inside a call: the last one is not run', async () => {
    const answer = { ...says(call('Echo', { text: 'a' }), call('Echo', { text: 'b' })), stopReason: 'max_tokens' };
    const it = bench([answer, says('Done.')]);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn' });
    expect(it.events.filter(({ kind }) => kind === 'tool-start')).toHaveLength(1);
  });

  test('refusal', async () => {
    const it = bench([{ ...says('No'), stopReason: 'refusal' }]);
    expect(await turn(it)).toMatchObject({ reason: 'refusal', failure: { type: 'refusal' } });
  });

  test('pause_turn: the same conversation goes on', async () => {
    const it = bench([{ ...says('Searching.'), stopReason: 'pause_turn' }, says('Found.')]);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Found.' });
    expect(it.requests[1]?.messages.at(-1)?.role).toBe('assistant');
  });

  test('pause_turn without a word does not go on for ever', async () => {
    const it = bench(() => ({ blocks: [], stopReason: 'pause_turn' }));
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', rounds: 2 });
  });

  test('model_context_window_exceeded', async () => {
    const it = bench([{ ...says('Half'), stopReason: 'model_context_window_exceeded' }]);
    expect(await turn(it)).toMatchObject({ reason: 'failed', failure: { tooLong: true } });
  });

  test('stop_sequence is an end', async () => {
    expect(await turn(bench([{ ...says('End'), stopReason: 'stop_sequence' }]))).toMatchObject({ reason: 'end_turn' });
  });

  test('nothing at all: asked once more', async () => {
    const it = bench([says(), says()]);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: '', rounds: 2 });
  });

  test('E13: a failure is told as an answer that is never sent', async () => {
    const failure = { type: 'invalid_request_error', message: 'bad', status: 400 };
    const first = bench([{ ...says(), fails: failure }]);
    expect(await turn(first)).toMatchObject({ reason: 'failed', failure });
    expect(story(first)).toContain('text API Error: 400 bad');
    const session = resumeSession(first.world.options, first.session.transcript.file);
    const second = bench([says('Two.')], {}, { world: first.world, session });
    await turn(second, 'Again');
    expect(JSON.stringify(second.requests[0]?.messages)).not.toContain('API Error');
  });

  test('a stream cut after a whole block and tried again: the blocks are in no answer', async () => {
    const failure = { type: 'connection_error', message: 'reset' };
    const attempts = [
      { after: [thinking(), text('Lost.')], failure },
      { after: [text('Lost too.'), call('Echo')], failure },
    ];
    const it = bench([{ ...says('Kept.', call('Echo', { text: 'a' })), attempts }, says('Done.')]);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(story(it).filter((line) => line === 'system api_error')).toHaveLength(2);
    expect(JSON.stringify(contextOf(it.session.transcript.file, { prompt: 'Next' }).messages)).not.toContain('Lost');
    expect(it.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(it.events.filter(({ kind }) => kind === 'tool-start')).toHaveLength(1);
  });

  test('the fallback model answers', async () => {
    const it = bench([{ ...says('Done.'), fallback: 'claude-sonnet-4-5' }]);
    expect((await turn(it)).usage).toHaveProperty(['claude-sonnet-4-5']);
    expect(story(it)).toContain('system informational');
  });
});

describe('limits', () => {
  const again = (): Answer => says(call('Echo', { text: 'a' }));

  test('max turns: the results of the last answer are there', async () => {
    const it = bench(again, { limits: { maxTurns: 3 } });
    expect(await turn(it)).toMatchObject({ reason: 'max_turns', rounds: 3 });
    expect(story(it).at(-2)).toBe('tool_result a');
  });

  test('budget, with what was spent before', async () => {
    const it = bench(again, { limits: { maxBudgetUSD: 0.055, spentUSD: 0.03 } });
    expect(await turn(it)).toMatchObject({ reason: 'budget', rounds: 3 });
  });

  test('a budget for a model without a price: it stops before it asks again', async () => {
    const it = bench(again, { limits: { maxBudgetUSD: 5 } });
    const unpriced = { ...it, parts: { ...it.parts, model: { ...it.parts.model, cost: () => undefined } } };
    const end = await turn(unpriced);
    expect(end).toMatchObject({ reason: 'failed', rounds: 1, failure: { type: 'unknown_price' } });
    expect(story(it)).toContain('tool_result a');
    expect(linesWith(it, 'cost-state')).toMatchObject([{ hasUnknownModelCost: true }]);
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

describe('thinking', () => {
  test('A6: where the loop began without thinking, the model is not asked to think', async () => {
    const ask = { model: 'claude-opus-5-5', system: [], maxTokens: 9000, thinking: 2000 };
    const it = bench([says(call('Echo', { text: 'a' })), says('Done.')], { ask, gate: ALLOW });
    await turn(it);
    expect(it.requests.map(({ thinking: tokens }) => tokens)).toEqual([2000, undefined]);
  });

  test('R15: another model is not sent the thinking of the first', async () => {
    const first = bench([says(thinking('secret'), 'One.')]);
    await turn(first);
    const session = resumeSession(first.world.options, first.session.transcript.file);
    const ask = { model: 'claude-sonnet-4-5', system: [], maxTokens: 9000 };
    const second = bench([says('Two.')], { ask }, { world: first.world, session });
    await turn(second, 'Again');
    expect(JSON.stringify(second.requests[0]?.messages)).not.toContain('secret');
    expect(asString(at(linesWith(second, 'assistant').at(-1), 'message', 'model'))).toBe('claude-sonnet-4-5');
  });
});
