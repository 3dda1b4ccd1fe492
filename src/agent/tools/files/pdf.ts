/** The text of some pages of a PDF. */
import { Refusal } from './place.ts';

export interface PagesRead {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

const PAGES = 20;

/** Without pages the first ones; fewer than asked for where their text gets too long. Throws Refusal. */
export async function textOfPages(
  path: string,
  bytes: Uint8Array,
  pages: string | undefined,
  chars: number,
): Promise<PagesRead> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await open(path, () => getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }));
  try {
    const total = document.numPages;
    const [from, last] = rangeOf(path, pages, total);
    const texts: string[] = [];
    let left = chars;
    for (let number = from; number <= last && (left > 0 || texts.length === 0); number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
      const shown = text.trim() === '' ? 'No text on this page: it may be a picture.' : text.trim();
      texts.push(`--- page ${number} ---\n${shown.slice(0, chars)}`);
      left -= shown.length;
    }
    return { text: texts.join('\n\n'), from, to: from + texts.length - 1, total };
  } finally {
    await document.loadingTask.destroy();
  }
}

async function open<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(`${path} cannot be read as a PDF: ${why}`);
  }
}

function rangeOf(path: string, pages: string | undefined, total: number): [number, number] {
  if (pages === undefined) return [1, Math.min(PAGES, total)];
  const match = /^\s*(\d{1,6})(?:\s*-\s*(\d{0,6}))?\s*$/.exec(pages);
  const from = Number(match?.[1]);
  const to = match?.[2] === undefined ? from : Number(match[2]) || total;
  if (match === null || from < 1 || to < from) {
    throw new Refusal(`pages is "${pages}": give one page or a range, e.g. "3" or "1-5".`);
  }
  if (from > total) throw new Refusal(`${path} has ${total} pages; there is no page ${from}.`);
  return [from, Math.min(to, total, from + PAGES - 1)];
}
