/** A session with a plan, a question and instructions of a folder below, gone on with by the published client. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls, type Reply, says } from '../support/scripted-model.ts';
import { expectTold, oneSession } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

describe.each([NEWEST, OLD])('R, W: plans and questions in %s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(version, { script: () => says('ok') });
  });
  afterAll(() => judge.close());

  test('what was read, answered and approved is sent on', async () => {
    mkdirSync(join(judge.workspace, 'pkg'), { recursive: true });
    writeFileSync(join(judge.workspace, 'pkg', 'CLAUDE.md'), 'use tabs');
    writeFileSync(join(judge.workspace, 'pkg', 'a.txt'), 'alpha\n');
    const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which color?', header: 'Color', multiSelect: false, options }];
    const steps: Reply[] = [
      calls('Read', { file_path: join(judge.workspace, 'pkg', 'a.txt') }),
      calls('AskUserQuestion', { questions }),
      calls('ExitPlanMode', { plan: '1. Do it' }),
      says('Done.'),
    ];
    const { id, chat } = await oneSession(judge, () => steps.shift() ?? says('ok'));
    await chat.run(['--session-id', id, '--permission-mode', 'plan'], { input: 'Plan it\n1\ny\n' });
    expect(steps).toEqual([]);
    expect(chat.model.requests.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined, undefined]);
    await expectTold(judge, id, { prompts: ['Plan it'] });
    const { requests } = await judge.resume(id, 'Go on');
    expect(requests.map(({ refused }) => refused)).toEqual([undefined]);
    const sent = JSON.stringify(requests[0]?.body);
    for (const words of ['Contents of ', 'use tabs', 'Your questions have been answered', '## Approved Plan:']) {
      expect(sent).toContain(words);
    }
  });
});
