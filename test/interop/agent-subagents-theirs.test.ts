/** Agents of the published client, gone on with by `skein chat`, and back: sessions, and the agents themselves. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asObject, asString } from '../../src/format/json.ts';
import { byPrompt, named } from '../agent/subagents/script.ts';
import { transcriptsBelow } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { PROMPT } from '../support/resume-cases.ts';
import { calls, type Script, type ScriptedRequest, says, text, thinking, toolUse } from '../support/scripted-model.ts';
import { chatBeside, envOf, expectHistory, expectTold, UNASKED, wrongIn } from './chat.ts';
import { NEWEST } from './clients.ts';
import { ours, trimmed } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

const agent = (prompt: string, more = {}) =>
  toolUse('Agent', { description: 'A task', prompt, run_in_background: false, ...more });
const bash = toolUse('Bash', { command: 'echo INNER', description: 'a command' });
const send = (message: string) => (request: ScriptedRequest) =>
  calls('SendMessage', { to: idIn(request), summary: 'go on with it', message });

function idIn({ messages }: Pick<ScriptedRequest, 'messages'>): string {
  return /agentId: (a[0-9a-f]+)/.exec(JSON.stringify(messages))?.[1] ?? 'none';
}

/** Enough to say for whoever asks later. */
const REST = Array.from({ length: 6 }, () => says('ok'));

const SCENES: Readonly<Record<string, { script: () => Script; agents: number }>> = {
  'side by side, one of them nested': {
    script: () =>
      byPrompt({
        Begin: [says([thinking('hm'), text('I ask.'), agent('ONE'), agent('TWO')]), says('All told.'), ...REST],
        ONE: [says([thinking('a'), bash]), says('Report one.')],
        TWO: [says([agent('THREE')]), says('Report two.')],
        THREE: [says('Report three.')],
      }),
    agents: 3,
  },
  'in the background, told beside results and in a turn of its own': {
    script: () =>
      byPrompt({
        Begin: [
          says([agent('ONE', { run_in_background: true }), agent('TWO', { run_in_background: true })]),
          calls('Bash', { command: 'sleep 1', description: 'wait' }),
          says('Begun.'),
          says('All told.'),
          ...REST,
        ],
        ONE: [says([bash]), says('Report one.')],
        TWO: [calls('Bash', { command: 'sleep 2', description: 'wait' }), says('Report two.')],
      }),
    agents: 2,
  },
  'one that is told more': {
    script: () =>
      byPrompt({
        Begin: [says([agent('ONE')]), send('MORE'), says('Sent.'), says('All told.'), ...REST],
        ONE: [says([bash]), says('Report one.'), says([bash]), says('Report two.')],
      }),
    agents: 1,
  },
};

describe('written by the newest client, gone on with by us, then by it', () => {
  let judge: Judge;
  let script: Script = [];
  beforeAll(async () => {
    judge = await createJudge(NEWEST, {
      script: (request, index) => (typeof script === 'function' ? script(request, index) : says('ok')),
      env: { ENABLE_TOOL_SEARCH: 'false' },
    });
  });
  afterAll(() => judge.close());

  const theirs = (prompt: string, ...session: string[]) => judge.start(['-p', prompt, ...session, ...UNASKED]);

  async function tree(id: string) {
    const [chat] = asArray(asObject((await runHere(['tree', id, '--json'], envOf(judge))).json())?.chats) ?? [];
    return asObject(chat);
  }

  test.each(Object.entries(SCENES))('L3, R15: %s', async (_, scene) => {
    const id = randomUUID();
    script = scene.script();
    await theirs('Begin', '--session-id', id);
    const before = judge.transcriptOf(id);
    expect(before).toContain('All told.');
    const chat = await chatBeside(judge, [says('Ours.')]);
    const { code, out, err } = await chat.run(['-p', PROMPT, '--resume', id, ...UNASKED]);
    expect([code, out, err]).toEqual([0, 'Ours.\n', '']);
    expect(chat.model.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(trimmed(chat.model.requests[0]?.messages ?? [])).toEqual(trimmed(ours(before)));
    expect(JSON.stringify(chat.model.requests[0]?.messages)).not.toContain('INNER');
    expect(await wrongIn(judge, id)).toEqual([]);
    expect(await tree(id)).toMatchObject({ unattached: [], usage: { agents: scene.agents } });
    const after = judge.transcriptOf(id);
    expectHistory(NEWEST, await judge.resume(id, PROMPT), after);
  });

  test('one agent, told more by it, by us and by it again: one transcript, one agent', async () => {
    const id = randomUUID();
    const reports = [says([bash]), says('Report one.'), says([bash]), says('Report two.'), says('Report four.')];
    script = byPrompt({
      Begin: [
        ...[says([agent('ONE')]), send('TWO'), says('Sent.'), says('Told.')],
        ...[send('FOUR'), says('Sent.'), says('Told.'), ...REST],
      ],
      ONE: reports,
    });
    await theirs('Begin', '--session-id', id);
    const chat = await chatBeside(
      judge,
      byPrompt({ Begin: [send('THREE'), says('Sent.'), says('Ours.')], ONE: [says([bash]), says('Report three.')] }),
    );
    const flags = ['--output-format', 'json', ...UNASKED];
    const { result } = await chat.run(['-p', 'Go on', '--resume', id, ...flags]);
    expect(result).toMatchObject({ result: 'Ours.' });
    // The agent is sent all that it did with the other client.
    const told = chat.model.requests.filter(named('ONE'));
    expect(told.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    for (const words of ['Report one.', 'Report two.', 'INNER', 'THREE']) {
      expect(JSON.stringify(told[0]?.messages)).toContain(words);
    }
    const verdict = await theirs('And on', '--resume', id);
    const again = verdict.requests.filter((request) => JSON.stringify(request.messages).includes('FOUR'));
    expect(again.map(({ refused }) => refused).filter(Boolean)).toEqual([]);
    expect(JSON.stringify(again.map(({ messages }) => messages))).toContain('Report three.');
    const transcript = judge.transcriptOf(id);
    for (const report of ['one', 'two', 'three', 'four']) expect(transcript).toContain(`Report ${report}.`);
    const agents = transcriptsBelow(join(judge.project, id));
    expect(agents).toHaveLength(1);
    const senders = readFileSync(agents[0] ?? '', 'utf8').match(/"origin":\{"kind":"coordinator"\}/g);
    expect(senders).toHaveLength(3);
    await expectTold(judge, id, { prompts: ['Begin', 'Go on', 'And on'] });
    expect(await tree(id)).toMatchObject({
      subagents: [{ how: 'meta', status: 'completed' }],
      unattached: [],
      usage: { agents: 1 },
    });
    expect(asString(asObject(asArray((await tree(id))?.subagents)?.[0])?.agentId)).toBe(
      /agent-(\w+)\.jsonl$/.exec(agents[0] ?? '')?.[1],
    );
    expectHistory(NEWEST, await judge.resume(id, PROMPT), transcript);
  });
});
