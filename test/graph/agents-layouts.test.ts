import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { type AgentFile, runOf, usageOfAgents } from '../../src/graph/agents.ts';
import type { Chat } from '../../src/graph/chat.ts';
import { mergeMessages, usageOfMessages } from '../../src/graph/messages.ts';
import { promptTextOf, turnsOf } from '../../src/graph/turns.ts';
import { type Forest, type Layout, type Plan, plantForest } from '../support/agent-forest.ts';
import { assistant, entriesOf, timeOf, user } from '../support/build.ts';
import { onlyChat, sessionOf } from '../support/sessions.ts';

/** The session alone. */
function alone({ main, files }: Forest): Chat {
  return onlyChat([sessionOf('s1', main, files)]);
}

/** With a fork of it, which brought copies of the agents' files along and went on. */
function forked({ main, files }: Forest): Chat {
  const own = [user('more', { uuid: 'q-more', parentUuid: main.at(-1)?.uuid ?? null })];
  const reply = assistant('ok', { id: 'm-more', usage: null }, { uuid: 'a-more', parentUuid: 'q-more' });
  const late = [...own, reply].map(
    (line, i): JsonObject => ({ ...line, isSidechain: false, timestamp: timeOf(9000 + i) }),
  );
  const lines = [...main, ...late].map((line): JsonObject => ({ ...line, sessionId: 's2' }));
  const copies = files.map((each): AgentFile => ({ ...each, file: each.file.replace('s1/', 's2/') }));
  return onlyChat([sessionOf('s1', main, files), sessionOf('s2', lines, copies)]);
}

function expectTrue(chat: Chat, { truth }: Forest): void {
  expect(chat.unattached).toEqual([]);
  const found = chat.allAgents.map(({ agentId, parent, toolUseIds }) => [agentId, { parent, calls: toolUseIds }]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(truth.agents));
  expect(chat.allAgents).toHaveLength(truth.agents.size);
  expectTotals(chat, truth);
}

function expectTotals(chat: Chat, truth: Forest['truth']): void {
  const { messages, output, toolCalls } = truth;
  expect(chat.usage()).toMatchObject({ messages, output, toolCalls, agents: truth.agents.size });
  // No message is of two transcripts.
  const main = usageOfMessages(mergeMessages(chat.entries.filter(({ head }) => !head.isSidechain)));
  const own = chat.allAgents.map((agent) => usageOfAgents([{ ...agent, children: [] }]).messages);
  expect(own.reduce((sum, count) => sum + count, main.messages)).toBe(messages);
  const all = usageOfAgents(chat.subagents);
  const runs = chat.subagents.flatMap((agent) => agent.toolUseIds.map((id) => runOf(agent, id)));
  const single = runs.map((run) => usageOfAgents([run]));
  expect(single.reduce((sum, usage) => sum + usage.output, 0)).toBe(all.output);
  expect(single.reduce((sum, usage) => sum + usage.toolCalls, 0)).toBe(all.toolCalls);
  expect(usageOfAgents(runs)).toEqual(all);
}

const leaf = (layout: Layout, more: Partial<Plan> = {}): Plan => ({ layout, calls: 1, ...more });

describe('L3: agents of every layout', () => {
  test.each([
    [
      'nested, four deep',
      [leaf('meta', { children: [leaf('meta', { children: [leaf('meta', { children: [leaf('meta')] })] })] })],
    ],
    ['nested by results alone', [leaf('result', { children: [leaf('result', { children: [leaf('result')] })] })]],
    [
      'nested, known from progress only',
      [leaf('progress', { children: [leaf('progress', { children: [leaf('progress')] })] })],
    ],
    ['started side by side', [leaf('result'), leaf('result'), leaf('result')]],
    ['started side by side, known by prompt', [leaf('prompt'), leaf('prompt')]],
    ['side by side, one from progress', [leaf('meta'), leaf('progress'), leaf('both')]],
    ['in the background', [leaf('meta', { background: true }), leaf('result', { background: true })]],
    ['taken up again', [leaf('result', { resumed: true }), leaf('progress', { resumed: true })]],
    ['taken up again in the background', [leaf('prompt', { resumed: true, background: true })]],
    [
      'with a copy of what came before',
      [leaf('meta', { inherits: true, children: [leaf('meta', { inherits: true })] })],
    ],
    ['a file cut short', [leaf('cut', { calls: 3, children: [leaf('meta')] })]],
  ] satisfies [string, Plan[]][])('%s: each once, alone and forked', (_, plans) => {
    const forest = plantForest(plans);
    expectTrue(alone(forest), forest);
    expectTrue(forked(forest), forest);
  });
});

describe('L3: agents, properties', () => {
  const keeping = fc.constantFrom<Layout>('meta', 'result', 'prompt', 'progress', 'both', 'cut');
  const { plans } = fc.letrec<{ plans: Plan[]; plan: Plan }>((tie) => ({
    plans: fc.array(tie('plan'), { maxLength: 3, depthIdentifier: 'agents' }),
    plan: fc
      .record({
        layout: keeping,
        calls: fc.nat(2),
        background: fc.boolean(),
        resumed: fc.boolean(),
        inherits: fc.boolean(),
        children: fc.oneof({ depthIdentifier: 'agents', maxDepth: 4 }, fc.constant([]), tie('plans')),
      })
      // Only clients that write meta files start agents from a conversation.
      .map((plan) => ({ ...plan, inherits: plan.inherits && plan.layout === 'meta' })),
  }));

  test('any forest: every agent once, with its parent and calls; each message and call counted once', () => {
    let deepest = 0;
    fc.assert(
      fc.property(plans, (some) => {
        const forest = plantForest(some);
        const chat = alone(forest);
        expectTrue(chat, forest);
        expectTrue(forked(forest), forest);
        for (const { depth } of chat.allAgents) deepest = Math.max(deepest, depth);
      }),
      { numRuns: 200 },
    );
    expect(deepest).toBeGreaterThanOrEqual(3);
  });

  const inline = fc.array(
    fc.record({ calls: fc.nat(2), below: fc.array(fc.record({ calls: fc.nat(2) }), { maxLength: 2 }) }),
    { maxLength: 3 },
  );
  test('inline (1.0.x): the same, by their prompts', () => {
    fc.assert(
      fc.property(inline, (some) => {
        const toPlan = (calls: number, children: Plan[]): Plan => ({ layout: 'inline', calls, children });
        const forest = plantForest(
          some.map(({ calls, below }) =>
            toPlan(
              calls,
              below.map((each) => toPlan(each.calls, [])),
            ),
          ),
        );
        const chat = alone(forest);
        expect(chat.unattached).toEqual([]);
        const names = chat.allAgents.map(({ entries, toolUseId }) => [
          toolUseId,
          promptTextOf(turnsOf(entries)[0] ?? expect.fail()),
        ]);
        const told = [...forest.truth.agents].map(([id, { calls }]) => [calls[0], `prompt of ${id}`]);
        expect(names.sort()).toEqual(told.sort());
        expectTotals(chat, forest.truth);
      }),
      { numRuns: 200 },
    );
  });
});

describe('L3: agents taken up again', () => {
  test('each call leads to the part of the work that it began', () => {
    const chat = alone(plantForest([leaf('result', { calls: 2, resumed: true, children: [leaf('meta')] })]));
    const [agent] = chat.subagents;
    if (agent === undefined) expect.fail('no agent');
    const [first, second] = agent.toolUseIds.map((id) => runOf(agent, id));
    expect(first && turnsOf(first.entries).map(promptTextOf)).toEqual(['prompt of a1']);
    expect(second && turnsOf(second.entries).map(promptTextOf)).toEqual(['go on']);
    expect(first?.children.map(({ agentId }) => agentId)).toEqual(['a2']);
    expect(second?.children).toEqual([]);
  });

  test('H1: copies of an agent’s file that went on apart are one agent with both', () => {
    const { main, files } = plantForest([leaf('meta')]);
    const [file] = files;
    if (file === undefined) expect.fail('no file');
    const goOn = (name: string): AgentFile => {
      const more = assistant(
        name,
        { id: `m-${name}`, output: 100 },
        { uuid: name, isSidechain: true, timestamp: timeOf(500) },
      );
      const path = `${name}/${file.file}`;
      return { ...file, file: path, entries: [...file.entries, ...entriesOf([more], path)] };
    };
    const chat = onlyChat([sessionOf('s1', main, [goOn('x'), goOn('y')])]);
    expect(chat.allAgents).toHaveLength(1);
    expect(chat.allAgents[0]?.entries).toHaveLength(file.entries.length + 2);
    expect(usageOfAgents(chat.subagents).output).toBe(
      usageOfAgents(onlyChat([sessionOf('s1', main, files)]).subagents).output + 200,
    );
  });

  test('the message to an agent names it; nothing else may know the agent', () => {
    const { main, files } = plantForest([]);
    const lines = [
      ...main,
      {
        ...assistant({ type: 'tool_use', id: 't9', name: 'SendMessage', input: { to: 'a9' } }, { id: 'm9' }),
        uuid: 'u9',
        isSidechain: false,
        timestamp: timeOf(99),
      },
    ];
    const asked = entriesOf(
      [{ ...user('hello'), uuid: 'x1', isSidechain: true, agentId: 'a9', timestamp: timeOf(100) }],
      'agent-a9.jsonl',
    );
    const chat = onlyChat([
      sessionOf('s1', lines, [...files, { agentId: 'a9', file: 'agent-a9.jsonl', entries: asked }]),
    ]);
    expect(chat.subagents.map(({ toolUseId, how, sure }) => [toolUseId, how, sure])).toEqual([
      ['t9', 'resume', 'likely'],
    ]);
  });
});

describe('L3: the transcript of an agent, opened by itself', () => {
  test('is the conversation; the other agents of its session are not its own', () => {
    const { files } = plantForest([leaf('meta', { children: [leaf('meta')] }), leaf('meta')]);
    const [own, ...others] = files.toSorted((a, b) => b.entries.length - a.entries.length);
    if (own === undefined) expect.fail('no file');
    const lines = own.entries.map((entry) => JSON.parse(new TextDecoder().decode(bytesOf(entry))));
    const chat = onlyChat([sessionOf('agent-a1', lines, others)]);
    expect(chat.allAgents.map(({ agentId, depth }) => [agentId, depth])).toEqual([['a3', 1]]);
    expect(chat.unattached).toEqual([]);
    expect(chat.usage().agents).toBe(1);
  });
});
