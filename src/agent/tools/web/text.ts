/** The body of a page → text: which kinds are text at all, and in which characters they are written. */
import type { Page } from './get.ts';
import { toMarkdown } from './html.ts';

const TEXT =
  /^text\/|^application\/(?:.*\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|jsonl|sql|graphql|x-sh)\b/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/;

/** undefined: it is not text. */
export async function textOf(page: Page): Promise<string | undefined> {
  const { type, body } = page;
  if (type === '' ? body.includes(0) : !TEXT.test(type) && !HTML.test(type)) return undefined;
  const text = decoded(body, type);
  if (HTML.test(type) || (type === '' && /^\s*<(?:!doctype html|html)\b/i.test(text)))
    return toMarkdown(text, page.url);
  return text.replaceAll('\0', '');
}

function decoded(body: Buffer, type: string): string {
  const label = markOf(body) ?? /charset\s*=\s*"?([^\s;"]+)/.exec(type)?.[1] ?? declaredIn(body) ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 'utf-8' : undefined;
}

function declaredIn(body: Buffer): string | undefined {
  const start = body.toString('latin1', 0, 1024);
  return /<meta[^>]+charset\s*=\s*["']?([\w-]+)|<\?xml[^>]+encoding=["']([\w-]+)/i.exec(start)?.slice(1).find(Boolean);
}
