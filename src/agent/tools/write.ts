/** Write: a whole file. */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { openToChange, plainText, putInPlace, recorded, type TextFile } from './files/change.ts';
import { lineEndOf, toBytes, toText, withEnds } from './files/encoding.ts';
import { patchOf } from './files/patch.ts';
import { tellTrouble } from './files/place.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const input = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working directory'),
  content: z.string().describe('All of its new text'),
});

export const write: Tool = defineTool({
  name: 'Write',
  description:
    'Writes a whole file: makes it, with the folders it needs, or replaces all of its text. A file that exists must have been read in this session and be unchanged since; its encoding, line ends and mode are kept. Prefer Edit for changes to a part.',
  input,
  acts: 'writes',
  path: ({ file_path }) => file_path,
  run: ({ file_path, content }, host) => tellTrouble(host, file_path, () => writeFile(file_path, content, host)),
});

async function writeFile(filePath: string, content: string, host: ToolHost): Promise<ToolOutcome> {
  const file = openToChange(host, filePath);
  const bytes = bytesFor(file, content);
  putInPlace(host, file, bytes);
  const { path, encoding, stat } = file;
  if (stat === undefined) {
    const result = { type: 'create', filePath: path, content, structuredPatch: [], originalFile: null };
    return { content: `Made ${path}.`, result: { ...result, userModified: false } };
  }
  const before = plainText(file.bytes, encoding);
  return {
    content: `Wrote ${path}.`,
    result: {
      type: 'update',
      filePath: path,
      content,
      structuredPatch: await patchOf(before, plainText(bytes, encoding)),
      ...recorded('originalFile', before),
      userModified: false,
    },
  };
}

/** In the encoding and with the line ends and the byte-order mark that the file has. */
function bytesFor({ bytes, encoding }: TextFile, content: string): Buffer {
  const before = toText(bytes, encoding);
  const text = withEnds(content, lineEndOf(before));
  return toBytes(before.startsWith(MARK) && !text.startsWith(MARK) ? MARK + text : text, encoding);
}

const MARK = '\ufeff';
