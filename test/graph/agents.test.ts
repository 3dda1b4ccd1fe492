import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { type Agent, type AgentFile, agentsOf, usageOfAgents, usageWithAgents } from '../../src/graph/agents.ts';
import { mergeMessages, usageOfMessages } from '../../src/graph/messages.ts';
import {
  agentProgress,
  assistant,
  attachment,
  chain,
  conversation,
  entriesOf,
  queueOperation,
  result,
  text,
  timeOf,
  toolUse,
  user,
} from '../support/build.ts';
import { onlyChat, recorded } from '../support/sessions.ts';

const task = (id: string, prompt = `do ${id}`, name = 'Task') =>
  assistant(toolUse(id, name, { prompt, subagent_type: 'Explore', description: `about ${id}` }), { id: `m-${id}` });
const reported = (id: string, agentId: string, more: JsonObject = {}) =>
  result(id, 'done', { toolUseResult: { status: 'completed', agentId, ...more } });

/** The transcript of an agent: asked, calls, answers. */
function agentFile(agentId: string, asked: string, more: readonly JsonObject[] = [], meta?: JsonObject): AgentFile {
  const lines = [user(asked), ...more, assistant(`report of ${agentId}`, { id: `m-${agentId}` })];
  const envelope = { isSidechain: true, agentId };
  const named = chain(lines, envelope).map((line) => ({
    ...line,
    uuid: `${agentId}-${line.uuid}`,
    parentUuid: typeof line.parentUuid === 'string' ? `${agentId}-${line.parentUuid}` : null,
  }));
  const file = `agent-${agentId}.jsonl`;
  return { agentId, file, entries: entriesOf(named, file), meta };
}

/** `id toolUseId how/sure depth, parent>` */
function line({ agentId, toolUseId, how, sure, depth, parent }: Agent): string {
  return `${parent ? `${parent} > ` : ''}${agentId} ${toolUseId} ${how}/${sure} ${depth}`;
}

describe('agents: which call started them', () => {
  test('L3: by the call that the meta file names', () => {
    const main = conversation([user('go'), task('t1'), task('t2'), reported('t2', 'a1')]);
    const tree = agentsOf(main, [agentFile('a1', 'x', [], { toolUseId: 't1', agentType: 'Plan', spawnDepth: 1 })]);
    expect(tree.agents.map(line)).toEqual(['a1 t1 meta/certain 1']);
    expect(tree.agents[0]).toMatchObject({ agentType: 'Plan', description: 'about t1', file: 'agent-a1.jsonl' });
    expect(tree.unattached).toEqual([]);
  });

  test('L3: else by the result that names the agent, in whatever order results come', () => {
    const main = conversation([user('go'), task('t1'), task('t2'), reported('t2', 'a2'), reported('t1', 'a1')]);
    const tree = agentsOf(main, [agentFile('a1', 'same'), agentFile('a2', 'same')]);
    expect(tree.agents.map(line)).toEqual(['a1 t1 toolUseResult/certain 1', 'a2 t2 toolUseResult/certain 1']);
    expect(tree.agents[0]).toMatchObject({ agentType: 'Explore', status: 'completed', background: false });
  });

  test('E18: else by its progress, when the call has no result yet or failed', () => {
    const copy = assistant('part', { id: 'm9' }, { uuid: 'a1-u2' });
    const main = conversation([user('go'), task('t1'), agentProgress(copy, 'a1', 't1')]);
    expect(agentsOf(main, [agentFile('a1', 'x')]).agents.map(line)).toEqual(['a1 t1 progress/certain 1']);
  });

  test('L3: background agents, with the notification that tells how they ended', () => {
    const note =
      '<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n<output-file>/tmp/a1.output</output-file>\n<status>failed</status>\n</task-notification>';
    const launched = reported('t1', 'a1', { isAsync: true, status: 'async_launched', outputFile: '/tmp/old' });
    const files = [agentFile('a1', 'x')];
    const waiting = agentsOf(conversation([user('go'), task('t1'), launched]), files);
    expect(waiting.agents[0]).toMatchObject({ background: true, status: 'async_launched', outputFile: '/tmp/old' });
    const over = agentsOf(conversation([user('go'), task('t1'), launched, user(note)]), files);
    expect(over.agents[0]).toMatchObject({ background: true, status: 'failed', outputFile: '/tmp/a1.output' });
    const inTurn = attachment('queued_command', { prompt: note, commandMode: 'task-notification' });
    const waits = queueOperation('enqueue', note);
    for (const told of [inTurn, waits]) {
      expect(agentsOf(conversation([user('go'), task('t1'), launched, told]), files).agents[0]?.status).toBe('failed');
    }
    const lost = agentsOf(conversation([user('go'), task('t1'), user(note)]), files);
    expect(lost.agents.map(line)).toEqual(['a1 t1 notification/certain 1']);
  });

  test('L3: else by its prompt, in order where prompts are equal', () => {
    const main = conversation([user('go'), task('t1', 'same'), task('t2', 'same'), task('t3', 'other')]);
    const files = [
      agentFile('a1', 'same'),
      agentFile('a2', ' same\n'),
      agentFile('a3', 'other'),
      agentFile('a4', 'same'),
    ];
    const tree = agentsOf(main, files);
    expect(tree.agents.map(line)).toEqual(['a1 t1 prompt/likely 1', 'a2 t2 prompt/likely 1', 'a3 t3 prompt/likely 1']);
    expect(tree.unattached.map(line)).toEqual(['a4 undefined folder/guess 1']);
  });

  test('L3: what is left goes to the only call that was running when it began, as a guess', () => {
    const lines = [user('go'), task('t1'), user('later', { timestamp: timeOf(60) }), task('t2')];
    const main = conversation([...lines, result('t1', 'Error', { isError: true }), result('t2', 'Error')]);
    expect(agentsOf(main, [agentFile('a1', 'unlike')]).unattached).toHaveLength(1);
    const begun = agentFile('a1', 'unlike');
    const later = begun.entries.map((entry) => ({ ...entry, head: { ...entry.head, timestamp: timeOf(2) } }));
    const tree = agentsOf(main, [{ ...begun, entries: later }]);
    expect(tree.agents.map(line)).toEqual(['a1 t1 time/guess 1']);
  });

  test('L3: an agent taken up again has all its calls', () => {
    const main = conversation([user('go'), task('t1'), reported('t1', 'a1'), task('t2'), reported('t2', 'a1')]);
    expect(agentsOf(main, [agentFile('a1', 'x')]).agents[0]?.toolUseIds).toEqual(['t1', 't2']);
    const rewritten = agentsOf(main, [agentFile('a1', 'x', [], { toolUseId: 't2' })]);
    expect(rewritten.agents[0]?.toolUseIds).toEqual(['t1', 't2']);
  });

  test('L6: warm-ups and agents nothing explains are kept, apart', () => {
    const main = conversation([user('go'), task('t1', 'Warmed')]);
    const tree = agentsOf(main, [agentFile('a1', 'Warmup'), agentFile('a2', 'who knows')]);
    expect(tree.agents).toEqual([]);
    expect(tree.unattached.map(({ agentId, warmup }) => [agentId, warmup])).toEqual([
      ['a1', true],
      ['a2', false],
    ]);
  });
});

describe('agents: nested', () => {
  const main = conversation([user('go'), task('t1'), reported('t1', 'a1')]);

  test('L3: files lie flat; the call stands in the parent’s transcript', () => {
    const files = [
      agentFile('a3', 'x', [], { toolUseId: 't3', spawnDepth: 3 }),
      agentFile('a2', 'x', [task('t3')], { toolUseId: 't2', spawnDepth: 2, parentAgentId: 'a1' }),
      agentFile('a1', 'x', [task('t2'), reported('t2', 'a2')]),
    ];
    const tree = agentsOf(main, files);
    expect(tree.all.map(line)).toEqual([
      'a1 t1 toolUseResult/certain 1',
      'a1 > a2 t2 meta/certain 2',
      'a2 > a3 t3 meta/certain 3',
    ]);
    expect(tree.agents.map(({ agentId }) => agentId)).toEqual(['a1']);
    expect(tree.agents[0]?.children[0]?.children[0]?.agentId).toBe('a3');
  });

  test('L3: the meta file’s parent counts where the call itself is lost', () => {
    const files = [agentFile('a1', 'x'), agentFile('a2', 'y', [], { toolUseId: 'lost', parentAgentId: 'a1' })];
    expect(agentsOf(main, files).all.map(line)).toEqual([
      'a1 t1 toolUseResult/certain 1',
      'a1 > a2 undefined meta/likely 2',
    ]);
  });

  test('an agent of an unattached agent stays with it', () => {
    const files = [agentFile('a7', 'x', [task('t8')]), agentFile('a8', 'do t8')];
    const tree = agentsOf(main, files);
    expect(tree.unattached.map(({ agentId, children }) => [agentId, children.map(line)])).toEqual([
      ['a7', ['a7 > a8 t8 prompt/likely 2']],
    ]);
  });

  test('agents that would be their own ancestors are cut loose', () => {
    const files = [
      agentFile('a5', 'x', [], { parentAgentId: 'a6' }),
      agentFile('a6', 'x', [], { parentAgentId: 'a5' }),
      agentFile('a7', 'x', [], { parentAgentId: 'a7' }),
    ];
    const tree = agentsOf(main, files);
    expect(tree.all).toHaveLength(3);
    expect(tree.unattached).toHaveLength(2);
  });

  test('H1: a copy of an agent’s file is the same agent', () => {
    const short = agentFile('a1', 'x');
    const longer = { ...agentFile('a1', 'x', [assistant('more', { id: 'm2' })]), file: 'copy.jsonl' };
    expect(agentsOf(main, [short, longer]).all.map(({ file }) => file)).toEqual(['copy.jsonl']);
  });
});

describe('agents: inline (1.0.x)', () => {
  const side = (lines: readonly JsonObject[], prefix: string) =>
    chain(lines, { isSidechain: true }).map((each) => ({
      ...each,
      uuid: `${prefix}${each.uuid}`,
      parentUuid: typeof each.parentUuid === 'string' ? `${prefix}${each.parentUuid}` : null,
    }));

  test('L3: each side chain is an agent, by its prompt; the main conversation is without them', () => {
    const [first, second] = [
      side([user('do t1'), task('t9', 'nested'), assistant('one', { id: 'm1' })], 'x'),
      side([user('do t2'), assistant('two', { id: 'm2' })], 'y'),
    ];
    const nested = side([user('nested'), assistant('deep', { id: 'm3' })], 'z');
    const main = chain([user('go'), task('t1'), task('t2')]);
    // Interleaved, as parallel agents write.
    const [s1, ...s] = second;
    const entries = entriesOf([...main, ...first.slice(0, 2), s1 ?? {}, ...nested, ...first.slice(2), ...s]);
    const tree = agentsOf(entries);
    expect(tree.all.map(line)).toEqual([
      'xu1 t1 prompt/likely 1',
      'xu1 > zu1 t9 prompt/likely 2',
      'yu1 t2 prompt/likely 1',
    ]);
    expect(tree.all.map((agent) => agent.entries.length)).toEqual([3, 2, 2]);
    expect(tree.main).toHaveLength(3);
    expect(tree.all.every(({ file }) => file === undefined)).toBe(true);
  });

  test('E12: a side chain in any order, with a cycle', () => {
    const lines = side([user('a'), assistant('b', { id: 'm' }), user('c')], 'x').reverse();
    const [, , root] = lines;
    const tree = agentsOf(entriesOf([...chain([user('go')]), ...lines.slice(0, 2), { ...root, parentUuid: 'xu3' }]));
    expect(tree.all.map((agent) => agent.entries.length)).toEqual([3]);
  });

  test('recorded, over three files: the copies have no side chains, the chat has all three', () => {
    const chat = onlyChat(recorded('1.0.111', 'd-agent'));
    expect(chat.subagents.map(({ toolUseId, how, entries }) => [toolUseId, how, entries.length])).toEqual([
      ['toolu_fake000016', 'prompt', 8],
      ['toolu_fake000020', 'prompt', 4],
      ['toolu_fake000019', 'prompt', 4],
    ]);
  });
});

describe('agents: recorded', () => {
  const first = ['toolu_fake000015', 'toolu_fake000018', 'toolu_fake000019'];
  test.each([
    ['2.0.50', 'toolUseResult', first, 2],
    ['2.0.76', 'toolUseResult', first, 6],
    ['2.1.45', 'toolUseResult', first, 0],
    ['2.1.80', 'toolUseResult', ['toolu_fake000006', 'toolu_fake000009', 'toolu_fake000010'], 0],
    ['2.1.325', 'meta', first, 0],
  ])('L3: d-agent %s: by %s', (version, how, calls, unattached) => {
    const chat = onlyChat(recorded(version, 'd-agent'));
    expect(chat.subagents.map((agent) => agent.toolUseId).sort()).toEqual(calls);
    expect(chat.subagents.every((agent) => agent.how === how && agent.sure === 'certain')).toBe(true);
    expect(chat.subagents.every((agent) => agent.agentType === 'general-purpose' && agent.status === 'completed')).toBe(
      true,
    );
    expect(chat.subagents.every((agent) => agent.background === (version === '2.1.325'))).toBe(true);
    expect(chat.unattached).toHaveLength(unattached);
  });
});

describe('agents: usage', () => {
  test('E18: each message once; copies in progress entries count only where the transcript is missing', () => {
    const file = agentFile('a1', 'x', [assistant([text('a'), toolUse('b1')], { id: 'm5', output: 7 })]);
    const copies = file.entries.map((_, index) =>
      agentProgress(assistant('copy', { id: index === 1 ? 'm5' : 'm-a1', output: 7 }), 'a1', 't1'),
    );
    const main = conversation([user('go'), task('t1'), ...copies, reported('t1', 'a1')]);
    const own = usageOfMessages(mergeMessages(main)).messages;
    const tree = agentsOf(main, [file]);
    expect(usageOfAgents(tree.agents)).toMatchObject({ messages: 2, output: 17, toolCalls: 1, agents: 1 });
    expect(usageWithAgents(tree)).toMatchObject({ messages: own + 2, toolCalls: 2, agents: 1 });
    expect(usageWithAgents(agentsOf(main))).toMatchObject({ messages: own + 2, agents: 1 });
  });

  test('nested agents are rolled up once', () => {
    const files = [agentFile('a1', 'x', [task('t2'), reported('t2', 'a2')]), agentFile('a2', 'x')];
    const tree = agentsOf(conversation([user('go'), task('t1'), reported('t1', 'a1')]), files);
    expect(usageOfAgents(tree.agents)).toMatchObject({ messages: 3, agents: 2, toolCalls: 1 });
  });
});

describe('agents: properties', () => {
  const some = fc.constantFrom('a1', 'a2', 'a3', 't1', 't2', undefined);
  const anyMeta = fc.record({ toolUseId: some, parentAgentId: some, spawnDepth: fc.nat(4) });
  const anyFile = fc.record({
    agentId: fc.constantFrom('a1', 'a2', 'a3', 'a4'),
    asked: fc.constantFrom('same', 'Warmup', 'other'),
    calls: fc.array(fc.constantFrom('t1', 't2', 't3', 't4'), { maxLength: 3 }),
    meta: fc.option(anyMeta, { nil: undefined }),
  });

  test('never throws; every agent is in one place; the order of the files does not matter', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyFile, { selector: ({ agentId }) => agentId }), fc.array(some), (specs, said) => {
        const files = specs.map(({ agentId, asked, calls, meta }) =>
          agentFile(
            agentId,
            asked,
            calls.map((id) => task(id, 'same')),
            meta && JSON.parse(JSON.stringify(meta)),
          ),
        );
        const main = conversation([
          user('go'),
          task('t1', 'same'),
          task('t2', 'other'),
          ...said.map((id) => reported('t1', id ?? '')),
        ]);
        const tree = agentsOf(main, files);
        expect(tree.all.map(({ agentId }) => agentId).sort()).toEqual(specs.map(({ agentId }) => agentId).sort());
        expect(agentsOf(main, files.toReversed()).all.map(line)).toEqual(tree.all.map(line));
      }),
      { numRuns: 300 },
    );
  });

  test('linear: thousands of agents', () => {
    const count = 3_000;
    const calls = Array.from({ length: count }, (_, i) => [task(`t${i}`, 'same'), reported(`t${i}`, `a${i}`)]).flat();
    const files = Array.from({ length: count }, (_, i) => agentFile(`a${i}`, 'same'));
    const tree = agentsOf(conversation([user('go'), ...calls]), files);
    expect(tree.agents).toHaveLength(count);
  });
});
