/** `skein export html`: the viewer's page of one chat with everything it needs in one file. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { counted } from '../../views/counted.ts';
import type { ExportedData } from '../../views/export/data.ts';
import { type Asset, escapeHtml, htmlDocument, inlined } from '../../views/export/document.ts';
import { INDEX_STYLE, indexBody, plainTurns } from '../../views/export/plain.ts';
import type { EmbeddedChat } from '../../views/page/index.ts';
import { humanBytes } from '../bytes.ts';
import { CommandError } from '../errors.ts';
import type { SharedChat } from './chats.ts';
import { embeddedChat } from './embedded.ts';
import type { ExportOptions, Format } from './format.ts';
import { aboutText, type Review } from './review.ts';

export const html: Format = {
  extension: 'html',
  holds: 'texts',
  *content(shared, review, options) {
    refuseTooLarge(shared);
    const chat = embeddedChat(shared, options);
    const { title, id } = shared.opened.listed;
    const about = aboutText(review, options);
    const first = chat.branches.find(({ page }) => page.branch === chat.branch);
    const fallback = `<main><h1>${escapeHtml(title ?? id)}</h1>${plainTurns(first?.turns ?? [])}</main>`;
    yield htmlDocument({
      title: title ?? id,
      style: assetOf(webFile('standalone.css')),
      script: assetOf(webFile('standalone.js')),
      data: dataOf(chat, review, options),
      body: `<div id="app"></div>\n<noscript>${fallback}${about.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}</noscript>`,
    });
  },
  index: ({ project, chats, review, options }) => {
    const links = chats.map(({ title, file, turns, bytes, updated }) => ({
      title,
      href: file,
      facts: [counted(turns, 'turn'), humanBytes(bytes), updated?.slice(0, 10) ?? ''].join(' · '),
    }));
    const body = indexBody(project, links, aboutText(review, options));
    return htmlDocument({ title: project, style: assetOf(INDEX_STYLE), body });
  },
};

/** No browser opens more, and a string in JavaScript holds twice that. */
const MOST_BYTES = 250e6;

function refuseTooLarge({ branches, opened }: SharedChat): void {
  const entries = new Set(branches.flatMap(({ turns }) => turns.flatMap((turn) => turn.entries)));
  let bytes = 0;
  for (const { line } of entries) bytes += line.end - line.start;
  if (bytes <= MOST_BYTES) return;
  const next = 'Choose some turns with --turn, or export md or json.';
  throw new CommandError(`The chat is too large for one page: ${humanBytes(bytes)}.`, opened.listed.id, next);
}

function dataOf(chat: EmbeddedChat, review: Review, options: ExportOptions): ExportedData {
  const found = review.found.map(({ kind, placeholder, count, preview }) => ({ kind, placeholder, count, preview }));
  return { chat, about: aboutText(review, options), found, replay: options.replay };
}

function assetOf(given: string): Asset {
  const text = inlined(given);
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}

/** Next to the command in dist/; in a clone that is run from its sources, in the dist/ beside them. */
function webFile(name: string): string {
  const places = [`./web/${name}`, `../../../dist/web/${name}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const path = places.find((each) => existsSync(each));
  if (path !== undefined) return readFileSync(path, 'utf8');
  throw new CommandError('The page was not built.', places[0] ?? name, 'Run: npm run build');
}
