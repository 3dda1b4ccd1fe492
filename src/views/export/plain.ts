/** What a browser without scripts shows of a chat, and the list of a project's chats. */
import type { PageTurn } from '../page/types.ts';
import { safeLine, safeText } from '../safe.ts';
import { escapeHtml } from './document.ts';

/** Prompts and answers as plain text. */
export function plainTurns(turns: readonly PageTurn[]): string {
  return turns
    .flatMap(({ items }) => items)
    .map((item) => {
      if (item.type === 'prompt') return `<h2>${escapeHtml(firstLine(item.text))}</h2><pre>${plain(item.text)}</pre>`;
      if (item.type === 'text') return `<pre>${plain(item.text)}</pre>`;
      return item.type === 'call' ? `<p>${escapeHtml(safeLine(`${item.call.name} ${item.call.argument}`))}</p>` : '';
    })
    .join('\n');
}

function plain(text: string): string {
  return escapeHtml(safeText(text));
}

function firstLine(text: string): string {
  const line = safeLine(text.trim().split('\n', 1)[0] ?? '');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

export interface IndexLink {
  readonly title: string;
  readonly href: string;
  readonly facts: string;
}

export function indexBody(title: string, links: readonly IndexLink[], notes: readonly string[]): string {
  const rows = links.map(
    ({ title: text, href, facts }) =>
      `<li><a href="${escapeHtml(encodeURI(href))}" dir="auto">${escapeHtml(text)}</a> <small>${escapeHtml(facts)}</small></li>`,
  );
  return `<main>
<h1 dir="auto">${escapeHtml(title)}</h1>
<ol>
${rows.join('\n')}
</ol>
<footer>${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('')}</footer>
</main>`;
}

export const INDEX_STYLE = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:0;background:Canvas;color:CanvasText}
main{max-width:52rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.25rem}
ol{list-style:none;padding:0;border-top:1px solid color-mix(in srgb,CanvasText 15%,transparent)}
li{display:flex;justify-content:space-between;gap:1rem;padding:.5rem 0;border-bottom:1px solid color-mix(in srgb,CanvasText 15%,transparent)}
a{color:inherit;text-decoration:none;overflow-wrap:anywhere}
a:hover{text-decoration:underline}
small{white-space:nowrap;opacity:.75}
footer{font-size:.85rem;opacity:.8}
@media(max-width:40rem){li{flex-direction:column;gap:0}}`;
