import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { type AgentFile, agentsOf, usageOfAgents, usageWithAgents } from '../../src/graph/agents.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { agentProgress, assistant, chain, conversation, entriesOf, result, toolUse, user } from '../support/build.ts';

const task = (id: string) =>
  assistant(toolUse(id, 'Task', { prompt: `do ${id}`, subagent_type: 'Explore' }), { id: `m-${id}` });
const reported = (id: string, agentId: string) =>
  result(id, 'done', { toolUseResult: { status: 'completed', agentId } });

/** What an agent wrote: asked, one call, its answer. */
function linesOf(agentId: string, more: readonly JsonObject[] = []): JsonObject[] {
  const lines = [
    user(`prompt of ${agentId}`),
    assistant(toolUse(`${agentId}-c1`), { id: `${agentId}-m1`, output: 7, stop: 'tool_use' }),
    result(`${agentId}-c1`),
    ...more,
    assistant('report', { id: `${agentId}-m2`, output: 9 }),
  ];
  return chain(lines, { isSidechain: true, agentId }).map((line) => ({
    ...line,
    uuid: `${agentId}-${line.uuid}`,
    parentUuid: typeof line.parentUuid === 'string' ? `${agentId}-${line.parentUuid}` : null,
  }));
}

/** As the client embeds them: no envelope but type, uuid, time and message. */
function copiesOf(lines: readonly JsonObject[], agentId: string | undefined, call: string): JsonObject[] {
  return lines.map(({ type, uuid, timestamp, message, requestId }) => {
    const line = agentProgress({ type, uuid, timestamp, message, requestId }, agentId, call);
    if (agentId === undefined) line.data = { type: 'agent_progress', message: { type, uuid, timestamp, message } };
    return line;
  });
}

function fileOf(agentId: string, lines: readonly JsonObject[], file = `agent-${agentId}.jsonl`): AgentFile {
  return { agentId, file, entries: entriesOf(lines, file) };
}

describe('E18: agents known from progress only', () => {
  const lines = linesOf('a1');
  const main = conversation([user('go'), task('t1'), ...copiesOf(lines, 'a1', 't1'), reported('t1', 'a1')]);

  test('are agents of the call they report to, with their turns, calls and tokens', () => {
    const [agent, ...others] = agentsOf(main).all;
    expect(others).toEqual([]);
    expect(agent).toMatchObject({ agentId: 'a1', from: 'progress', file: undefined, toolUseId: 't1', depth: 1 });
    expect(agent).toMatchObject({ agentType: 'Explore', status: 'completed', sure: 'certain', how: 'toolUseResult' });
    expect(usageOfAgents(agent ? [agent] : [])).toMatchObject({ messages: 2, output: 16, toolCalls: 1, agents: 1 });
    const [turn, ...more] = turnsOf(agent?.entries ?? []);
    expect(more).toEqual([]);
    expect(turn).toMatchObject({ kind: 'agent_prompt', state: 'complete', uuid: 'a1-u1' });
    expect(turn?.toolCalls.map(({ id, status }) => [id, status])).toEqual([['a1-c1', 'ok']]);
    expect(turn?.messages.map(({ id, entryUuids }) => [id, entryUuids])).toEqual([
      ['a1-m1', ['a1-u2']],
      ['a1-m2', ['a1-u4']],
    ]);
  });

  test('what is unpacked is the copy in the envelope of its progress entry, read when asked for', () => {
    const entries = agentsOf(main).all[0]?.entries ?? [];
    expect(entries.map(({ head }) => head.uuid)).toEqual(lines.map(({ uuid }) => uuid));
    expect(jsonOf(entries[3] ?? expect.fail())).toEqual({
      type: 'assistant',
      uuid: 'a1-u4',
      timestamp: lines[3]?.timestamp,
      message: JSON.parse(JSON.stringify(lines[3]?.message)),
      sessionId: 'session-1',
      version: '2.1.325',
      isSidechain: true,
      agentId: 'a1',
    });
  });

  test('a call without a result yet, and one whose result tells nothing', () => {
    const open = conversation([user('go'), task('t1'), ...copiesOf(lines.slice(0, 2), 'a1', 't1')]);
    expect(agentsOf(open).agents[0]).toMatchObject({
      agentId: 'a1',
      from: 'progress',
      how: 'progress',
      toolUseId: 't1',
    });
    const failed = conversation([user('go'), task('t1'), ...copiesOf(lines, 'a1', 't1'), result('t1', 'Error')]);
    expect(agentsOf(failed).agents[0]).toMatchObject({ agentId: 'a1', how: 'progress', toolUseId: 't1' });
  });

  test('copies are counted once: among themselves, and where the file is there', () => {
    const twice = [...copiesOf(lines, 'a1', 't1'), ...copiesOf(lines, 'a1', 't1')];
    const again = conversation([user('go'), task('t1'), ...twice, reported('t1', 'a1')]);
    const without = agentsOf(again);
    expect(without.all[0]?.entries).toHaveLength(lines.length);
    expect(usageWithAgents(without)).toMatchObject({ messages: 3, output: 26, toolCalls: 2, agents: 1 });
    const withFile = agentsOf(again, [fileOf('a1', lines)]);
    expect(withFile.all.map(({ from, entries }) => [from, entries.length])).toEqual([['file', lines.length]]);
    expect(usageWithAgents(withFile)).toEqual(usageWithAgents(without));
  });

  test('what a file that was cut short lacks is taken from the copies', () => {
    const cut = fileOf('a1', lines.slice(0, 2));
    const tree = agentsOf(main, [cut]);
    expect(tree.all[0]?.entries.map(({ head }) => head.uuid)).toEqual(lines.map(({ uuid }) => uuid));
    expect(tree.all[0]?.from).toBe('file');
    expect(usageWithAgents(tree)).toEqual(usageWithAgents(agentsOf(main)));
  });

  test('copies under other uuids than the file has are the same messages', () => {
    const renamed = lines.map((line) => ({ ...line, uuid: `other-${line.uuid}` }));
    const tree = agentsOf(main, [fileOf('a1', renamed)]);
    expect(tree.all[0]?.entries).toHaveLength(lines.length);
  });

  test('progress that names no agent: by its result, by what it repeats, else by its call', () => {
    const copies = copiesOf(lines, undefined, 't1');
    const told = conversation([user('go'), task('t1'), ...copies, reported('t1', 'a1')]);
    expect(agentsOf(told).all.map(({ agentId, from }) => [agentId, from])).toEqual([['a1', 'progress']]);
    const untold = conversation([user('go'), task('t1'), ...copies]);
    expect(agentsOf(untold).agents.map(({ agentId, toolUseId }) => [agentId, toolUseId])).toEqual([['t1', 't1']]);
    const known = agentsOf(untold, [fileOf('a9', lines)]);
    expect(known.all.map(({ agentId, toolUseId }) => [agentId, toolUseId])).toEqual([['a9', 't1']]);
  });

  test('nested: the call stands in the copies of another, or progress in the file of another', () => {
    const outer = linesOf('a1', [task('t2')]);
    const inner = linesOf('a2', [task('t3')]);
    const deep = linesOf('a3');
    const all = [...copiesOf(outer, 'a1', 't1'), ...copiesOf(inner, 'a2', 't2'), ...copiesOf(deep, 'a3', 't3')];
    const tree = agentsOf(conversation([user('go'), task('t1'), ...all]));
    expect(tree.all.map(({ agentId, parent, depth }) => [agentId, parent, depth])).toEqual([
      ['a1', undefined, 1],
      ['a2', 'a1', 2],
      ['a3', 'a2', 3],
    ]);
    expect(usageOfAgents(tree.agents)).toMatchObject({ messages: 8, toolCalls: 5, agents: 3 });
    const inFile = [...outer, ...chain(copiesOf(inner, 'a2', 't2'), { isSidechain: true, agentId: 'a1' })];
    const beside = agentsOf(conversation([user('go'), task('t1')]), [fileOf('a1', inFile)]);
    expect(beside.all.map(({ agentId, parent, from }) => [agentId, parent, from])).toEqual([
      ['a1', undefined, 'file'],
      ['a2', 'a1', 'progress'],
    ]);
  });

  test('E12: damaged copies never throw', () => {
    const deep = (depth: number) =>
      `{"message":{"role":"assistant","content":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    const odd = ['{}', '{"type":"assistant"}', '{"message":7}', deep(50_000), deep(900)];
    const lines = odd.map(
      (copy, i) =>
        `{"type":"progress","uuid":"p${i}","parentToolUseID":"t1","data":{"agentId":"a1","type":"agent_progress","message":${copy}}}\n`,
    );
    const { entries } = readSession(encode(lines.join('')), 'odd.jsonl');
    const tree = agentsOf(entries);
    expect(tree.all.map(({ agentId, from }) => [agentId, from])).toEqual([['a1', 'progress']]);
    expect(usageWithAgents(tree).agents).toBe(1);
    expect(tree.all[0] && turnsOf(tree.all[0].entries)).toHaveLength(1);
  });

  test('progress of other kinds, and without a copy, is no agent', () => {
    const others = [
      { type: 'progress', data: { type: 'bash_progress', output: 'x' }, parentToolUseID: 't1' },
      { type: 'progress', data: { type: 'agent_progress', agentId: 'a1' }, parentToolUseID: 't1' },
      { type: 'progress', data: 'odd' },
    ];
    expect(agentsOf(conversation([user('go'), task('t1'), ...others])).all).toEqual([]);
  });
});
