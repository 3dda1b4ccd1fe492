/** `usage --by agent`: the kinds of sub-agents that no file beside their transcripts tells (L3). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asArray, at, type JsonObject } from '../../src/format/json.ts';
import { agentProgress, assistant, chain, result, toJsonl, toolUse, user } from '../support/build.ts';
import { envelope, rootWith, SESSION, usage } from './usage-reports.ts';

const own = { ...envelope, sessionId: SESSION };

function starts(id: string, kind: string, prompt = `do ${id}`): JsonObject {
  return assistant(toolUse(id, 'Task', { subagent_type: kind, prompt }), { id: `m-${id}` });
}

/** An agent that was asked something, and answered. */
function asked(agentId: string, prompt: string, ...more: JsonObject[]): JsonObject[] {
  const of = { ...own, isSidechain: true, agentId };
  const lines = chain([user(prompt), assistant('done', { id: `m-${agentId}` }), ...more], of);
  return lines.map((line) => ({ ...line, uuid: `${agentId}-${line.uuid}` }));
}

function messagesOf(root: string): Record<string, unknown> {
  const rows = asArray(usage(root, ['--by', 'agent']).rows) ?? [];
  return Object.fromEntries(rows.map((row) => [at(row, 'key', 'agent'), at(row, 'messages')]));
}

test('one that was stopped is known by its prompt, one whose call failed by its progress', () => {
  const failed = asked('b1', 'something else');
  const root = rootWith({
    [SESSION]: chain(
      [
        user('go on'),
        starts('t1', 'Explore', 'look around'),
        starts('t2', 'Plan'),
        agentProgress(failed[1] ?? {}, 'b1', 't2'),
        result('t2', 'Error: too long', { isError: true, toolUseResult: 'Error: too long' }),
      ],
      own,
    ),
  });
  const folder = join(root, 'projects', '-work-app');
  writeFileSync(join(folder, 'agent-a1.jsonl'), toJsonl(asked('a1', 'look around')));
  writeFileSync(join(folder, 'agent-b1.jsonl'), toJsonl(failed));
  expect(messagesOf(root)).toEqual({ main: 2, Explore: 1, Plan: 1 });
});

test('one that a sub-agent started is known by its call there; what nothing explains is untold', () => {
  const root = rootWith({
    [SESSION]: chain(
      [user('go on'), starts('t1', 'general-purpose'), result('t1', 'ok', { toolUseResult: { agentId: 'a1' } })],
      own,
    ),
  });
  const folder = join(root, 'projects', '-work-app', SESSION, 'subagents');
  mkdirSync(folder, { recursive: true });
  const nested = result('t2', 'ok', { toolUseResult: { agentId: 'a2' } });
  writeFileSync(join(folder, 'agent-a1.jsonl'), toJsonl(asked('a1', 'do t1', starts('t2', 'Explore'), nested)));
  writeFileSync(join(folder, 'agent-a2.jsonl'), toJsonl(asked('a2', 'do t2')));
  writeFileSync(join(folder, 'agent-a3.jsonl'), toJsonl(asked('a3', 'Warmup')));
  expect(messagesOf(root)).toEqual({ main: 1, 'general-purpose': 2, Explore: 1, 'sub-agent': 1 });
});
