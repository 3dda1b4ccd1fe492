/** Sessions with agents in them, gone on with by the published clients: what agents said among themselves is never sent (R15). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject } from '../../src/format/json.ts';
import { byPrompt } from '../agent/subagents/script.ts';
import { runHere } from '../support/inprocess.ts';
import { PROMPT } from '../support/resume-cases.ts';
import { calls, fails, says, text, thinking, toolUse } from '../support/scripted-model.ts';
import { envOf, expectHistory, expectTold, oneSession } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

const agent = (prompt: string, more = {}) => toolUse('Agent', { description: 'A task', prompt, ...more });
const bash = toolUse('Bash', { command: 'echo INNER' });

const SCENES = {
  'side by side, one of them nested, one that fails': {
    script: () =>
      byPrompt({
        Begin: [
          says([thinking('hm'), text('I ask.'), agent('ONE'), agent('TWO'), agent('BAD')]),
          says([thinking('so'), text('All told.')]),
        ],
        ONE: [says([thinking('a'), bash]), says('Report one.')],
        TWO: [says([agent('THREE')]), says('Report two.')],
        THREE: [says('Report three.')],
        BAD: [fails(400, { message: 'no such thing' })],
      }),
    tokens: [70, 35],
    holds: ['Report one.', 'Report two.', 'The agent failed: no such thing'],
  },
  'in the background': {
    script: () =>
      byPrompt({
        Begin: [says([agent('ONE', { run_in_background: true })]), says('Begun.', { delayMs: 1 }), says('All told.')],
        ONE: [says([bash], { delayMs: 30 }), says('Report one.')],
      }),
    tokens: [50, 25],
    holds: ['async_launched', '<result>Report one.</result>'],
  },
} as const;

describe.each([NEWEST, OLD])('%s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(version);
  });
  afterAll(() => judge.close());

  test.each(Object.entries(SCENES))('L3, R15: %s', async (_, { script, tokens, holds }) => {
    const { id, say } = await oneSession(judge, script());
    expect((await say('Begin')).code).toBe(0);
    const transcript = judge.transcriptOf(id);
    for (const words of holds) expect(transcript).toContain(words);
    await expectTold(judge, id, { prompts: ['Begin'], tokens });
    const verdict = await judge.resume(id, PROMPT);
    // The old client does not put into words of its own what a background task reports.
    if (version === NEWEST || !transcript.includes('task-notification')) expectHistory(version, verdict, transcript);
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    const sent = JSON.stringify(verdict.requests[0]?.messages);
    for (const words of ['All told.', 'Report one.']) expect(sent).toContain(words);
    expect(sent).not.toContain('INNER');
  });

  test('and back: a session that it went on with has its agents still', async () => {
    const script = byPrompt({
      Begin: [calls('Agent', { description: 'A task', prompt: 'ONE' }), says('Told.'), says('Back.')],
      ONE: [says('Report one.')],
    });
    const { id, say } = await oneSession(judge, script);
    await say('Begin');
    await judge.resume(id, PROMPT);
    const { result } = await say('Again');
    expect(result).toMatchObject({ result: 'Back.', session_id: id });
    const tree = (await runHere(['tree', id, '--json'], envOf(judge))).json();
    expect(asObject(tree)?.chats).toMatchObject([
      { subagents: [{ how: 'meta', status: 'completed' }], unattached: [] },
    ]);
  });
});
