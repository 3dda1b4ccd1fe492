/** What `skein chat` wrote, gone on with by the published clients. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROMPT } from '../support/resume-cases.ts';
import { says } from '../support/scripted-model.ts';
import { expectHistory, expectResumed, expectTold, oneSession } from './chat.ts';
import { SCENES } from './chat-scenes.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

describe.each([NEWEST, OLD])('%s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(version);
  });
  afterAll(() => judge.close());

  test.each(Object.entries(SCENES))('W: %s', async (_, play) => {
    const { id, holds = [], ...told } = await play(judge);
    for (const words of holds) expect(judge.transcriptOf(id)).toContain(words);
    await expectTold(judge, id, told);
    await expectResumed(judge, version, id);
  });

  test('L2: --continue finds it in the folder', async () => {
    const { id, say } = await oneSession(judge, [says('Newest.')]);
    await say('Hi');
    const transcript = judge.transcriptOf(id);
    expectHistory(version, await judge.start(['-p', PROMPT, '--continue']), transcript);
    expect(judge.transcriptOf(id)).toContain(PROMPT);
  });
});
