/** Sessions that the newest client compacted, gone on with by `skein chat`, and forks of compacted ones by either. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asString } from '../../src/format/json.ts';
import { PROMPT } from '../support/resume-cases.ts';
import { type Reply, type ScriptedRequest, says } from '../support/scripted-model.ts';
import { chatBeside, expectHistory, oneSession, UNASKED, wrongIn } from './chat.ts';
import { NEWEST } from './clients.ts';
import { ours, trimmed } from './history.ts';
import { createJudge, type Judge, sessionsIn } from './judge.ts';

let judge: Judge;
beforeAll(async () => {
  judge = await createJudge(NEWEST, { script: answer });
});
afterAll(() => judge.close());

/** It asks for a summary at the end of the conversation; else it is told which prompt it answered. */
function answer({ messages }: ScriptedRequest): Reply {
  const words = (messages.at(-1)?.content ?? []).flatMap((block) => asString(block.text) ?? []);
  const last = words.at(-1)?.trim() ?? '';
  return says(
    /summary/i.test(last) && !last.includes('being continued') ? 'THEIR SUMMARY' : `To ${last.slice(0, 20)}.`,
  );
}

/** A new session of the published client; gives its id. */
async function theirs(...prompts: readonly string[]): Promise<string> {
  const id = randomUUID();
  for (const [i, prompt] of prompts.entries()) {
    await judge.start(['-p', prompt, i === 0 ? '--session-id' : '--resume', id, ...UNASKED]);
  }
  return id;
}

/** We send what it would, nothing is wrong, and it goes on from there. */
async function expectGoneOnWith(id: string): Promise<void> {
  const before = judge.transcriptOf(id);
  const chat = await chatBeside(judge, [says('Ours.')]);
  const { code, out, err } = await chat.run(['-p', PROMPT, '--resume', id, ...UNASKED]);
  expect([code, out, err]).toEqual([0, 'Ours.\n', '']);
  expect(chat.model.requests.map(({ refused }) => refused)).toEqual([undefined]);
  expect(trimmed(chat.model.requests[0]?.messages ?? [])).toEqual(trimmed(ours(before)));
  expect(await wrongIn(judge, id)).toEqual([]);
  const after = judge.transcriptOf(id);
  expectHistory(NEWEST, await judge.resume(id, PROMPT), after);
}

const boundaries = (id: string) => judge.transcriptOf(id).split('"subtype":"compact_boundary"').length - 1;

/** Forked by the published client; gives the id. */
async function forkedByThem(id: string): Promise<string> {
  const before = new Set(sessionsIn(judge.project));
  await judge.resume(id, 'Fork', ['--fork-session', ...UNASKED]);
  const [fork = 'none'] = sessionsIn(judge.project).filter((each) => !before.has(each));
  return fork;
}

test('C2: compacted twice by it', async () => {
  const id = await theirs('One', 'Two', '/compact', 'Three', '/compact keep the names');
  expect(boundaries(id)).toBe(2);
  await expectGoneOnWith(id);
});

test('compacted by it, then by us, then gone on with by it', async () => {
  const id = await theirs('One', 'Two', '/compact', 'Three');
  const { say } = await oneSession(judge, [says('OUR SUMMARY'), says('Four.')], id);
  await say('/compact');
  await say('Four');
  expect(boundaries(id)).toBe(2);
  await expectGoneOnWith(id);
});

test('H2: compacted by it, then forked by it and by us: all are gone on with', async () => {
  const id = await theirs('One', 'Two', '/compact');
  const fork = await forkedByThem(id);
  const { say } = await oneSession(judge, [says('Forked.')], id);
  const { result } = await say('Three', ['--fork-session']);
  expect(result.session_id).not.toBe(id);
  for (const each of [id, fork, String(result.session_id)]) await expectGoneOnWith(each);
});

test('H2: compacted by us, then forked by it', async () => {
  const { id, say } = await oneSession(judge, [says('First.'), says('Second.'), says('OUR SUMMARY')]);
  for (const prompt of ['One', 'Two', '/compact']) await say(prompt);
  const fork = await forkedByThem(id);
  expect(boundaries(fork)).toBe(1);
  for (const each of [id, fork]) await expectGoneOnWith(each);
});
