/** MultiEdit: several replacements in one file, all of them or none. */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { openToChange, plainText, putInPlace, recorded, type TextFile } from './files/change.ts';
import { applyEdits, type Edited } from './files/edits.ts';
import { toBytes } from './files/encoding.ts';
import { patchOf } from './files/patch.ts';
import { missing, Refusal, tellTrouble } from './files/place.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const input = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working directory'),
  edits: z
    .array(
      z.strictObject({
        old_string: z.string().describe('The text to replace, exactly as it stands after the edits before it'),
        new_string: z.string().describe('The text to put in its place'),
        replace_all: z.boolean().default(false).describe('Replace every place where old_string stands'),
      }),
    )
    .min(1)
    .describe('The replacements, made one after the other'),
});

type Input = z.infer<typeof input>;

export const multiEdit: Tool = defineTool<Input>({
  name: 'MultiEdit',
  description:
    'Makes several replacements in one file, in the order given, each under the rules of Edit and on the text that those before it left. If one does not fit, none is made. An empty old_string in the first edit makes a new file.',
  input,
  acts: 'writes',
  path: ({ file_path }) => file_path,
  run: (given, host) => tellTrouble(host, given.file_path, () => editFile(given, host)),
});

async function editFile({ file_path, edits }: Input, host: ToolHost): Promise<ToolOutcome> {
  const file = openToChange(host, file_path);
  const { bytes, counts } = edited(file, edits, host);
  if (bytes.equals(file.bytes) && file.stat !== undefined) throw new Refusal('Together the edits change nothing.');
  putInPlace(host, file, bytes);
  const { path, encoding } = file;
  const before = plainText(file.bytes, encoding);
  const places = counts.reduce((sum, count) => sum + count, 0);
  return {
    content: `Made ${edits.length} edits in ${path}, at ${places} places.`,
    result: {
      filePath: path,
      edits,
      ...recorded('originalFileContents', before),
      structuredPatch: await patchOf(before, plainText(bytes, encoding)),
      userModified: false,
    },
  };
}

function edited(file: TextFile, edits: Input['edits'], { session }: ToolHost): Edited {
  const name = (index: number) => `Edit ${index + 1} of ${edits.length} does not fit, so none was made: `;
  const [first, ...others] = edits;
  const makes = first?.old_string === '' && file.bytes.length === 0;
  if (!makes && file.stat === undefined) throw new Refusal(missing(file.path, session));
  const start = makes ? toBytes(first.new_string, file.encoding) : file.bytes;
  const rest = makes ? others : edits;
  const offset = edits.length - rest.length;
  const empty = rest.findIndex(({ old_string }) => old_string === '');
  if (empty >= 0) throw new Refusal(`${name(empty + offset)}an empty old_string only makes new files.`);
  const done = applyEdits(start, file.encoding, rest, (index) => name(index + offset));
  return makes ? { ...done, counts: [1, ...done.counts] } : done;
}
