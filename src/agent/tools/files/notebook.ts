/** Jupyter notebooks: their cells with what they printed. */
import {
  asArray,
  asNumber,
  asObject,
  asString,
  at,
  isObject,
  type Json,
  type JsonObject,
} from '../../../format/json.ts';

export interface Cell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly executionCount?: number;
  readonly outputs: readonly Output[];
}

export interface Output {
  readonly type: string;
  readonly text: string;
  readonly image?: { readonly data: string; readonly type: string };
}

export interface Notebook {
  readonly cells: readonly Cell[];
  readonly language: string;
}

/** undefined when it is no notebook. */
export function notebookOf(value: Json | undefined): Notebook | undefined {
  const cells = asArray(at(value, 'cells'));
  if (cells === undefined) return undefined;
  const language = asString(at(value, 'metadata', 'language_info', 'name')) ?? 'python';
  return { cells: cells.map((cell, index) => cellOf(asObject(cell) ?? {}, index)), language };
}

/** Cells of old notebooks have no ids: they are counted. */
function cellOf(cell: JsonObject, index: number): Cell {
  return {
    id: asString(cell.id) ?? `cell-${index}`,
    type: asString(cell.cell_type) ?? 'code',
    source: joined(cell.source),
    executionCount: asNumber(cell.execution_count),
    outputs: (asArray(cell.outputs) ?? []).filter(isObject).map(outputOf),
  };
}

function outputOf(output: JsonObject): Output {
  const type = asString(output.output_type) ?? 'unknown';
  if (type === 'error') {
    const trace = joined(output.traceback).replace(/\x1b\[[0-9;]*m/g, '');
    return { type, text: [asString(output.ename), asString(output.evalue), trace].filter(Boolean).join('\n') };
  }
  const image = ['image/png', 'image/jpeg'].find((kind) => at(output.data, kind) !== undefined);
  return {
    type,
    text: type === 'stream' ? joined(output.text) : joined(at(output.data, 'text/plain')),
    ...(image && { image: { type: image, data: joined(at(output.data, image)).replace(/\s/g, '') } }),
  };
}

/** Texts are one string or one for each line. */
export function joined(text: Json | undefined): string {
  return asString(text) ?? (asArray(text) ?? []).map((line) => asString(line) ?? '').join('');
}
