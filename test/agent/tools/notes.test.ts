/** NotebookEdit, TodoWrite, and what is remembered of files. */
import { describe, expect, test } from 'vitest';
import { createFileMemory } from '../../../src/agent/tools/files/memory.ts';
import { notebookEdit } from '../../../src/agent/tools/notebookedit.ts';
import { read } from '../../../src/agent/tools/read.ts';
import { todoWrite } from '../../../src/agent/tools/todowrite.ts';
import { asString, parseJson, at as valueAt } from '../../../src/format/json.ts';
import { fileHost, told, typed } from './filehost.ts';

/** Written in a way that JSON.stringify would not. */
const NOTEBOOK = `{
 "cells": [
  {"cell_type": "markdown", "id": "aa", "metadata": {"n": 1.0}, "source": ["# T\\n", "x"]},
  {
   "cell_type": "code",
   "id": "bb",
   "execution_count": 3,
   "metadata": {"scrolled": true},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": "hi"}],
   "source": "print(1)"
  }
 ],
 "metadata": {"language_info": {"name": "julia"}, "big": 12345678901234567890},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

async function withNotebook() {
  const host = fileHost();
  host.put('nb.ipynb', NOTEBOOK);
  await host.run(read, { file_path: 'nb.ipynb' });
  const change = (input: object) => host.run(notebookEdit, { notebook_path: 'nb.ipynb', ...input });
  const cells = () => valueAt(parseJson(host.get('nb.ipynb')), 'cells');
  return { ...host, change, cells };
}

describe('NotebookEdit', () => {
  test('replaces a cell, clears what it printed, and leaves every other byte', async () => {
    const { change, get, at } = await withNotebook();
    const outcome = await change({ cell_id: 'bb', new_source: 'print(2)\nx' });
    const expected = NOTEBOOK.replace('"print(1)"', '"print(2)\\nx"')
      .replace('"execution_count": 3', '"execution_count": null')
      .replace('[{"output_type": "stream", "name": "stdout", "text": "hi"}]', '[]');
    expect(get('nb.ipynb')).toBe(expected);
    expect(outcome.result).toEqual({
      new_source: 'print(2)\nx',
      old_source: 'print(1)',
      cell_type: 'code',
      language: 'julia',
      edit_mode: 'replace',
      cell_id: 'bb',
      error: '',
      notebook_path: at('nb.ipynb'),
      original_file: NOTEBOOK,
      updated_file: expected,
    });
    expect(typed(notebookEdit, outcome)).toMatchObject({ kind: 'notebook_edit', editMode: 'replace', cellId: 'bb' });
  });

  test('lines stay lines; the type can change', async () => {
    const { change, cells } = await withNotebook();
    await change({ cell_id: 'aa', new_source: 'one\ntwo' });
    await change({ cell_id: 'bb', new_source: 'text', cell_type: 'markdown' });
    expect(cells()).toMatchObject([
      { source: ['one\n', 'two'], metadata: { n: 1 } },
      { cell_type: 'markdown', source: 'text', metadata: { scrolled: true } },
    ]);
    expect(JSON.stringify(cells())).not.toMatch(/outputs|execution_count/);
  });

  test('inserts after a cell and at the beginning, deletes', async () => {
    const { change, cells, get } = await withNotebook();
    const made = await change({ cell_id: 'aa', new_source: 'new', cell_type: 'code', edit_mode: 'insert' });
    const id = asString(valueAt(made.result, 'cell_id'));
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    await change({ new_source: 'top', cell_type: 'markdown', edit_mode: 'insert' });
    await change({ cell_id: 'bb', new_source: '', edit_mode: 'delete' });
    expect(cells()).toMatchObject([{ source: ['top'] }, { id: 'aa' }, { id, source: ['new'], outputs: [] }]);
    expect(get('nb.ipynb')).toContain('12345678901234567890');
  });

  test('what does not fit is told, and nothing is changed', async () => {
    const { change, get, run, put, backups } = await withNotebook();
    expect(told(await change({ cell_id: 'zz', new_source: 'x' }))).toMatch(/There is no cell "zz"/);
    expect(told(await change({ new_source: 'x' }))).toMatch(/Which cell\?/);
    expect(told(await change({ cell_id: 'aa', new_source: 'x', edit_mode: 'insert' }))).toMatch(/needs a cell_type/);
    expect(get('nb.ipynb')).toBe(NOTEBOOK);
    put('a.txt', 'x');
    expect(told(await run(notebookEdit, { notebook_path: 'a.txt', new_source: 'x' }))).toMatch(/use Edit/);
    put('other.ipynb', NOTEBOOK);
    expect(told(await run(notebookEdit, { notebook_path: 'other.ipynb', cell_id: 'aa', new_source: 'x' }))).toMatch(
      /was not read/,
    );
    expect(backups).toEqual([]);
  });

  test('cells without ids are counted, and get none', async () => {
    const { run, put, get } = fileHost();
    put('old.ipynb', '{"cells":[{"cell_type":"code","source":"a"}],"nbformat":4,"nbformat_minor":2}');
    await run(read, { file_path: 'old.ipynb' });
    await run(notebookEdit, {
      notebook_path: 'old.ipynb',
      cell_id: 'cell-0',
      new_source: 'b',
      cell_type: 'markdown',
      edit_mode: 'insert',
    });
    await run(notebookEdit, { notebook_path: 'old.ipynb', cell_id: 'cell-0', new_source: 'A' });
    expect(valueAt(parseJson(get('old.ipynb')), 'cells')).toMatchObject([{ source: 'A' }, { source: 'b' }]);
    expect(get('old.ipynb')).not.toContain('"id"');
  });
});

test('TodoWrite: the list before and after', async () => {
  const { run, session } = fileHost();
  const todo = (status: string) => ({ content: 'Run the tests', status, activeForm: 'Running the tests' });
  await run(todoWrite, { todos: [todo('pending')] });
  const outcome = await run(todoWrite, { todos: [todo('in_progress')] });
  expect(outcome.result).toEqual({ oldTodos: [todo('pending')], newTodos: [todo('in_progress')] });
  expect(typed(todoWrite, outcome)).toMatchObject({ kind: 'todo' });
  expect(session.todos).toEqual([todo('in_progress')]);
  expect(todoWrite.refuse({ todos: [todo('someday')] })).toMatch(/status/);
});

test('the memory of files forgets those used longest ago', () => {
  const memory = createFileMemory(2);
  const seen = { mtimeMs: 1, size: 1, partial: false };
  memory.set('a', seen);
  memory.set('b', seen);
  memory.get('a');
  memory.set('c', seen);
  expect(['a', 'b', 'c'].map((path) => memory.get(path) !== undefined)).toEqual([true, false, true]);
});
