import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { contentOfCall, inputOfCall, pairToolCalls, textOfCall, toolResultOf } from '../../src/graph/toolcalls.ts';
import type { ToolCall } from '../../src/graph/types.ts';
import {
  agentProgress,
  assistant,
  chain,
  conversation,
  entriesOf,
  result,
  text,
  timeOf,
  toolResult,
  toolUse,
  user,
} from '../support/build.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

function callsOf(...lines: JsonObject[]): ToolCall[] {
  return pairToolCalls(conversation(lines)).calls;
}

/** A call with one result, and what came of it. */
function statusOf(content: Json, more: JsonObject & { isError?: boolean }, name = 'Bash'): string | undefined {
  return callsOf(assistant(toolUse('t1', name), { id: 'm1' }), result('t1', content, more))[0]?.status;
}

describe('E5: pairing', () => {
  test('by id, whatever the order of lines', () => {
    const calls = callsOf(
      result('t2', 'early'),
      assistant(toolUse('t1', 'Read', { file_path: '/a' }), { id: 'm1' }),
      assistant(toolUse('t2', 'Bash', { command: 'ls' }), { id: 'm1' }),
      user('meanwhile'),
      result('t1', 'late'),
    );
    expect(calls).toMatchObject([
      {
        id: 't1',
        name: 'Read',
        status: 'ok',
        useUuid: 'u2',
        resultUuid: 'u5',
        started: timeOf(1),
        ended: timeOf(4),
        durationMs: 3000,
      },
      { id: 't2', name: 'Bash', status: 'ok', useUuid: 'u3', resultUuid: 'u1', durationMs: undefined },
    ]);
    expect(calls.map(inputOfCall)).toEqual([{ file_path: '/a' }, { command: 'ls' }]);
    expect(calls.map((call) => textOfCall(call))).toEqual(['late', 'early']);
  });

  test('across files', () => {
    const one = entriesOf(chain([assistant(toolUse('t1'), { id: 'm1' })]), 'a');
    const two = entriesOf(chain([user('x'), result('t1')]), 'b');
    expect(pairToolCalls([...one, ...two]).calls).toMatchObject([{ id: 't1', status: 'ok' }]);
  });

  test('several calls and results in one line', () => {
    const calls = callsOf(
      assistant([toolUse('t1'), toolUse('t2')]),
      user([toolResult('t2', 'b'), toolResult('t1', 'a')]),
    );
    expect(calls.map((call) => [call.id, textOfCall(call)])).toEqual([
      ['t1', 'a'],
      ['t2', 'b'],
    ]);
  });

  test('a call without a result is pending', () => {
    const [call] = callsOf(assistant(toolUse('t1')));
    expect(call).toMatchObject({ status: 'pending', result: undefined, ended: undefined, durationMs: undefined });
    expect([call && contentOfCall(call), call && textOfCall(call)]).toEqual([undefined, undefined]);
  });

  test('A2: a result without its call is reported', () => {
    const { calls, issues } = pairToolCalls(conversation([user('x'), result('lost')]));
    expect(calls).toEqual([]);
    expect(issues).toMatchObject([{ rule: 'A2', severity: 'warning', line: 2, uuid: 'u2' }]);
  });

  test('A3: the first line using an id owns the result', () => {
    const lines = [
      assistant(toolUse('t1', 'Read'), { id: 'm1' }),
      result('t1'),
      assistant(toolUse('t1', 'Bash'), { id: 'm2' }),
    ];
    const { calls, issues } = pairToolCalls(conversation(lines));
    expect(calls.map((call) => [call.name, call.status])).toEqual([
      ['Read', 'ok'],
      ['Bash', 'pending'],
    ]);
    expect(issues).toMatchObject([{ rule: 'A3', uuid: 'u3' }]);
  });

  test('E5: a second result is reported; the first is used', () => {
    const { calls, issues } = pairToolCalls(
      conversation([assistant(toolUse('t1')), result('t1', 'a'), result('t1', 'b')]),
    );
    expect(calls.map((call) => textOfCall(call))).toEqual(['a']);
    expect(issues).toMatchObject([{ rule: 'E5', uuid: 'u3' }]);
  });

  test('E4, E12: a line written again is the same call, with its last content', () => {
    const use = assistant(toolUse('t1'), { id: 'm1' });
    const grown = assistant(toolUse('t1', 'Bash', { command: 'ls' }), { id: 'm1' });
    const again = { ...result('t1', 'new'), uuid: 'u3' };
    const { calls, issues } = pairToolCalls(conversation([use, grown, result('t1', 'old'), again]));
    expect(issues).toEqual([]);
    expect(calls.map((call) => [call.useUuid, inputOfCall(call), textOfCall(call)])).toEqual([
      ['u1', { command: 'ls' }, 'new'],
    ]);
  });

  test('H1: a poorer copy in a later file changes nothing', () => {
    const lines = chain([
      assistant(toolUse('t1'), { id: 'm1' }),
      result('t1', 'x', { toolUseResult: { stdout: 'x' } }),
    ]);
    const copy = lines.map((line) => ({ ...line, toolUseResult: undefined, timestamp: timeOf(60) }));
    const { calls, issues } = pairToolCalls([...entriesOf(lines, 'a'), ...entriesOf(copy, 'b')]);
    expect(issues).toEqual([]);
    expect(calls.map((call) => [call.durationMs, toolResultOf(call).kind])).toEqual([[1000, 'bash']]);
  });

  test('calls the API answers itself', () => {
    const use = { ...toolUse('s1', 'web_search', { query: 'x' }), type: 'server_tool_use' };
    const answer = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ title: 'X' }] };
    const [call] = callsOf(assistant([use, answer, text('found')], { id: 'm1' }));
    expect(call).toMatchObject({ name: 'web_search', status: 'ok', useUuid: 'u1', resultUuid: 'u1' });
    expect(call && contentOfCall(call)).toEqual([{ title: 'X' }]);
  });
});

describe('E6: status', () => {
  test.each([
    ['ok', 'done', {}],
    ['ok', [text('done')], { isError: false }],
    ['error', 'Exit code 3\nbad', { isError: true }],
    ['error', '<tool_use_error>File does not exist.</tool_use_error>', { isError: true }],
    ['denied', "The user doesn't want to proceed with this tool use. The tool use was rejected", { isError: true }],
    ['denied', "Claude requested permissions to write to /a, but you haven't granted it yet.", { isError: true }],
    ['denied', 'Permission to use Bash with command rm has been denied.', { isError: true }],
    ['denied', 'PreToolUse:Bash hook error: [hook.sh]: blocked', { isError: true }],
    ['denied', 'anything', { isError: true, toolDenialKind: 'permission-rule' }],
    ['denied', 'anything', { isError: true, toolDenialKind: 'user-rejected' }],
    ['interrupted', '[Request interrupted by user for tool use]', { isError: true }],
    ['interrupted', 'Exit code 137\n[Request interrupted by user for tool use]', { isError: true }],
    ['interrupted', 'anything', { isError: true, toolDenialKind: 'interrupted' }],
    ['interrupted', 'so far', { toolUseResult: { stdout: 'so far', interrupted: true } }],
    ['error', 'grep found "[Request interrupted by user]" in a.txt', { isError: true }],
    [
      'background',
      'Command running in background with ID: b1',
      { toolUseResult: { stdout: '', backgroundTaskId: 'b1' } },
    ],
    ['background', 'launched', { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1' } }],
  ] satisfies [string, Json, JsonObject & { isError?: boolean }][])('%s: %j', (status, content, more) => {
    expect(statusOf(content, more)).toBe(status);
  });

  test('2.1.325 writes a tool stopped while it ran as rejected; the marker tells it from a denial', () => {
    const lines = [
      assistant(toolUse('t1'), { id: 'm1' }),
      result('t1', 'x', { isError: true, toolDenialKind: 'user-rejected' }),
    ];
    const marker = [text('[Request interrupted by user for tool use]')];
    expect(callsOf(...lines, user(marker, { interruptedMessageId: 'm1' }))[0]?.status).toBe('interrupted');
    expect(callsOf(...lines, user(marker))[0]?.status).toBe('denied');
  });

  test('E5, E7: a call without a result is interrupted where a marker of its turn says so', () => {
    const marker = user([text('[Request interrupted by user for tool use]')]);
    const status = (...lines: JsonObject[]) => callsOf(user('go'), ...lines).map((call) => `${call.id} ${call.status}`);
    const use = assistant([toolUse('t1'), toolUse('t2')], { id: 'm1' });
    expect(status(use, marker)).toEqual(['t1 interrupted', 't2 interrupted']);
    expect(status(use, marker, user('next'))).toEqual(['t1 interrupted', 't2 interrupted']);
    expect(status(use, result('t2'), marker)).toEqual(['t1 interrupted', 't2 ok']);
    expect(status(use, marker, result('t2'))).toEqual(['t1 interrupted', 't2 ok']);
    expect(status(use, user('next'), marker)).toEqual(['t1 pending', 't2 pending']);
    expect(status(marker, use)).toEqual(['t1 pending', 't2 pending']);
  });

  test('E7, L3: the prompt of an inline sub-agent ends no turn of the main chat', () => {
    const side = { isSidechain: true };
    const lines = [
      assistant(toolUse('t1', 'Task'), { id: 'm1' }),
      user('SUB do', side),
      assistant(toolUse('t2'), { id: 's1' }, side),
      user([text('[Request interrupted by user]')]),
    ];
    expect(callsOf(user('go'), ...lines).map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
  });

  test('a duration the tool measured is taken before the clock', () => {
    const timed = (toolUseResult: JsonObject) =>
      callsOf(assistant(toolUse('t1')), result('t1', 'x', { toolUseResult }))[0]?.durationMs;
    expect(timed({ durationMs: 128 })).toBe(128);
    expect(timed({ totalDurationMs: 785728 })).toBe(785728);
    expect(timed({ stdout: '' })).toBe(1000);
  });

  test('L3: the sub-agent is known from the result, or from its progress', () => {
    const use = assistant(toolUse('t1', 'Task'), { id: 'm1' });
    expect(callsOf(use, result('t1', 'x', { toolUseResult: { agentId: 'a7' } }))[0]?.agentId).toBe('a7');
    expect(callsOf(use, agentProgress(user('go'), 'a8', 't1'))[0]).toMatchObject({ agentId: 'a8', status: 'pending' });
    expect(callsOf(use)[0]?.agentId).toBeUndefined();
  });
});

describe('L4: large outputs saved to a file', () => {
  const saved =
    '<persisted-output>\nOutput too large (43.9KB). Full output saved to: /r/tool-results/b1.txt\n\nPreview (first 2KB):\nxxx\n...\n</persisted-output>';
  const [call] = callsOf(
    assistant(toolUse('t1')),
    result('t1', saved, { toolUseResult: { stdout: 'xxx', persistedOutputPath: '/r/tool-results/b1.txt' } }),
  );

  test('are read through the resolver', () => {
    const resolve = (path: string) => (path === '/r/tool-results/b1.txt' ? 'all of it' : undefined);
    expect(call && textOfCall(call, resolve)).toBe('all of it');
  });

  test('are the preview when the file is gone, or nobody resolves', () => {
    expect(call && textOfCall(call, () => undefined)).toBe(saved);
    expect(call && textOfCall(call)).toBe(saved);
  });

  test.each(['2.1.45', '2.1.325'])('in the recording of %s', (version) => {
    const [file = ''] = transcriptsBelow(`${FIXTURES}recorded/${version}/c-edits/projects`);
    const { calls } = pairToolCalls(readSession(readFileSync(file), file).entries);
    const resolve = (path: string) => readFileSync(join(dirname(file), path.split('/').slice(-3).join('/')), 'utf8');
    const large = calls.filter((candidate) => textOfCall(candidate)?.startsWith('<persisted-output>'));
    expect(large.map((candidate) => textOfCall(candidate, resolve)?.length)).toEqual([45000]);
  });
});

test('never throws, and pairs every result or reports it', () => {
  const block = fc.oneof(
    fc.constantFrom('t1', 't2', 't3').map((id) => toolUse(id)),
    fc.constantFrom('t1', 't2', 't3').map((id) => toolResult(id)),
    fc.constant<JsonObject>({ type: 'tool_use' }),
    fc.constant<JsonObject>({ type: 'tool_result', content: 7 }),
  );
  const line = fc
    .tuple(fc.boolean(), fc.array(block, { maxLength: 3 }), fc.constantFrom('a', 'b', undefined))
    .map(([own, blocks, uuid]): JsonObject => ({ ...(own ? assistant(blocks, { id: uuid }) : user(blocks)), uuid }));
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const { calls, issues } = pairToolCalls(entriesOf(lines));
      for (const call of calls) {
        expect([call.result === undefined, call.status === 'pending']).toEqual(
          call.result ? [false, false] : [true, true],
        );
        inputOfCall(call);
        textOfCall(call);
        toolResultOf(call);
      }
      for (const issue of issues) expect(['A2', 'A3', 'E5']).toContain(issue.rule);
    }),
  );
});
