/** Read of what is not lines of text: pictures, PDF, notebooks. */
import type { JsonObject } from '../../../format/json.ts';
import { parseJson } from '../../../format/json.ts';
import type { ToolHost, ToolOutcome } from '../tool.ts';
import { fits, imageBlock, MOST_PICTURE_BYTES, MOST_PICTURE_SIDE, pictureBlock, pictureOf } from './images.ts';
import { loadFile } from './load.ts';
import { type Cell, notebookOf, type Output } from './notebook.ts';
import { textOfPages } from './pdf.ts';
import { Refusal } from './place.ts';
import { CHARS, type Wanted } from './readtext.ts';
import { digestOfBytes, seenAs } from './seen.ts';

export function readPicture({ path, real }: Wanted): ToolOutcome {
  const { bytes } = loadFile(real, MOST_PICTURE_BYTES);
  const picture = pictureOf(bytes);
  if (picture === undefined) throw new Refusal(`${path} is not a picture that can be shown, whatever its name says.`);
  const { type, width, height } = picture;
  if (!fits(picture)) {
    const most = `${MOST_PICTURE_SIDE} pixels a side`;
    throw new Refusal(`${path} is ${width}×${height} pixels; at most ${most} can be shown. Make a smaller copy first.`);
  }
  const data = bytes.toString('base64');
  const dimensions = { originalWidth: width, originalHeight: height, displayWidth: width, displayHeight: height };
  return {
    content: [imageBlock(data, type)],
    result: { type: 'image', file: { base64: data, type, originalSize: bytes.length, dimensions } },
  };
}

const MOST_PDF_BYTES = 64 << 20;

export async function readPdf({ path, real }: Wanted, pages: string | undefined): Promise<ToolOutcome> {
  const { bytes } = loadFile(real, MOST_PDF_BYTES);
  if (!bytes.subarray(0, 1024).includes('%PDF-')) throw new Refusal(`${path} is not a PDF, whatever its name says.`);
  const { text, total, from, to } = await textOfPages(path, bytes, pages, CHARS);
  const next = to < total ? ` Go on with pages "${to + 1}-${Math.min(total, to + 1 + to - from)}".` : '';
  const content = `${text}\n\n(Pages ${from} to ${to} of ${total}.${next})`;
  return {
    content,
    result: { type: 'pdf', file: { filePath: path, content: text, originalSize: bytes.length, totalPages: total } },
  };
}

const MOST_NOTEBOOK_BYTES = 64 << 20;
const OUTPUT_CHARS = 10_000;
const MOST_PICTURES = 20;

/** `offset` and `limit` count cells. */
export function readNotebook({ path, real, offset, limit }: Wanted, host: ToolHost): ToolOutcome {
  const { bytes, stat } = loadFile(real, MOST_NOTEBOOK_BYTES);
  const notebook = notebookOf(parseJson(bytes.toString('utf8')));
  if (notebook === undefined) {
    throw new Refusal(`${path} is not a notebook: it is not JSON with a list of cells. Look at it with cat.`);
  }
  const from = Math.max(1, offset ?? 1);
  const cells = fitting(notebook.cells.slice(from - 1, limit === undefined ? undefined : from - 1 + limit));
  const total = notebook.cells.length;
  host.session.files.set(real, seenAs(stat, { partial: cells.length < total, digest: digestOfBytes(bytes) }));
  const last = from + cells.length - 1;
  const next = last < total ? ` Go on with offset ${last + 1}.` : '';
  const note = cells.length < total ? `\n\n(Cells ${from} to ${last} of ${total}.${next})` : '';
  const text = (cells.map(cellText).join('\n') || 'There are no cells here.') + note;
  const pictures = cells.flatMap(({ outputs }) => outputs.flatMap(pictureIn)).slice(0, MOST_PICTURES);
  return {
    content: pictures.length > 0 ? [{ type: 'text', text }, ...pictures] : text,
    result: {
      type: 'notebook',
      file: { filePath: path, cells: cells.map((cell) => cellJson(cell, notebook.language)) },
    },
  };
}

/** As many cells as may be sent at once; one at least. */
function fitting(cells: readonly Cell[]): Cell[] {
  let left = CHARS;
  const cut = cells.map((cell) => ({ ...cell, outputs: cell.outputs.map(cutOutput) }));
  return cut.filter((cell, index) => {
    left -= cell.source.length + cell.outputs.reduce((sum, { text }) => sum + text.length, 0);
    return left > 0 || index === 0;
  });
}

function cutOutput(output: Output): Output {
  const { text } = output;
  if (text.length <= OUTPUT_CHARS) return output;
  return { ...output, text: `${text.slice(0, OUTPUT_CHARS)}… (${text.length} characters)` };
}

function cellText({ id, type, source, outputs }: Cell): string {
  const printed = outputs.map(({ text }) => text).filter((text) => text !== '');
  const output = printed.length > 0 ? `\n<output>\n${printed.join('\n')}\n</output>` : '';
  return `<cell id="${id}" type="${type}">\n${source}\n</cell>${output}`;
}

function cellJson({ id, type, source, executionCount, outputs }: Cell, language: string): JsonObject {
  if (type !== 'code') return { cellType: type, source, cell_id: id };
  return {
    cellType: type,
    source,
    ...(executionCount !== undefined && { execution_count: executionCount }),
    cell_id: id,
    language,
    ...(outputs.length > 0 && { outputs: outputs.map(outputJson) }),
  };
}

function outputJson({ type, text, image }: Output): JsonObject {
  const picture = image && { image_data: image.data, media_type: image.type };
  return { output_type: type, text, ...(picture && { image: picture }) };
}

/** Only what the API will take. */
function pictureIn({ image }: Output): JsonObject[] {
  if (image === undefined || image.data.length > (MOST_PICTURE_BYTES * 4) / 3) return [];
  const block = pictureBlock(Buffer.from(image.data, 'base64'));
  return block === undefined ? [] : [block];
}
