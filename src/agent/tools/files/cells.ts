/** Changing one cell in the text of a notebook: everything else keeps its bytes, down to how numbers are written. */
import type { Edit, FormattingOptions } from 'jsonc-parser';
import {
  asArray,
  asNumber,
  asObject,
  asString,
  at,
  type Json,
  type JsonObject,
  parseJson,
} from '../../../format/json.ts';
import { joined } from './notebook.ts';
import { Refusal } from './place.ts';

export interface CellChange {
  readonly mode: 'replace' | 'insert' | 'delete';
  /** With `insert` the cell it comes after; at the beginning without it. */
  readonly cellId?: string;
  readonly type?: 'code' | 'markdown';
  readonly source: string;
  /** An id for a new cell. */
  readonly freshId: () => string;
}

export interface CellChanged {
  readonly text: string;
  readonly cellId?: string;
  readonly type: string;
  readonly language: string;
  readonly oldSource?: string;
}

/** Throws Refusal. */
export async function changeCell(text: string, change: CellChange): Promise<CellChanged> {
  const notebook = asObject(parseJson(text));
  const cells = asArray(notebook?.cells)?.map((cell) => asObject(cell) ?? {});
  if (notebook === undefined || cells === undefined)
    throw new Refusal('It is not a notebook: there is no list of cells.');
  const language = asString(at(notebook, 'metadata', 'language_info', 'name')) ?? 'python';
  const editor = await editorOf(text);
  if (change.mode === 'insert') return insertCell(notebook, cells, change, language, editor);
  const index = placeOf(cells, change.cellId);
  const cell = cells[index] ?? {};
  const told = { cellId: asString(cell.id) ?? change.cellId, language, oldSource: joined(cell.source) };
  const was = asString(cell.cell_type) ?? 'code';
  if (change.mode === 'delete') return { ...told, type: was, text: editor.set([[['cells', index], undefined]]) };
  const type = change.type ?? was;
  const fields: Field[] = [
    ['source', sourceLike(cell.source, change.source)],
    ...(type === was ? [] : [['cell_type', type] satisfies Field]),
    // What it printed belongs to what it was.
    ...(type === 'code' ? CLEARED : was === 'code' ? GONE : []),
  ];
  return { ...told, type, text: editor.set(fields.map(([key, value]) => [['cells', index, key], value])) };
}

type Field = [key: string, value: Json | undefined];
const CLEARED: Field[] = [
  ['execution_count', null],
  ['outputs', []],
];
const GONE: Field[] = [
  ['execution_count', undefined],
  ['outputs', undefined],
];

function insertCell(
  notebook: JsonObject,
  cells: readonly JsonObject[],
  change: CellChange,
  language: string,
  editor: Editor,
): CellChanged {
  const { type } = change;
  if (type === undefined) throw new Refusal('A new cell needs a cell_type: code or markdown.');
  const index = change.cellId === undefined ? 0 : placeOf(cells, change.cellId) + 1;
  const [major, minor] = [asNumber(notebook.nbformat) ?? 4, asNumber(notebook.nbformat_minor) ?? 0];
  // Older notebooks must not have ids.
  const id = major > 4 || (major === 4 && minor >= 5) ? change.freshId() : undefined;
  const like = cells[index - 1]?.source ?? cells[index]?.source;
  const cell: JsonObject = {
    cell_type: type,
    ...(id !== undefined && { id }),
    metadata: {},
    ...(type === 'code' && { execution_count: null, outputs: [] }),
    source: sourceLike(like ?? [], change.source),
  };
  return { text: editor.insert(['cells', index], cell), cellId: id ?? `cell-${index}`, type, language };
}

/** In one string or one for each line, as the notebook has it. */
function sourceLike(like: Json | undefined, source: string): Json {
  return Array.isArray(like) ? source.split(/(?<=\n)/).filter((line) => line !== '') : source;
}

function placeOf(cells: readonly JsonObject[], cellId: string | undefined): number {
  if (cellId === undefined) throw new Refusal('Which cell? Give its cell_id, as Read shows it.');
  const index = cells.findIndex(({ id }) => id === cellId);
  if (index >= 0) return index;
  const counted = /^cell-(\d{1,6})$/.exec(cellId);
  if (counted !== null && cells[Number(counted[1])] !== undefined) return Number(counted[1]);
  throw new Refusal(`There is no cell "${cellId}". Read the notebook to see the ids of its cells.`);
}

type Path = (string | number)[];

interface Editor {
  set(values: readonly [Path, Json | undefined][]): string;
  insert(path: Path, value: Json): string;
}

async function editorOf(text: string): Promise<Editor> {
  const { applyEdits, modify } = await import('jsonc-parser');
  const formattingOptions = formattingOf(text);
  const apply = (from: string, edits: Edit[]) => applyEdits(from, edits);
  return {
    set: (values) =>
      values.reduce((done, [path, value]) => apply(done, modify(done, path, value, { formattingOptions })), text),
    insert: (path, value) => apply(text, modify(text, path, value, { formattingOptions, isArrayInsertion: true })),
  };
}

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? ' ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length, eol };
}
