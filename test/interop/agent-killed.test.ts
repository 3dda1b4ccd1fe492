/** `skein chat` killed at any moment of a turn: what it leaves behind is a session, for it and for the published clients. */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { neverAnswers, says, text, thinking, toolUse } from '../support/scripted-model.ts';
import { chatBeside, expectResumed, oneSession, UNASKED, wrongIn } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

const SEED = Number(process.env.PROPERTY_SEED ?? 2026);
const slow = { delayMs: 4 };
const bash = (command: string) => toolUse('Bash', { command });

/** Streams and tools that take their time, about as long as each other; one result is of many pages. */
const TURN = [
  says(
    [thinking('What to do?'), text('I look.'), bash('sleep 0.06; echo one'), toolUse('Glob', { pattern: '*' })],
    slow,
  ),
  says(
    [toolUse('Write', { file_path: 'made.txt', content: 'a\n'.repeat(9000) }), bash('seq 1 5000; sleep 0.05')],
    slow,
  ),
  says([thinking('And now?'), toolUse('Read', { file_path: 'made.txt' }), toolUse('Grep', { pattern: 'a' })], slow),
  says([bash('exit 3'), toolUse('Edit', { file_path: 'made.txt', old_string: 'none', new_string: '' })], slow),
  says([thinking('Done?'), text('All is done.')], slow),
];
const script = (_: unknown, index: number) => TURN[index] ?? says('Beyond the turn.');

describe.each([
  [NEWEST, 50],
  [OLD, 12],
])('W1: %s, %i times', (version, times) => {
  let judge: Judge;
  /** How long a turn takes here and now, from its first request on. */
  let turnMs = 0;
  /** How many lines it left behind each time. */
  const left = new Set<number>();
  beforeAll(async () => {
    judge = await createJudge(version);
  });
  afterAll(() => judge.close());

  test('a turn that nobody ends', async () => {
    const id = randomUUID();
    const chat = await chatBeside(judge, script);
    const { done } = chat.start(['-p', 'Work', '--session-id', id, ...UNASKED]);
    await chat.model.request(0);
    const began = performance.now();
    expect((await done).code).toBe(0);
    turnMs = performance.now() - began;
    expect(chat.model.requests).toHaveLength(TURN.length);
    await expectResumed(judge, version, id);
  });

  /** Anywhere in each of as many parts of it. */
  const within = fc.sample(fc.noBias(fc.integer({ min: 0, max: 999 })), { numRuns: times, seed: SEED });
  const moments = within.map((thousandths, part) => (part + thousandths / 1000) / times);
  test.each(moments.map((moment) => [moment.toFixed(3), moment] as const))('killed at %s of it', async (_, moment) => {
    const id = randomUUID();
    const chat = await chatBeside(judge, script);
    const { child, done } = chat.start(['-p', 'Work', '--session-id', id, ...UNASKED]);
    // From the nearest request on, as a busy machine is not always as busy.
    const at = moment * TURN.length;
    await chat.model.request(Math.floor(at));
    await new Promise((resolve) => setTimeout(resolve, ((at % 1) * turnMs) / TURN.length));
    child.kill('SIGKILL');
    await done;
    const transcript = judge.transcriptOf(id);
    expect(transcript).toMatch(/\n$/);
    left.add(transcript.split('\n').length);
    expect(await wrongIn(judge, id)).toEqual([]);
    await expectResumed(judge, version, id);
    const next = await chatBeside(judge, [says('It goes on.')]);
    const { code, out, err } = await next.run(['-p', 'Go on', '--resume', id]);
    expect([code, out, err]).toEqual([0, 'It goes on.\n', '']);
    expect(next.model.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(await wrongIn(judge, id)).toEqual([]);
  });

  test('those were moments of every kind', () => {
    expect(left.size).toBeGreaterThan(Math.min(times / 4, 10));
  });
});

test('W1: killed before it asked anything, it can begin again or go on', async () => {
  const judge = await createJudge(NEWEST);
  onTestFinished(() => judge.close());
  for (let ms = 20; ms <= 200; ms += 20) {
    const id = randomUUID();
    const { child, done } = (await chatBeside(judge, neverAnswers)).start(['-p', 'Work', '--session-id', id]);
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill('SIGKILL');
    await done;
    const { say } = await oneSession(judge, [says('Here.')], id);
    const { code, result } = await say('Again');
    expect([code, result.result, result.session_id]).toEqual([0, 'Here.', id]);
    expect(await wrongIn(judge, id)).toEqual([]);
  }
});
