/** Sessions that `skein chat` compacted, gone on with by the published clients. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asString, isObject, parseJson } from '../../src/format/json.ts';
import { PROMPT } from '../support/resume-cases.ts';
import { calls, type Reply, type Script, type ScriptedRequest, says } from '../support/scripted-model.ts';
import { expectHistory, expectTold, inOldWords, oneSession, wrongIn } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { historyOf, ours } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

const FULL = { usage: { input_tokens: 990_000, output_tokens: 500 } };

describe.each([NEWEST, OLD])('%s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(version);
  });
  afterAll(() => judge.close());

  test('C1: compacted in the middle of a turn', async () => {
    const script = [calls('Bash', { command: 'echo one' }, FULL), says('SUMMARY'), says('Done.'), says('More.')];
    const { id, say } = await oneSession(judge, script);
    await say('Start long work');
    await say('And more');
    await expectTold(judge, id, { prompts: ['Start long work', 'And more'] });
    const transcript = judge.transcriptOf(id);
    expect(transcript).toContain('"subtype":"compact_boundary"');
    expectHistory(version, await judge.resume(id, PROMPT), transcript);
  });

  test.each([
    ['and nothing more', []],
    ['and gone on with', ['And more']],
    ['twice', ['And more', '/compact', 'And then']],
  ])('C2: /compact %s', async (_, later) => {
    const script = [
      says('First.'),
      says('Second.'),
      says('SUMMARY'),
      says('Third.'),
      says('SUMMARY 2'),
      says('Fourth.'),
    ];
    const { id, say } = await oneSession(judge, script);
    for (const prompt of ['One', 'Two', '/compact keep the names', ...later]) await say(prompt);
    expect(await wrongIn(judge, id)).toEqual([]);
    const transcript = judge.transcriptOf(id);
    const verdict = await judge.resume(id, PROMPT);
    expect(JSON.stringify(historyOf(verdict))).toContain('SUMMARY');
    if (version === NEWEST) return expectHistory(version, verdict, transcript);
    // The old client knows nothing of answers that are kept as they are: the summary tells of them.
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    const kept = later.length > 1 ? 'Third.' : 'Second.';
    const own = inOldWords(ours(transcript)).filter(({ text }) => asString(text) !== kept);
    expect(inOldWords(historyOf(verdict) ?? [])).toEqual(own);
  });
});

describe('with the newest client', () => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(NEWEST);
  });
  afterAll(() => judge.close());

  test('compacted by us, then by it, then gone on with by us: one history', async () => {
    const { id, say, chat } = await oneSession(judge, [
      says('First.'),
      says('Second.'),
      says('OURS'),
      says('Third.'),
      says('Fourth.'),
    ]);
    for (const prompt of ['One', 'Two', '/compact', 'Three']) await say(prompt);
    await judge.resume(id, '/compact');
    expect(judge.transcriptOf(id).split('"subtype":"compact_boundary"')).toHaveLength(3);
    await say('Four');
    const sent = JSON.stringify(chat.model.requests.at(-1)?.messages);
    expect(sent).not.toContain('OURS');
    expect(sent).toContain('Third.');
    const transcript = judge.transcriptOf(id);
    expectHistory(NEWEST, await judge.resume(id, PROMPT), transcript);
  });

  test('compacted, then forked', async () => {
    const { id, say } = await oneSession(judge, [says('First.'), says('Second.'), says('SUMMARY'), says('Third.')]);
    for (const prompt of ['One', 'Two', '/compact']) await say(prompt);
    const { result } = await say('Three', ['--fork-session']);
    const fork = String(result.session_id);
    expect(fork).not.toBe(id);
    expect(await wrongIn(judge, fork)).toEqual([]);
    for (const each of [id, fork]) {
      const transcript = judge.transcriptOf(each);
      expectHistory(NEWEST, await judge.resume(each, PROMPT), transcript);
    }
  });
});

test('stream-json tells the same of it', async () => {
  const script: Script = [
    says('First.'),
    says('SUMMARY'),
    calls('Bash', { command: 'echo one' }, FULL),
    says('SUMMARY 2'),
    says('Done.'),
  ];
  const judge = await createJudge(NEWEST, { script: byWhatIsAsked });
  const { id, say } = await oneSession(judge, script);
  const prompts = ['One', '/compact keep the names', 'Two'];
  const own: string[][] = [];
  for (const prompt of prompts) own.push(kindsIn((await say(prompt, ['--output-format', 'stream-json'])).out));
  const theirs: string[][] = [];
  const other = randomUUID();
  for (const [index, prompt] of prompts.entries()) {
    const session = [index === 0 ? '--session-id' : '--resume', other];
    theirs.push(kindsIn((await judge.start(['-p', prompt, ...session, '--dangerously-skip-permissions'])).stdout));
  }
  expect(own).toEqual(theirs);
  expect(own.flat().filter((kind) => kind === 'system compact_boundary  false false')).toHaveLength(2);
  expect(await wrongIn(judge, id)).toEqual([]);
  await judge.close();
});

/** The published client asks for a summary with its tools, at the end of the conversation. */
function byWhatIsAsked({ messages }: ScriptedRequest): Reply {
  const words = JSON.stringify(messages.at(-1));
  if (/summary/i.test(words) && !words.includes('being continued')) return says('SUMMARY');
  return /"Two"/.test(words) ? calls('Bash', { command: 'echo one' }, FULL) : says('Done.');
}

function kindsIn(out: string): string[] {
  const messages = out
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject);
  return messages
    .filter(({ subtype }) => subtype !== 'init')
    .map(({ type, subtype = '', status = '', isReplay, isSynthetic }) =>
      [type, type === 'result' ? '' : subtype, status, isReplay === true, isSynthetic === true].join(' '),
    );
}
