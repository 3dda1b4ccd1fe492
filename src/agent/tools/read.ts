/** Read: a file as the model sees it. */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { isPictureName } from './files/images.ts';
import { missing, pathIn, Refusal, realPlace, statFile, tellTrouble } from './files/place.ts';
import { readNotebook, readPdf, readPicture } from './files/readmedia.ts';
import { CHARS, LINE_CHARS, LINES, readText } from './files/readtext.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const input = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working directory'),
  offset: z.int().min(0).optional().describe('The line to start at, counted from 1 (a notebook: the cell)'),
  limit: z.int().min(1).optional().describe(`How many lines to read (default ${LINES}; a notebook: cells)`),
  pages: z.string().optional().describe('Pages of a PDF: "3" or "1-5", 20 at most'),
});

export const read: Tool = defineTool({
  name: 'Read',
  description: `Reads a file. Text comes with line numbers (number, tab, line), ${LINES} lines and ${CHARS} characters at most; longer lines are cut at ${LINE_CHARS} characters. Ask for more with offset and limit. Also shows pictures (png, jpg, gif, webp), the text of PDF pages, and notebooks with the output of their cells. Folders cannot be read: use Glob. A file must be read before it may be changed.`,
  input,
  acts: 'reads',
  path: ({ file_path }) => file_path,
  run: ({ file_path, ...range }, host) => {
    const path = pathIn(host.session, file_path);
    return tellTrouble(host, path, async () => withInstructions(await readFile(path, range, host), path, host));
  },
});

/** Those of the folders it lies in. */
function withInstructions(outcome: ToolOutcome, path: string, { session }: ToolHost): ToolOutcome {
  const follow = outcome.isError ? [] : (session.instructionsFor?.(path, session) ?? []);
  return follow.length === 0 ? outcome : { ...outcome, follow: [...(outcome.follow ?? []), ...follow] };
}

async function readFile(
  path: string,
  { pages, ...range }: Omit<z.infer<typeof input>, 'file_path'>,
  host: ToolHost,
): Promise<ToolOutcome> {
  const real = realPlace(path);
  if (statFile(real) === undefined) throw new Refusal(missing(path, host.session));
  const wanted = { path, real, ...range };
  if (isPictureName(path)) return readPicture(wanted);
  if (/\.pdf$/i.test(path)) return readPdf(wanted, pages);
  if (/\.ipynb$/i.test(path)) return readNotebook(wanted, host);
  return readText(wanted, host);
}
