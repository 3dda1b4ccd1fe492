/** HTML → markdown, or plain text where that would take too long or too deep. */
import { parseEntities } from './entities.ts';

/** Markdown takes seconds for a megabyte, during which nothing else happens. */
const MAX_MARKDOWN_CHARS = 500_000;
const MAX_DEPTH = 300;

export async function toMarkdown(html: string, url: string): Promise<string> {
  const page = withoutCode(html);
  if (page.length > MAX_MARKDOWN_CHARS || depthOf(page) > MAX_DEPTH) return toPlain(page);
  const { default: Turndown } = await import('turndown');
  try {
    const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
    service.addRule('links', {
      filter: (node) => node.nodeName === 'A',
      replacement: (text, node) => link(text.trim(), 'getAttribute' in node ? node.getAttribute('href') : null, url),
    });
    service.addRule('pictures', {
      filter: 'img',
      replacement: (_, node) => ('getAttribute' in node ? (node.getAttribute('alt') ?? '') : ''),
    });
    return service.turndown(page).trim();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // What nests in ways not counted above can still be too deep for it.
    return toPlain(page);
  }
}

/** Where a link leads from here; those within the page and scripts lead nowhere. */
function link(text: string, href: string | null, base: string): string {
  if (href === null || text === '' || href.startsWith('#') || !URL.canParse(href, base)) return text;
  const { protocol, href: to } = new URL(href, base);
  return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? `[${text}](${to})` : text;
}

const CODE = /<!--|<(script|style|svg|template|iframe|object)\b/gi;

/** Without what nobody reads. One pass: a page of openings without ends takes no longer than another. */
function withoutCode(html: string): string {
  const lower = html.toLowerCase();
  const kept: string[] = [];
  let from = 0;
  CODE.lastIndex = 0;
  for (let found = CODE.exec(lower); found !== null; found = CODE.exec(lower)) {
    const [opening, name] = found;
    kept.push(html.slice(from, found.index));
    const end = name === undefined ? '-->' : `</${name}`;
    const closing = lower.indexOf(end, found.index + opening.length);
    if (closing < 0) return kept.join('');
    from = name === undefined ? closing + end.length : after(lower, closing);
    CODE.lastIndex = from;
  }
  kept.push(html.slice(from));
  return kept.join('');
}

function after(text: string, closing: number): number {
  const end = text.indexOf('>', closing);
  return end < 0 ? text.length : end + 1;
}

/** Elements that end by themselves when the next one comes. */
const SHALLOW = new Set('p li td th tr dt dd option br img hr input meta link source wbr col area base'.split(' '));

function depthOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, closing, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (SHALLOW.has(name.toLowerCase())) continue;
    depth = closing === '' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const BLOCK = /<\/?(?:p|div|li|tr|h[1-6]|br|ul|ol|table|section|article|header|footer|pre|blockquote|title)\b[^<>]*>/gi;

export function toPlain(html: string): string {
  const text = html
    .replace(/\s+/g, ' ')
    .replace(BLOCK, '\n')
    .replace(/<[^<>]*>/g, '');
  return parseEntities(text)
    .replace(/[ \t]*\n\s*/g, '\n')
    .trim();
}
