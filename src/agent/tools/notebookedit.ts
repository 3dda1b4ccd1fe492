/** NotebookEdit: one cell of a Jupyter notebook. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { defineTool } from './define.ts';
import { changeCell } from './files/cells.ts';
import { openToChange, putInPlace, recorded } from './files/change.ts';
import { missing, Refusal, tellTrouble } from './files/place.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const input = z.strictObject({
  notebook_path: z.string().min(1).describe('The .ipynb file; absolute, or relative to the working directory'),
  cell_id: z
    .string()
    .optional()
    .describe(
      'The cell, as Read names it; with insert, the one to put the new cell after (at the beginning without it)',
    ),
  new_source: z.string().describe('The new text of the cell; not used by delete'),
  cell_type: z.enum(['code', 'markdown']).optional().describe('Needed by insert; otherwise the type stays'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace').describe('replace (default), insert or delete'),
});

type Input = z.infer<typeof input>;

export const notebookEdit: Tool = defineTool<Input>({
  name: 'NotebookEdit',
  description:
    'Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb). The notebook must have been read in this session and be unchanged since. Replacing a code cell clears its output; everything else in the file stays as it is.',
  input,
  acts: 'writes',
  path: ({ notebook_path }) => notebook_path,
  run: (given, host) => tellTrouble(host, given.notebook_path, () => editNotebook(given, host)),
});

async function editNotebook(given: Input, host: ToolHost): Promise<ToolOutcome> {
  const { edit_mode: mode, new_source: source } = given;
  if (!/\.ipynb$/i.test(given.notebook_path)) throw new Refusal('It is not a notebook (.ipynb): use Edit.');
  const file = openToChange(host, given.notebook_path);
  if (file.stat === undefined) throw new Refusal(missing(file.path, host.session));
  const before = file.bytes.toString('utf8');
  const freshId = () => randomBytes(4).toString('hex');
  const changed = await changeCell(before, { mode, cellId: given.cell_id, type: given.cell_type, source, freshId });
  putInPlace(host, file, Buffer.from(changed.text, 'utf8'));
  const { cellId, type, language, oldSource, text } = changed;
  return {
    content: `${DID[mode]} cell ${cellId ?? ''} of ${file.path}.`,
    result: {
      new_source: source,
      ...(oldSource !== undefined && { old_source: oldSource }),
      cell_type: type,
      language,
      edit_mode: mode,
      ...(cellId !== undefined && { cell_id: cellId }),
      error: '',
      notebook_path: file.path,
      ...recorded('original_file', before),
      ...recorded('updated_file', text),
    },
  };
}

const DID = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' } as const;
