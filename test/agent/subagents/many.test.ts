/** Fifty agents in one turn. */
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { LoopEvent } from '../../../src/agent/ports.ts';
import { asArray, asObject } from '../../../src/format/json.ts';
import { calls, hold, says, toolUse } from '../../support/scripted-model.ts';
import { talkWith } from '../talkwith.ts';
import { wrongIn } from '../world.ts';
import { byPrompt } from './script.ts';
import { results, task, told, written } from './support.ts';

const COUNT = 50;
/** Runs at once, in turn/calls.ts. */
const AT_ONCE = 10;

test('fifty in one turn: each its own file and report, all counted, few at once', async () => {
  const agents = Array.from({ length: COUNT }, (_, i) => toolUse('Agent', task(`SUB ${i};`), `toolu_${i}`));
  const files = Object.fromEntries(agents.map((_, i) => [`${i}.txt`, `word ${i}\n`]));
  const script = byPrompt({
    Begin: [says(agents), says('Done.')],
    ...Object.fromEntries(
      agents.map((_, i) => [
        `SUB ${i};`,
        [calls('Read', { file_path: `${i}.txt` }, { usage: { input_tokens: 100 + i } }), says(`Report ${i}.`)],
      ]),
    ),
  });
  // All code is loaded before anything is counted.
  await (await talkWith([calls('Agent', task('ONE')), says('One.'), says('Done.')])).say('Begin');
  const it = await talkWith(script, files);
  const running = new Set<string>();
  const most = { agents: 0, files: 0 };
  const emit = (event: LoopEvent): void => {
    if (event.kind === 'tool-start' && event.name === 'Agent') running.add(event.id);
    if (event.kind === 'tool-end') running.delete(event.id);
    most.agents = Math.max(most.agents, running.size);
    if (event.kind === 'agent' && event.event.kind === 'tool-start') most.files = Math.max(most.files, openFiles());
  };
  const [heap, open] = [heapUsed(), openFiles()];
  expect(await it.say('Begin', 'default', { emit })).toMatchObject({ reason: 'end_turn', text: 'Done.', rounds: 2 });
  it.model.requests.length = 0;
  const kept = heapUsed() - heap;

  const { file, main, agents: made } = written(it);
  const idOf = new Map(made.map(({ meta, lines }) => [meta.toolUseId, lines[0]?.agentId]));
  expect(idOf.size).toBe(COUNT);
  const all = results(main);
  expect(all).toHaveLength(COUNT);
  for (const { block, entry } of all) {
    const i = Number(String(block.tool_use_id).slice('toolu_'.length));
    expect(block.is_error).toBeUndefined();
    expect(entry.toolUseResult).toMatchObject({
      status: 'completed',
      agentId: idOf.get(block.tool_use_id),
      prompt: `SUB ${i};`,
      content: [{ type: 'text', text: `Report ${i}.` }],
      totalToolUseCount: 1,
    });
  }
  for (const { lines, meta } of made) {
    const i = Number(String(meta.toolUseId).slice('toolu_'.length));
    expect(lines.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(JSON.stringify(results(lines)[0]?.block.content)).toContain(`word ${i}`);
  }
  expect(wrongIn(file)).toEqual([]);
  // Two answers of the session, two of each agent: 10 tokens in and 5 out, but for the first of each agent.
  const input = 2 * 10 + COUNT * 10 + agents.reduce((sum, _, i) => sum + 100 + i, 0);
  const totals = asObject((await told(it, 'usage', '@last')).totals);
  expect([totals?.input, totals?.output]).toEqual([input, 5 * (2 + 2 * COUNT)]);
  const cost = Object.values(asObject(main.findLast(({ type }) => type === 'cost-state')?.modelUsage) ?? {});
  expect(cost).toMatchObject([{ inputTokens: input, outputTokens: 5 * (2 + 2 * COUNT) }]);
  const [chat] = asArray((await told(it, 'tree', '@last')).chats) ?? [];
  expect(asObject(chat)).toMatchObject({ unattached: [], usage: { input, agents: COUNT, toolCalls: 2 * COUNT } });

  expect(most.agents).toBe(AT_ONCE);
  // A connection has two ends in this process.
  expect(most.files - open).toBeLessThanOrEqual(3 * AT_ONCE + 10);
  expect(kept).toBeLessThan(8e6);
}, 60_000);

test('a slow one keeps none of the others waiting', async () => {
  const gate = hold();
  const agents = Array.from({ length: 12 }, (_, i) => toolUse('Agent', task(`SUB ${i};`)));
  // It is answered when all others have been.
  let others = 0;
  const last = () => {
    others += 1;
    if (others === agents.length - 1) gate.release();
    return says('Report.');
  };
  const it = await talkWith(
    byPrompt({
      Begin: [says(agents), says('Done.')],
      'SUB 0;': [{ ...says('Slow.'), hold: gate }],
      SUB: agents.slice(1).map(() => last),
    }),
  );
  expect(await it.say('Begin')).toMatchObject({ text: 'Done.' });
  const told = results(written(it).main).map(({ block }) => JSON.stringify(block.content));
  expect(told.filter((words) => words.includes('Slow.'))).toHaveLength(1);
  expect(told.filter((words) => words.includes('Report.'))).toHaveLength(agents.length - 1);
});

function openFiles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
