import { describe, expect, test } from 'vitest';
import type { LoopEvent } from '../../../src/agent/ports.ts';
import { calls, fails, neverAnswers, says, text, tooLong, toolUse } from '../../support/scripted-model.ts';
import { talkWith } from '../talkwith.ts';
import { wrongIn } from '../world.ts';
import { byPrompt, named } from './script.ts';
import { results, task, written } from './support.ts';

describe('trouble', () => {
  test('an agent whose model fails is an error of its call, and the turn goes on', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [says([toolUse('Agent', task('BAD')), toolUse('Agent', task('GOOD'))]), says('Half.')],
        BAD: [calls('Bash', { command: 'echo hi' }), fails(400, { message: 'no such thing' })],
        GOOD: [says('Fine.')],
      }),
    );
    expect(await it.say('Begin', 'bypassPermissions')).toMatchObject({ reason: 'end_turn', text: 'Half.' });
    const all = results(written(it).main);
    const bad = all.find(({ block }) => block.is_error === true);
    expect(bad?.block.content).toContain('no such thing');
    expect(bad?.entry.toolUseResult).toMatch(/^Error: The agent failed/);
    expect(all.map(({ block }) => block.is_error === true)).toContain(false);
    expect(await it.say('Begin again')).toMatchObject({ reason: 'failed' });
    expect(it.model.requests.filter(named('Begin')).at(-1)?.refused).toBeUndefined();
  });

  test('an interrupt ends the agents with the turn; the session goes on', async () => {
    const stop = new AbortController();
    const it = await talkWith(
      byPrompt({
        Begin: [says([toolUse('Agent', task('ASKING')), toolUse('Agent', task('RUNNING'))]), says('Again.')],
        ASKING: [neverAnswers()],
        RUNNING: [calls('Bash', { command: 'echo begun; sleep 30' })],
      }),
    );
    const isRunning = (event: LoopEvent) =>
      event.kind === 'agent' && event.event.kind === 'tool-start' && it.model.requests.some(named('ASKING'));
    const emit = (event: LoopEvent) => void (isRunning(event) && setTimeout(() => stop.abort(), 50));
    const end = await it.say('Begin', 'bypassPermissions', { stop: stop.signal, emit });
    expect(end.reason).toBe('interrupted');
    const { file, main, agents } = written(it);
    expect(results(main).map(({ block }) => block.is_error)).toEqual([true, true]);
    for (const { lines } of agents) expect(JSON.stringify(lines.at(-1))).toContain('[Request interrupted by user');
    expect(wrongIn(file)).toEqual([]);
    expect(await it.say('Go on')).toMatchObject({ reason: 'end_turn', text: 'Again.' });
  });

  test('the budget is one: what agents spend counts, and stops them too', async () => {
    const dear = { usage: { input_tokens: 0, output_tokens: 1_000_000 } };
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), says('Never.')],
        SUB: [calls('Bash', { command: 'echo hi' }, dear), says('Never.')],
      }),
    );
    const end = await it.say('Begin', 'bypassPermissions', { maxBudgetUSD: 1 });
    expect(end).toMatchObject({ reason: 'budget', rounds: 1 });
    expect(end.costUSD).toBeGreaterThan(1);
    expect(it.model.requests).toHaveLength(2);
    expect(String(results(written(it).main)[0]?.block.content)).toContain('the budget is spent');
  });

  test('an agent that goes on and on is stopped by the limit of answers', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), says('So be it.')],
        SUB: [1, 2, 3, 4].map((i) => says([text(`Step ${i}.`), toolUse('Bash', { command: 'echo hi' })])),
      }),
    );
    const end = await it.say('Begin', 'bypassPermissions', { maxTurns: 3 });
    expect(end).toMatchObject({ reason: 'end_turn', text: 'So be it.' });
    expect(String(results(written(it).main)[0]?.block.content)).toMatch(/limit of answers.*\nStep 3\./);
  });

  test('C1: an agent whose conversation grows too long is compacted, in its own file', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB of much')), says('Done.')],
        SUB: [calls('Bash', { command: 'echo hi' }), tooLong()],
        'Below, between the tags': [says('SHORT')],
        'This session is being continued': [says('Report.')],
      }),
    );
    expect(await it.say('Begin', 'bypassPermissions')).toMatchObject({ text: 'Done.' });
    const { main, agents } = written(it);
    expect(results(main)[0]?.entry.toolUseResult).toMatchObject({ content: [{ text: 'Report.' }] });
    expect(main.some(({ subtype }) => subtype === 'compact_boundary')).toBe(false);
    const boundary = agents[0]?.lines.find(({ subtype }) => subtype === 'compact_boundary');
    expect(boundary).toMatchObject({ isSidechain: true, agentId: agents[0]?.lines[0]?.agentId });
    const last = JSON.stringify(it.model.requests.at(-2)?.messages);
    for (const words of ['SHORT', 'SUB of much']) expect(last).toContain(words);
  });

  test('an agent of no known kind, or told nothing', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [
          says([toolUse('Agent', task('X', { subagent_type: 'wizard' })), toolUse('Agent', task(' '))]),
          says('So.'),
        ],
      }),
    );
    await it.say('Begin', 'bypassPermissions');
    const { main, agents } = written(it);
    const said = results(main).map(({ block }) => String(block.content));
    expect(said[0]).toContain('There is no agent wizard. There are: general-purpose, Explore, Plan');
    expect(said[1]).toContain('The prompt is empty');
    expect(agents).toEqual([]);
  });
});
