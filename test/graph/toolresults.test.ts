import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { pairToolCalls, toolResultOf } from '../../src/graph/toolcalls.ts';
import { toToolResult } from '../../src/graph/toolresults/read.ts';
import { text } from '../support/build.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

describe('E6: the record of each tool', () => {
  const hunk = { oldStart: 4, oldLines: 1, newStart: 4, newLines: 1, lines: ['-a', '+b'] };
  test.each([
    [
      'Read',
      { type: 'text', file: { filePath: '/a', content: 'x', numLines: 2, startLine: 1, totalLines: 9 } },
      { kind: 'read', media: 'text', filePath: '/a', content: 'x', numLines: 2, startLine: 1, totalLines: 9 },
    ],
    [
      'Read',
      { type: 'image', file: { base64: 'iVBO', type: 'image/png' } },
      { kind: 'read', media: 'image', content: 'iVBO' },
    ],
    [
      'Write',
      { type: 'create', filePath: '/a', content: 'x', structuredPatch: [], originalFile: null },
      { kind: 'write', type: 'create', filePath: '/a', content: 'x', patch: [], originalFile: null },
    ],
    [
      'Write',
      { type: 'update', filePath: '/a', content: 'x', structuredPatch: [hunk], originalFile: 'y' },
      { kind: 'write', patch: [hunk], originalFile: 'y' },
    ],
    [
      'Edit',
      {
        filePath: '/a',
        oldString: 'a',
        newString: 'b',
        originalFile: 'a',
        structuredPatch: [hunk],
        userModified: true,
        replaceAll: true,
      },
      {
        kind: 'edit',
        filePath: '/a',
        edits: [{ oldString: 'a', newString: 'b', replaceAll: true }],
        patch: [hunk],
        userModified: true,
      },
    ],
    [
      'MultiEdit',
      {
        filePath: '/a',
        edits: [
          { old_string: 'a', new_string: 'b', replace_all: false },
          { old_string: 'c', new_string: 'd' },
        ],
        originalFileContents: 'ac',
        structuredPatch: [],
      },
      {
        kind: 'edit',
        originalFile: 'ac',
        edits: [
          { oldString: 'a', newString: 'b', replaceAll: false },
          { oldString: 'c', newString: 'd', replaceAll: false },
        ],
      },
    ],
    [
      'NotebookEdit',
      { new_source: 'x=1', cell_type: 'code', edit_mode: 'replace', cell_id: 'c1', notebook_path: '/n' },
      {
        kind: 'notebook_edit',
        newSource: 'x=1',
        cellType: 'code',
        editMode: 'replace',
        cellId: 'c1',
        notebookPath: '/n',
      },
    ],
    [
      'Bash',
      { stdout: 'o', stderr: 'e', interrupted: false, isImage: false },
      { kind: 'bash', stdout: 'o', stderr: 'e', interrupted: false, isImage: false },
    ],
    [
      'Bash',
      { stdout: 'o', stderr: '', persistedOutputPath: '/t/b.txt', persistedOutputSize: 45000 },
      { kind: 'bash', persistedOutputPath: '/t/b.txt', persistedOutputSize: 45000 },
    ],
    ['Bash', { stdout: '', stderr: '', backgroundTaskId: 'b1' }, { kind: 'bash', backgroundTaskId: 'b1' }],
    [
      'BashOutput',
      { shellId: 's1', status: 'running', stdout: 'o', stderr: '', exitCode: null },
      { kind: 'bash_output', taskId: 's1', status: 'running', stdout: 'o' },
    ],
    [
      'TaskOutput',
      { retrieval_status: 'success', task: { task_id: 'b1', status: 'completed', output: 'o', exitCode: 0 } },
      { kind: 'bash_output', taskId: 'b1', status: 'completed', stdout: 'o', exitCode: 0 },
    ],
    [
      'Glob',
      { filenames: ['/a'], durationMs: 5, numFiles: 1, truncated: false },
      { kind: 'glob', filenames: ['/a'], durationMs: 5, numFiles: 1, truncated: false },
    ],
    [
      'Grep',
      { mode: 'content', numFiles: 0, filenames: [], content: 'a:1', numLines: 1 },
      { kind: 'grep', mode: 'content', filenames: [], content: 'a:1', numLines: 1 },
    ],
    [
      'Task',
      {
        content: [text('r')],
        totalDurationMs: 5,
        totalTokens: 6,
        totalToolUseCount: 1,
        usage: { input_tokens: 1, output_tokens: 2 },
      },
      {
        kind: 'agent',
        isAsync: false,
        totalDurationMs: 5,
        usage: { input: 1, output: 2 },
        content: [{ type: 'text', text: 'r' }],
      },
    ],
    [
      'Agent',
      { isAsync: true, status: 'async_launched', agentId: 'a1', outputFile: '/o' },
      { kind: 'agent', isAsync: true, status: 'async_launched', agentId: 'a1', outputFile: '/o' },
    ],
    [
      'TodoWrite',
      { oldTodos: [], newTodos: [{ content: 'x', status: 'pending', activeForm: 'xing' }] },
      { kind: 'todo', oldTodos: [], newTodos: [{ content: 'x', status: 'pending', activeForm: 'xing' }] },
    ],
    [
      'WebFetch',
      { bytes: 9, code: 200, codeText: 'OK', result: 'r', durationMs: 5, url: 'https://x' },
      { kind: 'web_fetch', bytes: 9, code: 200, result: 'r', url: 'https://x' },
    ],
    [
      'WebSearch',
      {
        query: 'q',
        results: [{ tool_use_id: 's', content: [{ title: 'T', url: 'U' }] }, 'a comment'],
        durationSeconds: 2,
      },
      { kind: 'web_search', query: 'q', hits: [{ title: 'T', url: 'U' }], comments: ['a comment'] },
    ],
    ['Skill', { success: true, commandName: 'demo' }, { kind: 'skill', success: true, commandName: 'demo' }],
    [
      'AskUserQuestion',
      { questions: [{ question: 'Which?', header: 'H', options: [{ label: 'Red' }] }], answers: { 'Which?': 'Red' } },
      {
        kind: 'question',
        questions: [{ question: 'Which?', header: 'H', options: ['Red'] }],
        answers: [{ question: 'Which?', answer: 'Red' }],
      },
    ],
    [
      'ExitPlanMode',
      { plan: null, isAgent: false, filePath: '/p' },
      { kind: 'plan', plan: null, isAgent: false, filePath: '/p' },
    ],
    ['mcp__db__query', [text('row')], { kind: 'mcp', content: [{ type: 'text', text: 'row' }] }],
    ['mcp__db__query', { content: [text('row')] }, { kind: 'mcp', content: [{ type: 'text', text: 'row' }] }],
  ] satisfies [string, Json, object][])('%s: %j', (tool, record, expected) => {
    const result = toToolResult(tool, record);
    expect(result).toMatchObject(expected);
    expect(result.raw).toBe(record);
  });
});

describe('E16: old and odd shapes', () => {
  test.each([
    ['Read', { type: 'file', file: 'the content' }, { kind: 'read', media: 'file', content: 'the content' }],
    ['Grep', { type: 'file', file: 'the content' }, { kind: 'read', media: 'file', content: 'the content' }],
    ['Bash', 'Error: Exit code 1', { kind: 'text', text: 'Error: Exit code 1' }],
    ['Bash', undefined, { kind: 'none' }],
    ['Bash', null, { kind: 'none' }],
    ['Bash', { unheard: 'of' }, { kind: 'other', raw: { unheard: 'of' } }],
    ['Bash', [1, 2], { kind: 'other', raw: [1, 2] }],
    ['NewTool', { stdout: 'x' }, { kind: 'other', raw: { stdout: 'x' } }],
    ['mcp__db__query', { rows: [] }, { kind: 'other', raw: { rows: [] } }],
  ] satisfies [string, Json | undefined, object][])('%s: %j', (tool, record, expected) => {
    expect(toToolResult(tool, record)).toMatchObject(expected);
  });
});

test('E6: every structured record in the recordings is known', () => {
  const kinds = new Map<string, Set<string>>();
  for (const file of transcriptsBelow(`${FIXTURES}recorded`)) {
    for (const call of pairToolCalls(readSession(readFileSync(file), file).entries).calls) {
      const { kind } = toolResultOf(call);
      kinds.set(kind, (kinds.get(kind) ?? new Set()).add(call.name));
    }
  }
  expect([...(kinds.get('other') ?? [])]).toEqual([]);
  expect([...kinds.keys()].sort()).toEqual([
    'agent',
    'bash',
    'edit',
    'glob',
    'grep',
    'none',
    'plan',
    'question',
    'read',
    'skill',
    'text',
    'todo',
    'write',
  ]);
});

test('never throws, and keeps the record', () => {
  const tools = fc.constantFrom(
    'Read',
    'Write',
    'Edit',
    'MultiEdit',
    'NotebookEdit',
    'Bash',
    'BashOutput',
    'Task',
    'Glob',
    'Grep',
    'TodoWrite',
    'WebFetch',
    'WebSearch',
    'Skill',
    'AskUserQuestion',
    'ExitPlanMode',
    'mcp__a__b',
    'X',
  );
  const keys = fc.constantFrom(
    'type',
    'file',
    'filePath',
    'edits',
    'structuredPatch',
    'stdout',
    'task',
    'filenames',
    'mode',
    'content',
    'questions',
    'answers',
    'newTodos',
    'results',
    'query',
    'plan',
    'usage',
  );
  const value = fc.jsonValue({ maxDepth: 3 }).map((any) => JSON.parse(JSON.stringify(any)));
  fc.assert(
    fc.property(tools, fc.oneof(value, fc.dictionary(keys, value)), (tool, record) => {
      expect(toToolResult(tool, record).raw).toBe(record);
    }),
  );
});
