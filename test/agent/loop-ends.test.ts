import { describe, expect, test } from 'vitest';
import { resumeSession } from '../../src/agent/session.ts';
import { asString, at } from '../../src/format/json.ts';
import { ALLOW, type Answer, bench, call, says, text, thinking } from './parts.ts';
import { linesWith, story, turn } from './turns.ts';
import { contextOf } from './world.ts';

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
