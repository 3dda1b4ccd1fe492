/** Items as Markdown, for the clipboard. */
import { tokenCount } from '../../src/views/items.ts';
import type { CallRow, PageItem, PageTurn } from '../../src/views/page/types.ts';

export function turnMarkdown(turn: PageTurn): string {
  const left = turn.more > 0 ? [`*${turn.more} more*`] : [];
  return [...turn.items.map(itemMarkdown), ...left].join('\n\n');
}

export function itemMarkdown(item: PageItem): string {
  switch (item.type) {
    case 'prompt':
      return item.text
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n');
    case 'text':
      return item.text;
    case 'thinking':
      return `<details><summary>Thinking</summary>\n\n${item.text}\n\n</details>`;
    case 'call':
      return callMarkdown(item.call);
    case 'api_error':
      return `**API error:** ${item.text}`;
    case 'image':
      return `*(image, ${item.image.mediaType})*`;
    case 'compaction':
      return `---\n\n*Context compacted${item.text === '' ? '' : `: ${item.text}`}*\n\n${item.summary}`.trimEnd();
    case 'note':
      return `*${item.label}${item.text === '' ? '' : `: ${item.text}`}*`;
  }
}

function callMarkdown({ name, argument, status, failure, agent }: CallRow): string {
  const [line = ''] = argument.split('\n');
  const code = line === '' ? '' : ` ${codeSpan(line)}`;
  const state = status === 'ok' ? '' : ` (${status}${failure === null ? '' : `: ${failure}`})`;
  const inside = agent === null ? '' : `, ${agent.calls} calls, ${tokenCount(agent.tokens)} tokens`;
  return `- **${name}**${code}${state}${inside}`;
}

function codeSpan(text: string): string {
  const fence = '`'.repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}
