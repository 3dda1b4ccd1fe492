/** Sessions with agents in them, gone on with by the published clients: what agents said among themselves is never sent (R15). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { asObject } from '../../src/format/json.ts';
import { byPrompt } from '../agent/subagents/script.ts';
import { transcriptsBelow } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { PROMPT } from '../support/resume-cases.ts';
import {
  calls,
  fails,
  neverAnswers,
  type ScriptedRequest,
  says,
  text,
  thinking,
  toolUse,
} from '../support/scripted-model.ts';
import { envOf, expectHistory, expectTold, oneSession, UNASKED, wrongIn } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

const agent = (prompt: string, more = {}) => toolUse('Agent', { description: 'A task', prompt, ...more });
const idIn = ({ messages }: Pick<ScriptedRequest, 'messages'>) =>
  /agentId: (a[0-9a-f]+)/.exec(JSON.stringify(messages))?.[1] ?? 'none';
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
  'in the background, told beside results': {
    script: () =>
      byPrompt({
        Begin: [
          says([agent('ONE', { run_in_background: true })]),
          calls('Bash', { command: 'sleep 0.5' }),
          says('All told.'),
        ],
        ONE: [says([bash]), says('Report one.')],
      }),
    tokens: [50, 25],
    holds: ['"type":"queued_command"', '<result>Report one.</result>'],
  },
  'one that is told more': {
    script: () =>
      byPrompt({
        Begin: [
          says([agent('ONE')]),
          (request) => calls('SendMessage', { to: idIn(request), message: 'MORE' }),
          says('Sent.'),
          says('All told.'),
        ],
        ONE: [says([bash]), says('Report one.'), says([bash]), says('Report two.')],
      }),
    tokens: [80, 40],
    holds: ['resumedAgentId', '<result>Report two.</result>'],
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
    // With its system turns, where the newest client tells what came beside results.
    const sent = JSON.stringify(verdict.requests[0]?.body.messages);
    for (const words of ['All told.', 'Report one.']) expect(sent).toContain(words);
    expect(sent).not.toContain('INNER');
  });

  test('R13: interrupted while ten run, five of them in a command', async () => {
    const many = Array.from({ length: 10 }, (_, i) => agent(`SUB ${i};`));
    const step = (i: number) => (i % 2 === 0 ? neverAnswers() : calls('Bash', { command: 'sleep 30' }));
    const script = byPrompt({
      Begin: [says(many)],
      ...Object.fromEntries(many.map((_, i) => [`SUB ${i};`, [step(i)]])),
    });
    const { id, chat } = await oneSession(judge, script);
    const started = chat.start(['-p', 'Begin', '--session-id', id, ...UNASKED]);
    await chat.model.request(many.length);
    await vi.waitFor(() => {
      const agents = transcriptsBelow(join(judge.project, id)).map((file) => readFileSync(file, 'utf8'));
      expect(agents.filter((lines) => lines.includes('sleep 30'))).toHaveLength(5);
    });
    started.child.kill('SIGINT');
    expect((await started.done).code).toBe(130);
    expect(await wrongIn(judge, id)).toEqual([]);
    const transcript = judge.transcriptOf(id);
    const verdict = await judge.resume(id, PROMPT);
    // After so many calls the old client puts a reminder of its own into the last result.
    if (version === NEWEST) expectHistory(version, verdict, transcript);
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(JSON.stringify(verdict.requests[0]?.messages).match(/"is_error":true/g)).toHaveLength(many.length);
  });

  test('one that cannot write: its call fails, and the session goes on', async () => {
    const script = byPrompt({ Begin: [says([agent('ONE')]), says('Not so.')], ONE: [says('Never.')] });
    const { id, say } = await oneSession(judge, script);
    mkdirSync(join(judge.project, id), { recursive: true });
    writeFileSync(join(judge.project, id, 'subagents'), '');
    const { result } = await say('Begin');
    expect(result).toMatchObject({ result: 'Not so.', is_error: false });
    const transcript = judge.transcriptOf(id);
    expectHistory(version, await judge.resume(id, PROMPT), transcript);
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
