/** Edit: one piece of a file's text replaced by another. */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { openToChange, plainText, putInPlace, recorded, type TextFile } from './files/change.ts';
import { applyEdits } from './files/edits.ts';
import { toBytes } from './files/encoding.ts';
import { patchOf } from './files/patch.ts';
import { missing, Refusal, tellTrouble } from './files/place.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const input = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working directory'),
  old_string: z.string().describe('The text to replace, exactly as it stands in the file; empty to make a new file'),
  new_string: z.string().describe('The text to put in its place'),
  replace_all: z.boolean().default(false).describe('Replace every place where old_string stands (default false)'),
});

type Input = z.infer<typeof input>;

export const edit: Tool = defineTool<Input>({
  name: 'Edit',
  description:
    'Replaces a piece of text in a file. old_string must stand in the file exactly so, with its white space and without the line numbers of Read, and only once unless replace_all is set: give enough lines around it. The file must have been read in this session and be unchanged since. An empty old_string makes a new file of new_string.',
  input,
  acts: 'writes',
  path: ({ file_path }) => file_path,
  run: (given, host) => tellTrouble(host, given.file_path, () => editFile(given, host)),
});

async function editFile(given: Input, host: ToolHost): Promise<ToolOutcome> {
  const file = openToChange(host, given.file_path);
  const { bytes, count } = edited(file, given, host);
  putInPlace(host, file, bytes);
  const { path, encoding } = file;
  const before = plainText(file.bytes, encoding);
  const { old_string: oldString, new_string: newString, replace_all: replaceAll } = given;
  return {
    content: count > 1 ? `Edited ${path} at ${count} places.` : `Edited ${path}.`,
    result: {
      filePath: path,
      oldString,
      newString,
      ...recorded('originalFile', before),
      structuredPatch: await patchOf(before, plainText(bytes, encoding)),
      userModified: false,
      replaceAll,
    },
  };
}

function edited(file: TextFile, given: Input, { session }: ToolHost): { bytes: Buffer; count: number } {
  if (given.old_string !== '') {
    if (file.stat === undefined) throw new Refusal(missing(file.path, session));
    const { bytes, counts } = applyEdits(file.bytes, file.encoding, [given]);
    return { bytes, count: counts[0] ?? 0 };
  }
  if (file.bytes.length > 0) {
    throw new Refusal(`${file.path} exists and is not empty: an empty old_string only makes new files.`);
  }
  if (given.new_string === '' && file.stat !== undefined) throw new Refusal('Nothing would change.');
  return { bytes: toBytes(given.new_string, file.encoding), count: 1 };
}
