/** The parts of `skein acp` that need no process: what is sent, shown and asked. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import type { LoopEvent } from '../../src/agent/ports.ts';
import { describeCall, fenced } from '../../src/cli/acp/calls.ts';
import { doneDiff, plannedDiff } from '../../src/cli/acp/diffs.ts';
import { answersIn, formOf } from '../../src/cli/acp/form.ts';
import { serversOf } from '../../src/cli/acp/place.ts';
import { promptOf } from '../../src/cli/acp/prompt.ts';
import { stopReason } from '../../src/cli/acp/stop.ts';
import { createTeller } from '../../src/cli/acp/teller.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { toToolResult } from '../../src/graph/toolresults/read.ts';
import { tempFolder } from '../support/files.ts';
import { PNG } from '../support/png.ts';

test('a prompt: links are mentions within the sentence, texts come after it, what cannot be sent is said', () => {
  const said = promptOf([
    { type: 'text', text: 'Compare' },
    { type: 'resource_link', name: 'a b.ts', uri: 'file:///x/a%20b.ts#L3:9' },
    { type: 'text', text: 'with ' },
    { type: 'resource', resource: { uri: 'file:///x/c.ts', text: 'c();' } },
    { type: 'resource_link', name: 'a page', uri: 'https://example.com/' },
    { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'image', mimeType: 'image/tiff', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'file:///x/d.bin', blob: 'AAAA', mimeType: 'application/zip' } },
  ]);
  expect(said).toBe(
    [
      'Compare @/x/a\\ b.ts (lines 3-9) with /x/c.ts [a page](https://example.com/) /x/d.bin',
      '<resource uri="file:///x/c.ts">\nc();\n</resource>',
      '[A recording was left out: it cannot be sent to the model.]',
      '[An image was left out: this image/tiff cannot be sent to the model.]',
      '[/x/d.bin was left out: only text and images can be sent.]',
    ].join('\n\n'),
  );
  const image = { type: 'image' as const, mimeType: 'image/png', data: PNG };
  const source = { type: 'base64', media_type: 'image/png', data: PNG };
  expect(promptOf([image])).toEqual([{ type: 'image', source }]);
  // The API would refuse the whole conversation from then on.
  expect(promptOf([{ ...image, data: 'AAAA' }])).toContain('left out');
  expect(promptOf([{ ...image, data: 'not base64!' }])).toContain('left out');
  expect(promptOf([])).toBe('');
});

test('a diff before the call: the whole file where the edit fits, the pieces where it does not', () => {
  const cwd = tempFolder();
  const path = join(cwd, 'f.txt');
  writeFileSync(path, 'a\r\nb\r\nc\r\n');
  const edits = [
    { old_string: 'b', new_string: 'B' },
    { old_string: 'c', new_string: 'C' },
  ];
  expect(plannedDiff('MultiEdit', { file_path: 'f.txt', edits }, cwd)).toEqual({
    content: [{ type: 'diff', path, oldText: 'a\nb\nc\n', newText: 'a\nB\nC\n' }],
    line: 2,
  });
  const misses = { file_path: path, old_string: 'nowhere', new_string: 'x' };
  expect(plannedDiff('Edit', misses, cwd).content).toEqual([{ type: 'diff', path, oldText: 'nowhere', newText: 'x' }]);
  const made = { file_path: join(cwd, 'new.txt'), old_string: '', new_string: 'n' };
  expect(plannedDiff('Edit', made, cwd).content).toMatchObject([{ oldText: null, newText: 'n' }]);
  mkdirSync(join(cwd, 'folder'));
  expect(plannedDiff('Write', { file_path: 'folder', content: 'w' }, cwd).content).toMatchObject([{ oldText: null }]);
  for (const input of [{}, { file_path: 3 }, { file_path: path, edits: [null, {}] }, { file_path: path }]) {
    expect(plannedDiff('MultiEdit', input, cwd).content).toEqual([]);
  }
  expect(plannedDiff('Read', { file_path: path }, cwd).content).toEqual([]);
});

test('a diff after the call is what the transcript keeps', () => {
  const structuredPatch = [
    { oldStart: 4, oldLines: 2, newStart: 4, newLines: 2, lines: [' x', '-y', '+z', '\\ No newline'] },
  ];
  const result = toToolResult('Edit', { filePath: '/f', oldString: 'y', newString: 'z', structuredPatch });
  expect(doneDiff(result)).toEqual({
    content: [{ type: 'diff', path: '/f', oldText: 'x\ny', newText: 'x\nz' }],
    line: 4,
  });
  const old = toToolResult('Edit', { filePath: '/f', oldString: 'y', newString: 'z' });
  expect(doneDiff(old).content).toEqual([{ type: 'diff', path: '/f', oldText: 'y', newText: 'z' }]);
  expect(doneDiff(toToolResult('Bash', { stdout: '' })).content).toEqual([]);
});

test('hostile words cannot drive a title or leave their block of code', () => {
  const { title } = describeCall('Bash', { command: `echo \u001b]0;x\u0007hi\nrm ${'x'.repeat(300)}` }, '/w');
  expect(title).toMatch(/^echo hi rm x+…$/);
  expect(title.length).toBe(200);
  expect(describeCall('__proto__', {}, '/w')).toMatchObject({ title: '__proto__', kind: 'other' });
  expect(fenced('a\n````\nb')).toBe('`````\na\n````\nb\n`````');
});

function tellerWith(compaction: boolean) {
  const sent: SessionUpdate[] = [];
  const notices: string[] = [];
  const tell = createTeller({
    send: (update) => sent.push(update),
    cwd: () => '/w',
    used: () => {},
    notice: (words) => notices.push(words),
    compaction,
  });
  return { sent, notices, tell };
}

function called(id: string, name: string, input: JsonObject): LoopEvent {
  const message = { content: [{ type: 'tool_use', id, name, input }] };
  return { kind: 'entry', entry: { type: 'assistant', message } };
}

test('calls of an answer that is asked for again are closed, and the person hears why', () => {
  const { sent, notices, tell } = tellerWith(false);
  tell({ kind: 'model', event: { kind: 'start', id: 'm1', model: 'x', usage: {} } });
  tell(called('t1', 'Read', { file_path: 'a' }));
  const failure = { type: 'overloaded_error', message: 'Overloaded' };
  tell({ kind: 'model', event: { kind: 'retry', failure, attempt: 1, maxRetries: 10, delayMs: 500 } });
  tell({ kind: 'tool-end', id: 't1', name: 'Read', outcome: { content: 'late', result: 'late' } });
  expect(sent.map((each) => ('status' in each ? each.status : each.sessionUpdate))).toEqual(['pending', 'failed']);
  expect(notices).toEqual(['Overloaded; asked again in 1 s (1 of 10)']);
});

test('what an agent does is told under its name, its words are not', () => {
  const { sent, tell } = tellerWith(false);
  const within = (event: LoopEvent): LoopEvent => ({
    kind: 'agent',
    id: 'parent',
    agentId: 'a1',
    agentType: 'Explore',
    description: 'Look',
    depth: 1,
    isBackground: false,
    event,
  });
  tell(within(called('t2', 'Grep', { pattern: 'x' })));
  tell(within({ kind: 'model', event: { kind: 'delta', index: 0, what: 'text', text: 'inner words' } }));
  tell(within({ kind: 'compacting', trigger: 'auto' }));
  tell(within({ kind: 'tool-end', id: 't2', name: 'Grep', outcome: { content: 'no', result: 'no', isError: true } }));
  expect(sent).toMatchObject([
    { title: 'Explore: Grep x', _meta: { skein: { parentToolCallId: 'parent' } } },
    { toolCallId: 't2', status: 'failed' },
  ]);
  expect(sent.length).toBe(2);
});

test('a compaction is told in the way the editor knows', () => {
  for (const knows of [true, false]) {
    const { sent, notices, tell } = tellerWith(knows);
    tell({ kind: 'compacting', trigger: 'manual' });
    tell({ kind: 'compacted', error: 'no summary' });
    expect(sent.map((each) => ('status' in each ? each.status : ''))).toEqual(knows ? ['in_progress', 'failed'] : []);
    expect(notices).toEqual(knows ? [] : ['The conversation is being summarized.', 'no summary']);
  }
});

test('questions as a form: several answers, own words, none', () => {
  const options = ['A', 'B'].map((label) => ({ label, description: label }));
  const input = {
    questions: [
      { question: 'One?', options },
      { question: 'Many?', options, multiSelect: true },
    ],
  };
  expect(formOf(input).properties).toMatchObject({
    answer0: { type: 'string', title: 'One?', oneOf: [{ const: 'A' }, { const: 'B' }] },
    answer1: { type: 'array', items: { anyOf: [{ const: 'A' }, { const: 'B' }] } },
    own1: { type: 'string' },
  });
  const content = { answer0: 'A', own0: 'neither', answer1: ['A', 'B'] };
  expect(answersIn(input, { action: 'accept', content })).toEqual({ 'One?': 'neither', 'Many?': 'A, B' });
  expect(answersIn(input, { action: 'accept', content: {} })).toBeUndefined();
  expect(answersIn(input, { action: 'decline' })).toBeUndefined();
});

test('how turns end, in the words of the protocol', () => {
  const { signal } = new AbortController();
  const end = { text: '', rounds: 1, durationMs: 0, apiMs: 0, costUSD: 0, usage: {}, denials: [] };
  const reasons = ['end_turn', 'stopped', 'interrupted', 'max_turns', 'budget', 'max_tokens', 'refusal'] as const;
  expect(reasons.map((reason) => stopReason({ ...end, reason }, signal))).toEqual([
    'end_turn',
    'end_turn',
    'end_turn',
    'max_turn_requests',
    'max_turn_requests',
    'max_tokens',
    'refusal',
  ]);
  const failure = { type: 'authentication_error', message: 'no key', status: 401 };
  expect(() => stopReason({ ...end, reason: 'failed', failure }, signal)).toThrow('no key');
  expect(() => stopReason({ ...end, reason: 'failed' }, signal)).toThrow('The turn failed.');
  expect(stopReason({ ...end, reason: 'failed', failure }, AbortSignal.abort())).toBe('cancelled');
});

test('MCP servers of the editor are those of the agent', () => {
  const named = [{ name: 'KEY', value: 'v' }];
  const servers = serversOf([
    { name: 'a', command: 'run', args: ['-x'], env: named },
    { type: 'http', name: 'b', url: 'http://127.0.0.1/', headers: named },
  ]);
  const from = { scope: 'acp', where: 'the editor' };
  expect([...servers]).toEqual([
    ['a', { type: 'stdio', command: 'run', args: ['-x'], env: { KEY: 'v' }, ...from }],
    ['b', { type: 'http', url: 'http://127.0.0.1/', headers: { KEY: 'v' }, ...from }],
  ]);
});
